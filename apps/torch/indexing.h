// x[…], x[…] = y and torch.tensor, for the lists, slices and numbers of a host.
#pragma once
#include "host.h"

namespace glassgrad::GG_HOST {

// Apply the entries in the brackets one after the other, as PyTorch does. Throw IndexError, TypeError.
Tensor get_item(const Tensor& x, Object brackets);
void set_item(const Tensor& x, Object brackets, Object value);

// torch.tensor: a tensor from numbers, nested sequences, tensors or arrays. Without dtype, that of the
// values.
struct FromValuesOptions {
  std::optional<DType> dtype;
  bool indices = false;  // everything but a mask becomes int64
};
Tensor from_values(Object values, const FromValuesOptions& options = {});

}  // namespace glassgrad::GG_HOST
