// The gradient of one number: the arithmetic of the backward pass, and the slope that a central difference
// measures.
#pragma once
#include "apps/ask/why/explanation.h"
#include "apps/lesson/lesson.h"

namespace glassgrad::why {

// A cell of a recording with its backward passes, these passes as steps, and the runner that runs the lesson
// again.
struct GradientQuery {
  const learn::Runner& runner;
  const learn::Recording &forward, &backward;
  learn::Address address;
};

// Explains the gradient's cell like explain(), under a heading. At the end, says how the loss changes when
// the number is moved up and down a little, in float64. Throws UsageError if no loss depends on the number;
// Error if there is no loss.
Explanation explain_gradient(const GradientQuery& asked, const ExplainOptions& how);
// Returns the cell_json of the gradient's cell among the backward steps, with "gradient_of": the number's
// address, "loss": its name, "difference": the slope that was measured, or null.
nlohmann::ordered_json gradient_json(const GradientQuery& asked, int64_t depth);

}  // namespace glassgrad::why
