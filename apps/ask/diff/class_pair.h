// Two classes side by side, with the same weights.
#pragma once
#include "apps/ask/diff/side.h"

namespace glassgrad::diff {

// Each is the name of a class (apps/ask/classes.h). They read one sentence, and the right one gets the
// weights of the left one by what they mean; what only one of them has is made to do nothing, where that can
// be: a bias is 0, output weights are the unit matrix. UsageError: no such class; one reads vectors, one
// token numbers.
Sides run_classes(const std::string& left, const std::string& right);

}  // namespace glassgrad::diff
