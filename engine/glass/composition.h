// What an op computes at once, opened as what it is in ops.
#pragma once
#include <functional>
#include <span>

#include "why.h"

namespace glassgrad {

// The arithmetic of the cell at this place of f(inputs of the cell's call), through all ops that f calls,
// forward and backward, down to cells of the inputs.
Expr why_in_ops(const Cell& cell, const std::function<Tensor(std::span<const Tensor>)>& f);

}  // namespace glassgrad
