// Checks and converts tensors of indices before a kernel uses them.
#pragma once
#include "kernels.h"
#include "promote.h"

namespace glassgrad {

// Finds the first of the int64 indices that is not in [low, high), and counts those equal to `ignored`, if
// given. With indices on a GPU, the CPU waits for the result.
IndexCheckResult checked_indices(const Tensor& indices, int64_t low, int64_t high,
                                 std::optional<int64_t> ignored = {});
// Returns int32 indices converted to int64, which the kernels read; int64 indices as they are.
inline Tensor in_int64(const Tensor& indices) {
  return indices.dtype() == int64 ? indices : converted(indices, int64);
}
// Returns element number i in logical order.
int64_t index_at(const Tensor& indices, int64_t i);

// Throws E(message(index)) for the first index outside [0, size).
template <class E, class F>
void check_indices(const Tensor& indices, int64_t size, F message) {
  const int64_t outside = checked_indices(indices, 0, size).first_outside;
  if (outside >= 0) [[unlikely]]
    throw E(message(index_at(indices, outside)));
}

// The positions of the elements that are not 0, (count, dims); not recorded.
Tensor positions_of_nonzero(const Tensor& x);

}  // namespace glassgrad
