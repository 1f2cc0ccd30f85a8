// Where nan and infinity come from.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "engine/tensor.h"

namespace glassgrad::train {

// Does the work once more, watching every op, and says in a clause which value first was not finite: "nan
// from matmul, the gradient of linear in trf_blocks.0, ff, ..., shape [2, 3]". A parameter that is not finite
// before is named instead. −inf alone is what masks are made of and does not count, unless no other is found.
std::string first_non_finite(const std::vector<NamedTensor>& parameters, const std::function<void()>& work);

}  // namespace glassgrad::train
