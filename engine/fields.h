// Counts and visits the fields of any struct, in order. Observers see the fields that have names.
#pragma once
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace glassgrad {

// The names of a struct's fields, in order: "" hides a field, and so does a list that ends early.
constexpr size_t kMostFields = 8;
using AttrNames = std::array<const char*, kMostFields>;

namespace fields {

struct Anything {
  explicit Anything(size_t);
  template <class T>
  operator T() const;
};
template <class A, size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { A{Anything(I)...}; };
}
template <class A, size_t n = kMostFields>
constexpr size_t count() {
  if constexpr (n > 0 && !takes<A>(std::make_index_sequence<n>()))
    return count<A, n - 1>();
  else
    return n;
}

// Calls f(all of a's fields …).
template <class A, class F>
decltype(auto) with(const A& a, F&& f) {
  constexpr size_t n = count<A>();
  if constexpr (n == 0) return f();
  // clang-format off
  else if constexpr (n == 1) { const auto& [b] = a; return f(b); }
  else if constexpr (n == 2) { const auto& [b, c] = a; return f(b, c); }
  else if constexpr (n == 3) { const auto& [b, c, d] = a; return f(b, c, d); }
  else if constexpr (n == 4) { const auto& [b, c, d, e] = a; return f(b, c, d, e); }
  else if constexpr (n == 5) { const auto& [b, c, d, e, g] = a; return f(b, c, d, e, g); }
  else if constexpr (n == 6) { const auto& [b, c, d, e, g, h] = a; return f(b, c, d, e, g, h); }
  else if constexpr (n == 7) { const auto& [b, c, d, e, g, h, i] = a; return f(b, c, d, e, g, h, i); }
  else { const auto& [b, c, d, e, g, h, i, j] = a; return f(b, c, d, e, g, h, i, j); }
  // clang-format on
}

}  // namespace fields

// Calls visit(name, field) for each field of a that has a name in A::kNames. An enum is visited as an
// int64_t; for a struct with names of its own, its fields are visited instead.
template <class A, class V>
void visit_named(const A& a, V& visit) {
  const auto one = [&]<size_t i>(const auto& field, std::integral_constant<size_t, i>) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (constexpr const char* name = A::kNames[i]; name && *name) {
      if constexpr (requires { Field::kNames; })
        visit_named(field, visit);
      else if constexpr (std::is_enum_v<Field>)
        visit(name, int64_t(field));
      else
        visit(name, field);
    }
  };
  if constexpr (A::kNames[0] != nullptr)
    fields::with(a, [&](const auto&... all) {
      static_assert(sizeof...(all) == kMostFields || !A::kNames[sizeof...(all)], "more names than fields");
      [&]<size_t... I>(std::index_sequence<I...>) { (one(all, std::integral_constant<size_t, I>()), ...); }
      (std::index_sequence_for<decltype(all)...>());
    });
}

}  // namespace glassgrad
