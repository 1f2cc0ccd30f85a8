// The checks of scaled_dot_product_attention's arguments, for code that computes its steps one by one.
#pragma once
#include "../tensor.h"

namespace glassgrad {

// Throws PyTorch's errors for vectors and for dtypes that do not fit: query, key and value have the same
// dtype, a mask (which may be undefined) is bool, float32 or of their dtype.
void check_attention_types(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask);

}  // namespace glassgrad
