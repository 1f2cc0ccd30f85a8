// Plain data that every kernel file (*.isa.cpp, *.cu) may include.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "half.h"

namespace glassgrad {

// Element types. Kernels compute in the first four; numbers of the others, the narrow types, are widened for
// a kernel, and rounded or truncated when the op's result is written.
enum class DType : uint8_t { Bool, Int64, Float32, Float64, UInt8, Int8, Int16, Int32, Float16, BFloat16 };
inline constexpr DType boolean = DType::Bool, int64 = DType::Int64, float32 = DType::Float32,
                       float64 = DType::Float64, uint8 = DType::UInt8, int8 = DType::Int8,
                       int16 = DType::Int16, int32 = DType::Int32, float16 = DType::Float16,
                       bfloat16 = DType::BFloat16;
inline constexpr DType kAllDTypes[] = {boolean, int64, float32, float64, uint8,
                                       int8,    int16, int32,   float16, bfloat16};

GG_INLINE constexpr bool is_narrow(DType t) { return t > float64; }
GG_INLINE constexpr bool is_floating(DType t) { return t >= float16 || t == float32 || t == float64; }
GG_INLINE constexpr bool is_integer(DType t) { return t != boolean && !is_floating(t); }
// The dtype that kernels compute in for tensors of this dtype: the same unless it is narrow.
GG_INLINE constexpr DType computed_in(DType t) {
  return !is_narrow(t) ? t : is_floating(t) ? float32 : int64;
}
// Bytes of one element: one hex digit per dtype, the first dtype's lowest.
GG_INLINE constexpr int64_t item_size(DType t) { return 0x2242118481 >> 4 * int(t) & 15; }

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
  // Product of the entries, 1 when there are none. Modulo 2^64: the product of unchecked sizes may be any
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
  if (!is_narrow(t)) return floats(t, f);
  t == float16 ? f(float16_t{}) : f(bfloat16_t{});
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

// Does the text of a formula name the variable v? A node saves exactly the tensors that its derivative names.
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
