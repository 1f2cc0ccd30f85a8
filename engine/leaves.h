// What a backward pass ends at.
#pragma once
#include <vector>

#include "tensor.h"

namespace glassgrad {

// The leaves whose .grad y.backward() adds to, in the order in which a walk from y meets them.
std::vector<Tensor> leaves_of(const Tensor& y);

}  // namespace glassgrad
