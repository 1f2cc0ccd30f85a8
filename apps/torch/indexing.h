// x[…] and x[…] = y, and torch.tensor: what a host's lists, slices and numbers mean to a tensor.
#pragma once
#include "host.h"

namespace glassgrad::GG_HOST {

// What stands in the brackets is taken one after the other, as PyTorch takes it. IndexError, TypeError
Tensor get_item(const Tensor& x, Object brackets);
void set_item(const Tensor& x, Object brackets, Object value);

// A tensor of values: numbers, sequences nested to any depth, tensors, arrays. Without dtype it is that of
// the values. torch.tensor
struct ValuesOptions {
  std::optional<DType> dtype;
  bool indices = false;  // what is no mask is int64
};
Tensor from_values(Object values, const ValuesOptions& options = {});

}  // namespace glassgrad::GG_HOST
