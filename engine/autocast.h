// torch.autocast of the CPU: products of matrices and attention in a half, from float32 tensors.
#pragma once
#include <initializer_list>

#include "core/for_scope.h"
#include "ops.h"

namespace glassgrad {

// The half in which those ops read their floats that are not float64; float32: as they are.
extern thread_local constinit DType autocast_dtype;

struct Autocast : ForScope<DType> {
  explicit Autocast(DType dtype) : ForScope(autocast_dtype, dtype) {}
};

inline bool is_autocast(const Tensor& x, DType dtype) {
  return x && x.device() == kCpu && is_floating(x.dtype()) && x.dtype() != float64 && x.dtype() != dtype;
}
// Is an op to be called again with what lowered() makes of its inputs?
inline bool lowers(std::initializer_list<const Tensor*> inputs) {
  if (autocast_dtype == float32) [[likely]]
    return false;
  for (const Tensor* x : inputs)
    if (is_autocast(*x, autocast_dtype)) return true;
  return false;
}
inline Tensor lowered(const Tensor& x) { return is_autocast(x, autocast_dtype) ? to(x, autocast_dtype) : x; }

}  // namespace glassgrad
