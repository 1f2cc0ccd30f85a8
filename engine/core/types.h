// Plain data that every kernel file (*.isa.cpp, *.cu) may include.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "half.h"

namespace glassgrad {

// Element types: the rows of dtypes.def. Kernels compute in bool, int64, float32 and float64; numbers of the
// others, the narrow types, are widened for a kernel, and rounded or truncated when the op's result is
// written.
enum class DType : uint8_t {
#define DTYPE(dtype, ...) dtype,
#include "dtypes.def"
};
using enum DType;
inline constexpr DType kAllDTypes[] = {
#define DTYPE(dtype, ...) dtype,
#include "dtypes.def"
};

// Facts of all dtypes, packed into one number each, so that kernels need no table: a bit per dtype, and for
// the size of an element 4 bits.
inline constexpr uint32_t kNarrowBits = 0
#define NARROW_INTEGER(dtype, ...) | uint32_t(1) << int(dtype)
#define NARROW_FLOAT(dtype, ...) | uint32_t(1) << int(dtype)
#include "dtypes.def"
    ;
inline constexpr uint32_t kFloatingBits = 0
#define DTYPE(dtype, T, name, scalar, cpp, range, npy, safetensors, low, high, mantissa, ...) \
  | uint32_t((mantissa) > 0) << int(dtype)
#include "dtypes.def"
    ;
inline constexpr uint64_t kItemSizes = 0
#define DTYPE(dtype, T, ...) | uint64_t(sizeof(T)) << 4 * int(dtype)
#include "dtypes.def"
    ;

GG_INLINE constexpr bool is_narrow(DType t) { return kNarrowBits >> int(t) & 1; }
GG_INLINE constexpr bool is_floating(DType t) { return kFloatingBits >> int(t) & 1; }
GG_INLINE constexpr bool is_integer(DType t) { return t != boolean && !is_floating(t); }
// The dtype that kernels compute in for tensors of this dtype: the same unless it is narrow.
GG_INLINE constexpr DType computed_in(DType t) {
  return !is_narrow(t) ? t : is_floating(t) ? float32 : int64;
}
// Bytes of one element.
GG_INLINE constexpr int64_t item_size(DType t) { return int64_t(kItemSizes >> 4 * int(t) & 15); }

inline constexpr int kMaxDims = 8;
[[noreturn]] void throw_too_many_dims(int64_t n);  // Error: glassgrad's tensors have at most 8 dimensions

// Up to 8 sizes, strides or dimension numbers. Trivially copyable: closures and kernels take it by value.
struct Dims {
  int64_t v[kMaxDims] = {};
  int n = 0;

  constexpr Dims() = default;
  constexpr Dims(int64_t one) : v{one}, n(1) {}
  constexpr Dims(std::initializer_list<int64_t> values) {
    for (int64_t x : values) push(x);
  }

  GG_INLINE constexpr int64_t operator[](int64_t i) const { return v[i]; }
  GG_INLINE constexpr int64_t& operator[](int64_t i) { return v[i]; }
  GG_INLINE constexpr const int64_t* begin() const { return v; }
  GG_INLINE constexpr const int64_t* end() const { return v + n; }
  constexpr void push(int64_t x) {
    if (n == kMaxDims) throw_too_many_dims(n + 1);
    v[n++] = x;
  }
  // Product of the entries, 1 if there are none. Computed modulo 2^64: for unchecked sizes it may be any
  // number.
  GG_INLINE constexpr int64_t numel() const {
    uint64_t p = 1;
    for (int i = 0; i < n; ++i) p *= static_cast<uint64_t>(v[i]);
    return static_cast<int64_t>(p);
  }
  GG_INLINE friend constexpr bool operator==(const Dims& a, const Dims& b) {
    bool same = a.n == b.n;
    for (int i = 0; same && i < a.n; ++i) same = a.v[i] == b.v[i];
    return same;
  }
};

// A tensor's data for a kernel: element (i, j, …) lies at data + (i·strides[0] + j·strides[1] + …) elements.
struct View {
  void* data;
  Dims shape, strides;
  DType dtype;

  template <class T>
  GG_INLINE T* as() const {
    return static_cast<T*>(data);
  }
};

// One number of any dtype.
struct Scalar {
  DType dtype = float32;
  double real = 0;    // the value, if the dtype is floating
  int64_t whole = 0;  // the value, if it is not
};

// Calls f with a zero of the dtype's element type: `floats(dtype, [&](auto zero) { using T = decltype(zero);
// … })`. For dtypes that kernels compute in; throws Error for a narrow one that was not widened.
[[noreturn]] void throw_no_kernel(DType t);
template <class F>
GG_HOST_INLINE void floats(DType t, F f) {
  if (is_narrow(t)) throw_no_kernel(t);
  t == float32 ? f(float{}) : f(double{});
}
template <class F>
GG_HOST_INLINE void all_types(DType t, F f) {
  switch (t) {
#define WIDE(dtype, T, ...) \
  case dtype:               \
    return f(T{});
#include "dtypes.def"
    default:
      throw_no_kernel(t);
  }
}
// The same for every dtype, for code that reads, writes or adds elements one by one.
template <class F>
GG_HOST_INLINE void every_float(DType t, F f) {
  switch (t) {
#define NARROW_FLOAT(dtype, T, ...) \
  case dtype:                       \
    return f(T{});
#define NARROW_INTEGER(...)
#define WIDE(...)
#include "dtypes.def"
    default:
      floats(t, f);
  }
}
template <class F>
GG_HOST_INLINE void every_type(DType t, F f) {
  switch (t) {
#define DTYPE(dtype, T, ...) \
  case dtype:                \
    return f(T{});
#include "dtypes.def"
  }
}
// Calls f with an unsigned integer of an element's size, for code that only moves elements.
template <class F>
GG_HOST_INLINE void by_size(DType t, F f) {
  switch (item_size(t)) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    default:
      return f(uint64_t{});
  }
}

// True if the text of a formula names the variable v. A node saves exactly the tensors that its derivatives
// name.
constexpr bool names(const char* text, char v) {
  auto part_of_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (const char* p = text; *p; ++p)
    if (*p == v && (p == text || !part_of_word(p[-1])) && !part_of_word(p[1])) return true;
  return false;
}
static_assert(names("g * b", 'b') && !names("g * abs(x)", 'b') && !names("g", 'a'));

// Returns a set of bits: bit i if the formula names the operand letters[i].
constexpr unsigned operands_named(const char* formula, const char* letters) {
  unsigned set = 0;
  for (unsigned i = 0; letters[i]; ++i) set |= unsigned(names(formula, letters[i])) << i;
  return set;
}

}  // namespace glassgrad
