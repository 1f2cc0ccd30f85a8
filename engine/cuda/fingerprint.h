// Whether two results have the same bits, without room for both. For .cu files only.
#pragma once
#include <cstdint>

namespace glassgrad::cuda {

// Of the bits of n floats and their places: equal for equal ones, and hardly ever for others. Waits for the
// GPU.
struct Fingerprint {
  uint64_t bits, not_zero;  // how many are not 0
  bool operator==(const Fingerprint&) const = default;
};
Fingerprint fingerprint_of(const float* x, int64_t n);

}  // namespace glassgrad::cuda
