// The order of a tensor's elements in memory, which new tensors inherit and random fills follow. Also makes
// operands contiguous.
#pragma once
#include <span>

#include "../autograd.h"
#include "dims.h"

namespace glassgrad {

// The dimensions from the innermost in memory (smallest stride) to the outermost.
Dims memory_order(const Dims& shape, const Dims& strides);
// The same for several operands of one shape: an operand only orders dimensions that those before it leave
// open.
Dims memory_order(const Dims& shape, std::span<const Dims> strides);
// Do the elements fill a stretch of memory without gaps or overlap?
bool is_dense(const Dims& shape, const Dims& strides);
// Returns the strides of a new dense tensor in the same memory order: the given strides if they are dense.
Dims dense_strides(const Dims& shape, const Dims& strides);
// Throws Error `unsupported operation: more than one element of the written-to tensor refers to a single
// memory location. …` for an expanded tensor that is about to be written.
void check_no_overlap(const Tensor& x);

// Calls f(offset) for the elements of a tensor in memory order; offsets count elements from its first one.
template <class F>
void each_in_memory_order(const Dims& shape, const Dims& strides, F f) {
  Nest(shape, {strides}, memory_order(shape, strides)).each(f);
}

// ---- contiguous operands and results, for kernels that need them
// Returns x if it is contiguous, else a contiguous copy, which no graph and no observer sees.
inline Tensor dense(const Tensor& x) {
  const NoRecording no_recording;
  return x.contiguous();
}

// An uninitialised result on x's device.
inline Tensor dense_result(const Dims& shape, const Tensor& x, DType dtype) {
  return empty_contiguous(shape, dtype, x.device());
}
inline Tensor dense_result(const Dims& shape, const Tensor& x) { return dense_result(shape, x, x.dtype()); }

}  // namespace glassgrad
