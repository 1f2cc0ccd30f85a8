// Errors with PyTorch's texts and exception types. Mistakes of the caller throw; mistakes of the engine
// assert.
#pragma once
#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "types.h"

namespace glassgrad {

// The base of all errors that glassgrad throws. kind() is the name of Python's exception for it.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
  virtual const char* kind() const noexcept { return "RuntimeError"; }
};
#define GG_ERROR_KIND(name)                                      \
  struct name : Error {                                          \
    using Error::Error;                                          \
    const char* kind() const noexcept override { return #name; } \
  };
GG_ERROR_KIND(IndexError)
GG_ERROR_KIND(ValueError)
GG_ERROR_KIND(TypeError)
GG_ERROR_KIND(AssertionError)
GG_ERROR_KIND(NotImplementedError)
#undef GG_ERROR_KIND

// check(ok, "text with {}", value): throws E with the formatted text unless ok. The arguments are evaluated
// even if ok: keep them cheap.
template <class E = Error, class... A>
void check(bool ok, fmt::format_string<A...> text, A&&... args) {
  if (!ok) [[unlikely]]
    throw E(fmt::format(text, std::forward<A>(args)...));
}
template <class E = Error, class... A>
[[noreturn]] void fail(fmt::format_string<A...> text, A&&... args) {
  throw E(fmt::format(text, std::forward<A>(args)...));
}

// "[2, 3]", as PyTorch's C++ side prints sizes.
std::string to_string(const Dims& dims);
// "Float", "Double", "Long", "Bool": the scalar type names of PyTorch's error texts.
const char* scalar_type_name(DType t);
// "float", "double", "long int", "bool": the C++ type names of PyTorch's other error texts.
const char* cpp_type_name(DType t);
// "torch.float32" and so on: str(dtype).
const char* dtype_name(DType t);

}  // namespace glassgrad

template <>
struct fmt::formatter<glassgrad::Dims> {
  constexpr auto parse(format_parse_context& ctx) { return ctx.begin(); }
  template <class C>
  auto format(const glassgrad::Dims& d, C& ctx) const {
    return fmt::format_to(ctx.out(), "{}", glassgrad::to_string(d));
  }
};
