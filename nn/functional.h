// Composed functions of layers that hold no parameters (torch.nn.functional). What is a single op, and
// `linear`, stands in engine/ops.h.
#pragma once
#include "engine/random.h"
#include "engine/tensor.h"

namespace glassgrad::nn::functional {

// x ⊙ mask/(1 − p), where each element of mask is 1 with probability 1 − p, else 0: what stays grows, so the
// expected value does not change. Any shape; floating dtypes. The same tensor comes back, and nothing is
// drawn, when not training, for p = 0 and for a tensor without elements; p = 1 gives x·0 without drawing.
// ValueError `dropout probability has to be between 0 and 1, but got 7.5`.
Tensor dropout(const Tensor& x, double p = 0.5, bool training = true, Generator& g = default_generator());

// p itself; throws what dropout throws.
double dropout_probability(double p);

}  // namespace glassgrad::nn::functional
