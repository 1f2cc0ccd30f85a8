// PyTorch's text of a tensor in a lesson's sentences and lines.
#pragma once
#include <string>

#include "engine/tensor.h"

namespace glassgrad::learn {

// As repr has it (engine/print.h), but for where the tensor lies: a lesson says the same on every device.
std::string printed(const Tensor& x);

}  // namespace glassgrad::learn
