// The autograd graph of a lesson's recording.
#pragma once
#include "apps/ask/graph/graph.h"
#include "apps/lesson/address.h"

namespace glassgrad::graph {

// Returns the names that the steps give to tensors: "STEP:TENSOR".
Names names_of(const learn::Recording& recording);

// Returns the last tensor of the lesson that has a graph and whose call was recorded; none if nothing
// requires a gradient.
std::optional<learn::Address> last_tensor(const learn::Recording& recording);

}  // namespace glassgrad::graph
