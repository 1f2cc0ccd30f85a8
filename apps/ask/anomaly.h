// Finds where the first nan of a lesson is made.
#pragma once
#include "apps/cli/output.h"
#include "apps/lesson/recording.h"

namespace glassgrad::learn {

// Searches what the run was given, then every call of a recording made with Keep::Backward, in order. Writes
// that there is no nan, or throws Error, which names the first call whose result has one, its step, the cell,
// and whether the call ran backward.
void tell_anomaly(const Recording& recording, Output& out);

}  // namespace glassgrad::learn
