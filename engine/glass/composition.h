// Explains a fused op by the ops that compute the same.
#pragma once
#include <functional>
#include <span>

#include "why.h"

namespace glassgrad {

// The arithmetic of this cell as an element of f(inputs of the cell's call), through all ops that f calls,
// forward and backward, down to cells of the inputs.
Expr why_in_ops(const Cell& cell, const std::function<Tensor(std::span<const Tensor>)>& f);

}  // namespace glassgrad
