// The two 16-bit floats. They store numbers only: a number is read as float, and rounded to nearest even when
// it is written. Every NaN becomes the same NaN; a number that is too large becomes infinity.
#pragma once
#include <cstdint>

#ifdef __CUDACC__
#define GG_INLINE __host__ __device__ __forceinline__
#define GG_NOINLINE inline __host__ __device__ __noinline__  // large functions, in unnamed namespaces
#define GG_HOST_INLINE inline                                // may call functions of the host alone
#else
// Always inlined: a kernel file is compiled once per instruction set, and a shared out-of-line copy compiled
// for a newer processor must never serve an older one.
#define GG_INLINE inline __attribute__((always_inline))
#define GG_NOINLINE inline __attribute__((noinline))
#define GG_HOST_INLINE GG_INLINE
#endif

namespace glassgrad {

// 1 sign, 8 exponent and 7 mantissa bits: the upper half of a float.
struct Bfloat16Bits {
  GG_INLINE static constexpr uint16_t of(float x) {
    const uint32_t f = __builtin_bit_cast(uint32_t, x), rounded = (f + 0x7fff + (f >> 16 & 1)) >> 16;
    return uint16_t(x == x ? rounded : 0x7fc0u);
  }
  GG_INLINE static constexpr float number(uint16_t bits) {
    return __builtin_bit_cast(float, uint32_t{bits} << 16);
  }
};

// 1 sign, 5 exponent and 10 mantissa bits.
struct Float16Bits {
  GG_INLINE static constexpr uint16_t of(float x) {
    const uint32_t f = __builtin_bit_cast(uint32_t, x), size = f & 0x7fffffff;
    // From 2⁻¹⁴ on: the exponent's bias is 15 instead of 127, and 13 mantissa bits are dropped.
    const uint32_t normal = (size - (112u << 23) + 0xfff + (size >> 13 & 1)) >> 13;
    // Below 2⁻¹⁴: multiples of 2⁻²⁴. Adding 0.5 rounds to them.
    const float sum = __builtin_bit_cast(float, size < 0x38800000 ? size : 0) + 0.5f;
    const uint32_t small = __builtin_bit_cast(uint32_t, sum) - 0x3f000000;
    const uint32_t finite = size < 0x38800000 ? small : normal;
    return uint16_t((f >> 16 & 0x8000) | (x != x ? 0x7e00u : size >= 0x477ff000 ? 0x7c00u : finite));
  }
  GG_INLINE static constexpr float number(uint16_t bits) {
    const uint32_t sign = uint32_t{bits} >> 15 << 31, size = uint32_t{bits & 0x7fffu} << 13;
    const uint32_t small = __builtin_bit_cast(uint32_t, float(bits & 0x3ff) * 0x1p-24f);
    const uint32_t exponent = bits & 0x7c00;
    return __builtin_bit_cast(float, sign | (exponent == 0        ? small
                                             : exponent == 0x7c00 ? size + (224u << 23)
                                                                  : size + (112u << 23)));
  }
};

template <class Format>
struct Float16Of {
  uint16_t bits;

  Float16Of() = default;
  template <class N>
  GG_INLINE explicit constexpr Float16Of(N x) : bits(Format::of(float(x))) {}
  GG_INLINE constexpr operator float() const { return Format::number(bits); }
  GG_INLINE constexpr Float16Of& operator+=(float x) { return *this = Float16Of(float(*this) + x); }
};
using float16_t = Float16Of<Float16Bits>;
using bfloat16_t = Float16Of<Bfloat16Bits>;
static_assert(sizeof(float16_t) == 2 && float(float16_t(0.1f)) == 0.0999755859375f &&
              float(bfloat16_t(0.1f)) == 0.10009765625f);

}  // namespace glassgrad
