// Finds where nan and infinity come from.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "engine/tensor.h"

namespace glassgrad::train {

// Repeats the work with every op watched. Returns a clause that names the first value that is not finite:
// "nan from matmul, the gradient of linear in trf_blocks.0, ff, ..., shape [2, 3]", or a parameter that was
// not finite before. −inf comes from masks and is reported only if nothing else is found.
std::string first_non_finite(const std::vector<NamedTensor>& parameters, const std::function<void()>& work);

}  // namespace glassgrad::train
