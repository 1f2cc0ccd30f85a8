// Encodings of a token's position that are computed instead of learned. Pair k of d numbers turns by the
// angle 10000^(−2k/d) per position. Angles are float64, so they stay accurate at high positions.
#pragma once
#include "engine/tensor.h"

namespace glassgrad::nn {

inline constexpr double kPositionBase = 10000;

// The rows of positions first … first + n − 1, sine and cosine of pair k side by side: (n, d), d even.
Tensor sinusoids(int64_t first, int64_t n, int64_t d, DType dtype);

// Cosines and sines for n positions from `first` on, repeated for both halves of a row: (n, d) each, d even.
struct RopeTables {
  Tensor cos, sin;
};
RopeTables rope_tables(int64_t first, int64_t n, int64_t d, DType dtype);

// Rotary positions in Llama's order, where number k of a row is paired with number k + d/2:
// x·cos + (−x[d/2:], x[:d/2])·sin, for x (…, n, d) → the same.
Tensor apply_rope(const Tensor& x, const RopeTables& tables);

}  // namespace glassgrad::nn
