// The graph that a lesson's recording leaves.
#pragma once
#include "apps/ask/graph/graph.h"
#include "apps/lesson/address.h"

namespace glassgrad::graph {

// What the steps call the tensors: "STEP:TENSOR".
Names names_of(const learn::Recording& recording);

// The last tensor that the lesson shows of those that have a graph and were seen being computed. none:
// nothing requires a gradient.
std::optional<learn::Address> last_tensor(const learn::Recording& recording);

}  // namespace glassgrad::graph
