// Plain data: all that a kernel file (*.isa.cpp, *.cu) reads of ours.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>

// Always inlined: a kernel file is compiled once per instruction set, and a shared out-of-line copy
// compiled for a newer processor must never serve an older one.
#ifdef __CUDACC__
#define GG_INLINE __host__ __device__ __forceinline__
#define GG_HOST_INLINE inline  // what it calls may be the host's alone
#else
#define GG_INLINE inline __attribute__((always_inline))
#define GG_HOST_INLINE GG_INLINE
#endif

namespace glassgrad {

// Element types, in the order of promotion (bool < int < float; within a category the wider wins).
enum class DType : uint8_t { Bool, Int64, Float32, Float64 };
inline constexpr DType boolean = DType::Bool, int64 = DType::Int64, float32 = DType::Float32,
                       float64 = DType::Float64;

// Bytes of one element.
GG_INLINE constexpr int64_t item_size(DType t) { return t == boolean ? 1 : t == float32 ? 4 : 8; }
GG_INLINE constexpr bool is_floating(DType t) { return t >= float32; }

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
  // Product of the entries; 1 when there are none. Modulo 2^64: of sizes that are not checked yet it is any
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

// What a kernel sees of a tensor: element (i, j, …) lies at data + (i·strides[0] + j·strides[1] + …)
// elements.
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
  double real = 0;    // the number, if the dtype is floating …
  int64_t whole = 0;  // … or if it is not
};

// The value of a dtype's element type, for `floats(dtype, [&](auto zero) { using T = decltype(zero); … })`.
template <class F>
GG_HOST_INLINE void floats(DType t, F f) {
  t == float32 ? f(float{}) : f(double{});
}
template <class F>
GG_HOST_INLINE void all_types(DType t, F f) {
  switch (t) {
    case DType::Bool:
      return f(bool{});
    case DType::Int64:
      return f(int64_t{});
    case DType::Float32:
      return f(float{});
    case DType::Float64:
      return f(double{});
  }
}

// Does the text of a formula name the variable v? A node saves exactly what its derivative names.
constexpr bool names(const char* text, char v) {
  auto part_of_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (const char* p = text; *p; ++p)
    if (*p == v && (p == text || !part_of_word(p[-1])) && !part_of_word(p[1])) return true;
  return false;
}
static_assert(names("g * b", 'b') && !names("g * abs(x)", 'b') && !names("g", 'a'));

}  // namespace glassgrad
