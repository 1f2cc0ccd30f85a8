// Contiguous operands and results for kernels that want them so.
#pragma once
#include "../autograd.h"

namespace glassgrad {

// x laid out contiguously: no part of the graph, seen by no observer.
inline Tensor dense(const Tensor& x) {
  const NoGrad no_graph;
  const Watch nobody(nullptr);
  return x.contiguous();
}

// An uninitialised result on x's device.
inline Tensor dense_result(const Dims& shape, const Tensor& x, DType dtype) {
  return empty_contiguous(shape, dtype, x.device());
}
inline Tensor dense_result(const Dims& shape, const Tensor& x) { return dense_result(shape, x, x.dtype()); }

}  // namespace glassgrad
