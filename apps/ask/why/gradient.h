// The gradient of one number: the arithmetic by which the backward pass came to it, and what a
// central difference measures.
#pragma once
#include "apps/ask/why/explanation.h"
#include "apps/lesson/lesson.h"

namespace glassgrad::why {

// A cell of a recording with its backward passes, these as steps, and what runs it again.
struct GradientQuery {
  const learn::Runner& runner;
  const learn::Recording &forward, &backward;
  learn::Address address;
};

// The gradient's cell as explain() has a cell, under a heading; in the end what the loss does when the number
// is moved up and down a little, in float64. UsageError: no loss depends on the number. Error: there is no
// loss.
Explanation explain_gradient(const GradientQuery& asked, const ExplainOptions& how);
// As cell_json, of the gradient's cell among the backward steps, and "gradient_of": the number's address,
// "loss": its name, "difference": the slope that was measured, or null.
nlohmann::ordered_json gradient_json(const GradientQuery& asked, int64_t depth);

}  // namespace glassgrad::why
