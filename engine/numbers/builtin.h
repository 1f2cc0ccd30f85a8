// The C library's functions for the files that are compiled once per instruction set or device: builtins
// stand for <cmath>, whose inline functions all instruction sets would share; on a GPU, CUDA's functions.
#pragma once
#ifndef GG_ISA
#error \
    "engine/numbers/ belongs to the kernel files, which are compiled with -DGG_ISA=<name of the instruction set>"
#endif
#include "../core/types.h"

#ifdef __CUDACC__
#define GG_BUILTIN(name) ::name
#else
#define GG_BUILTIN(name) __builtin_##name
#endif

namespace glassgrad::GG_ISA {

#ifdef __wasm__
// WebAssembly has no fma, and its C library's takes a call and many branches. A product of floats is exact in
// double; so only the sum is rounded before the result is. To an odd last bit, which keeps that rounding from
// counting twice.
GG_INLINE float fma(float a, float b, float c) {
  const double product = double(a) * double(b), sum = product + double(c);
  const auto bits = __builtin_bit_cast(uint64_t, sum);
  if ((bits & 0x1fffffff) != 0x10000000 && __builtin_fabs(sum) >= 0x1p-126) return float(sum);
  const double of_c = sum - product, lost = (product - (sum - of_c)) + (double(c) - of_c);
  if (!(lost < 0 || lost > 0) || (bits & 1)) return float(sum);
  return float(__builtin_bit_cast(double, (lost > 0) == (sum > 0) ? bits + 1 : bits - 1));
}
#else
GG_INLINE float fma(float a, float b, float c) { return GG_BUILTIN(fmaf)(a, b, c); }
#endif
GG_INLINE double fma(double a, double b, double c) { return GG_BUILTIN(fma)(a, b, c); }

}  // namespace glassgrad::GG_ISA
