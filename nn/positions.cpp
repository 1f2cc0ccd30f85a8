#include "nn/positions.h"

#include "engine/ops.h"

namespace glassgrad::nn {
namespace {

// (n, d/2), float64.
Tensor angles(int64_t first, int64_t n, int64_t d) {
  const Tensor positions = arange(double(first), double(first + n), 1, float64);
  const Tensor speeds = pow(kPositionBase, arange(0, double(d), 2, float64) / double(-d));
  return positions.unsqueeze(1) * speeds;
}

}  // namespace

Tensor sinusoids(int64_t first, int64_t n, int64_t d, DType dtype) {
  const Tensor angle = angles(first, n, d);  // (n, d/2)
  return to(stack({sin(angle), cos(angle)}, -1).flatten(1), dtype);
}

RopeTables rope_tables(int64_t first, int64_t n, int64_t d, DType dtype) {
  const Tensor angle = angles(first, n, d);      // (n, d/2)
  const Tensor twice = cat({angle, angle}, -1);  // (n, d)
  return {to(cos(twice), dtype), to(sin(twice), dtype)};
}

Tensor apply_rope(const Tensor& x, const RopeTables& tables) {
  const int64_t half = x.size(-1) / 2;
  const Tensor other = cat({-x.narrow(-1, half, half), x.narrow(-1, 0, half)}, -1);
  return x * tables.cos + other * tables.sin;
}

}  // namespace glassgrad::nn
