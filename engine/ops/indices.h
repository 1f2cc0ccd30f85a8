// Tensors of indices, before a kernel follows them.
#pragma once
#include "kernels.h"
#include "promote.h"

namespace glassgrad {

// Which of the indices, int64, is not in [low, high), and how many are `ignored`, if any are to be. The CPU
// waits for a GPU to say so.
IndexCheck checked_indices(const Tensor& indices, int64_t low, int64_t high,
                           std::optional<int64_t> ignored = {});
// Indices of int32 as int64, which kernels follow; itself if it has that dtype.
inline Tensor in_int64(const Tensor& indices) {
  return indices.dtype() == int64 ? indices : converted(indices, int64);
}
// Element number i in logical order.
int64_t index_at(const Tensor& indices, int64_t i);

// E with the text that message(index) gives of the first index outside [0, size).
template <class E, class F>
void check_indices(const Tensor& indices, int64_t size, F message) {
  const int64_t outside = checked_indices(indices, 0, size).first_outside;
  if (outside >= 0) [[unlikely]]
    throw E(message(index_at(indices, outside)));
}

// The indices of the elements that are not 0, (count, dims): not recorded.
Tensor positions_of_nonzero(const Tensor& x);

}  // namespace glassgrad
