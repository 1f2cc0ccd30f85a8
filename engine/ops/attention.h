// What scaled_dot_product_attention asks of its arguments, for whoever computes its steps.
#pragma once
#include "../tensor.h"

namespace glassgrad {

// Throws PyTorch's errors for vectors and for dtypes that do not fit: query, key and value have one, a mask
// (which may be undefined) is bool, float32 or of theirs.
void check_attention_types(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask);

}  // namespace glassgrad
