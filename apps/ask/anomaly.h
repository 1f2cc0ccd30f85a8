// Where the first nan of a lesson is made.
#pragma once
#include "apps/cli/output.h"
#include "apps/lesson/recording.h"

namespace glassgrad::learn {

// Looks at every call of a recording of Keep::Backward, in order. Says that there is no nan; or an Error: the
// first call whose result has one, the step of the lesson, the cell, and whether it was going backward.
void tell_anomaly(const Recording& recording, Output& out);

}  // namespace glassgrad::learn
