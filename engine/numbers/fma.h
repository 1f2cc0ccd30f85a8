// a·b + c, rounded once, with operations that every processor has: for WebAssembly, which has no fma.
#pragma once
#include "../core/types.h"

namespace glassgrad {

// The product of two floats is exact in double, so only the sum is rounded before the result is. If that
// could change the result, the last bit of an inexact sum is made odd, so that it rounds to float as the
// exact sum would.
GG_INLINE float fma_in_double(float a, float b, float c) {
  const double product = double(a) * double(b), sum = product + double(c);
  const auto bits = __builtin_bit_cast(uint64_t, sum);
  if ((bits & 0x1fffffff) != 0x10000000 && __builtin_fabs(sum) >= 0x1p-126) return float(sum);
  const double of_c = sum - product, lost = (product - (sum - of_c)) + (double(c) - of_c);
  if (!(lost < 0 || lost > 0) || (bits & 1)) return float(sum);
  return float(__builtin_bit_cast(double, (lost > 0) == (sum > 0) ? bits + 1 : bits - 1));
}

}  // namespace glassgrad
