// The table of the pointwise ops, compiled for numbers: the loops of every device are made from it.
#pragma once
#include <type_traits>
#include <utility>

#include "numbers.h"
#include "tables.h"

namespace glassgrad::GG_ISA {
namespace {

// ---- the types that a loop computes with, reads and writes
template <class T>
using ValueOf = std::conditional_t<std::is_floating_point_v<T>, T, WrappingInt<T>>;
GG_INLINE float stored(float x) { return x; }
GG_INLINE double stored(double x) { return x; }
GG_INLINE bool stored(bool x) { return x; }
template <class S>
GG_INLINE S stored(WrappingInt<S> x) {
  return x.v;
}

template <size_t... I>
using Indices = std::index_sequence<I...>;

GG_INLINE constexpr bool has(unsigned set, size_t i) { return (set >> i & 1) != 0; }

// ---- the dtypes of a kind
template <class... T>
struct Types {};
using Floats = Types<float, double>;
struct arithmetic {
  using types = Types<bool, int64_t, float, double>;
};
struct compare : arithmetic {};
struct numeric {
  using types = Types<int64_t, float, double>;
};
struct floating {
  using types = Floats;
};
struct real : floating {};
struct integral {
  using types = Types<bool, int64_t>;
};

template <class T>
GG_INLINE constexpr DType dtype_of() {
  return sizeof(T) == 1 ? boolean : sizeof(T) == 4 ? float32 : T(0.5) == T(0) ? int64 : float64;
}
template <class Kind, class T>
using ResultOf = std::conditional_t<std::is_same_v<Kind, compare>, bool, T>;

template <class To, class From>
GG_INLINE To converted(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_same_v<To, int64_t> && std::is_floating_point_v<From>) {
    constexpr From kLimit = From(9223372036854775808.0);
    // INT64_MIN is the processor's result out of range.
    return x >= -kLimit && x < kLimit ? To(x) : INT64_MIN;
  } else {
    return To(x);
  }
}

// ---- the table, compiled for numbers
// A formula F has of(operands…) with kOperands operands, and two sets: kUsed (operands that the formula
// names) and kNumbers (operands that are one number for the whole loop).
#define GG_FORMULA(formula, n, used_, numbers, text, ...)        \
  struct formula {                                               \
    static constexpr int kOperands = n;                          \
    static constexpr unsigned kUsed = used_, kNumbers = numbers; \
    template <class V>                                           \
    GG_INLINE static auto of(__VA_ARGS__) {                      \
      return text;                                               \
    }                                                            \
  };
#define GG_ANY [[maybe_unused]] V
#define UNARY(name, kind, node, value_, dx_)                                             \
  namespace name##_row {                                                                 \
    GG_FORMULA(value, 1, 1, 0, value_, V x)                                              \
    GG_FORMULA(dx, 3, operands_named(#dx_, "gxy"), 0, dx_, GG_ANY g, GG_ANY x, GG_ANY y) \
  }
#define BINARY(name, kind, node, value_, da_, db_)                                                  \
  namespace name##_row {                                                                            \
    GG_FORMULA(value, 2, 3, 0, value_, V a, V b)                                                    \
    GG_FORMULA(da, 4, operands_named(#da_, "gaby"), 0, da_, GG_ANY g, GG_ANY a, GG_ANY b, GG_ANY y) \
    GG_FORMULA(db, 4, operands_named(#db_, "gaby"), 0, db_, GG_ANY g, GG_ANY a, GG_ANY b, GG_ANY y) \
  }
#define UNARY_PLAIN(name, kind, value_)     \
  namespace name##_row {                    \
    GG_FORMULA(value, 1, 1, 0, value_, V x) \
  }
#define BINARY_PLAIN(name, kind, value_)         \
  namespace name##_row {                         \
    GG_FORMULA(value, 2, 3, 0, value_, V a, V b) \
  }
#define UNARY_NUMBERS(name, kind, node, p, q, value_, dx_)                                               \
  namespace name##_row {                                                                                 \
    GG_FORMULA(value, 3, 7, 6, value_, V x, GG_ANY p, GG_ANY q)                                          \
    GG_FORMULA(dx, 5, operands_named(#dx_, "gxy") | 24, 24, dx_, GG_ANY g, GG_ANY x, GG_ANY y, GG_ANY p, \
               GG_ANY q)                                                                                 \
  }
#include "pointwise.def"

// ---- the table of loops. L makes them: formula<F, R, T>() returns the loop R y = F(T x, …), select<T>()
// the loop condition ? a : b, convert<From, To>() the loop To y = x.
template <class L, class F, class Kind, class K, class... T>
void fill_value(K (&table)[kDTypes], Types<T...>) {
  ((table[int(dtype_of<T>())] = L::template formula<F, ResultOf<Kind, T>, T>()), ...);
}
template <class L, class F, class K, class... T>
void fill_gradient(K (&table)[kDTypes], Types<T...>) {
  ((table[int(dtype_of<T>())] = L::template formula<F, T, T>()), ...);
}
template <class L, class From, class K, class... To>
void fill_convert(K (&table)[kDTypes], Types<To...>) {
  ((table[int(dtype_of<To>())] = L::template convert<From, To>()), ...);
}
template <class L, class K, class... T>
void fill_moves(PointwiseTable<K>& p, Types<T...> all) {
  ((p.select[int(dtype_of<T>())] = L::template select<T>()), ...);
  (fill_convert<L, T>(p.convert[int(dtype_of<T>())], all), ...);
}

template <class L, class K>
PointwiseTable<K> filled_table() {
  PointwiseTable<K> p;
  fill_moves<L>(p, arithmetic::types());
#define GG_ROW(name) p.rows[int(PointwiseId::name)]
#define GG_VALUE(name, kind) fill_value<L, name##_row::value, kind>(GG_ROW(name).value, kind::types());
#define UNARY_PLAIN(name, kind, ...) GG_VALUE(name, kind)
#define BINARY_PLAIN(name, kind, ...) GG_VALUE(name, kind)
#define UNARY(name, kind, ...) \
  GG_VALUE(name, kind)         \
  fill_gradient<L, name##_row::dx>(GG_ROW(name).derivative[0], Floats());
#define UNARY_NUMBERS UNARY
#define BINARY(name, kind, ...)                                           \
  GG_VALUE(name, kind)                                                    \
  fill_gradient<L, name##_row::da>(GG_ROW(name).derivative[0], Floats()); \
  fill_gradient<L, name##_row::db>(GG_ROW(name).derivative[1], Floats());
#include "pointwise.def"
  return p;
}

}  // namespace
}  // namespace glassgrad::GG_ISA
