// Finds the call that makes the first nan of a lesson.
#pragma once
#include "apps/cli/output.h"
#include "apps/lesson/recording.h"

namespace glassgrad::learn {

// Searches the tensors that the run was given, then the results of every call, in order. The recording must
// be made with Keep::Backward. If there is no nan, writes so. Otherwise throws Error, which names the first
// call whose result has a nan, its step, the cell, and whether the call is part of a backward pass.
void tell_anomaly(const Recording& recording, Output& out);

}  // namespace glassgrad::learn
