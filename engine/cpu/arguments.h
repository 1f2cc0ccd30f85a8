// What kernels read beside views and numbers: the CPU's and those of GPUs alike.
#pragma once
#include "../types.h"

namespace glassgrad {

// What attention reads: q (…, T, E), k (…, S, E), v (…, S, D), mask (…, T, S), bool or of their dtype, or
// without data; one batch, any strides.
struct AttentionInputs {
  View q, k, v, mask;
  double scale;
  bool causal;        // key j is seen from query j on
  bool bf16 = false;  // a GPU may round what it multiplies to bf16; the CPU does not
};

}  // namespace glassgrad
