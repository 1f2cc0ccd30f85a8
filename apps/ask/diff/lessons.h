// Two lessons, or one with other settings, side by side.
#pragma once
#include "apps/ask/diff/side.h"

namespace glassgrad::diff {

// Each is a lesson, with flags after it: "journey --seed 2". The right one gets the inputs of the left one,
// unless it is the same lesson or has a file of its own. UsageError: no such lesson or flag; inputs that the
// right one cannot read.
Sides run_lessons(const std::string& left, const std::string& right);

}  // namespace glassgrad::diff
