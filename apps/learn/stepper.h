// Stepping through a lesson on a terminal, a line at a time.
#pragma once
#include "apps/learn/render.h"

namespace glassgrad::learn {

// Shows a step, asks what to do, and goes on until the last step, `q` or the end of the input.
void step_through(const Recording& recording, Steps steps, Output& out);

}  // namespace glassgrad::learn
