// float64 in place of float32, for checks of gradients: float32 is too coarse for finite differences.
#pragma once
#include "for_scope.h"
#include "types.h"

namespace glassgrad {

extern thread_local constinit bool defaults_to_float64;

// Until the end of the scope, a new tensor that would be float32 is float64. Random numbers are those that
// float32 draws, widened, so that a program computes at the same point as outside the scope.
struct DefaultFloat64 : ForScope<bool> {
  DefaultFloat64() : ForScope(defaults_to_float64, true) {}
};

// Returns the dtype that a tensor gets when `dtype` is requested.
inline DType scope_dtype(DType dtype) { return dtype == float32 && defaults_to_float64 ? float64 : dtype; }

}  // namespace glassgrad
