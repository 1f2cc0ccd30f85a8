// What gradients mean, in words.
#pragma once
#include <string>
#include <string_view>

#include "engine/glass/recorder.h"

namespace glassgrad::learn {

// Of a tensor and its gradient, the cell that moves the loss most: "Raising W_query[0,1] by a little raises
// the loss by 0.0300 times as much; none of its other numbers moves it more." `origin`: what it was arranged
// from, if it has no name itself. `part`: the gradient is only what one of several readers has sent. Empty: a
// gradient that is not finite, or has no cells.
std::string meaning_of(std::string_view name, std::string_view origin, const Snapshot& gradient, bool part);

// How an op hands its gradient back, by the name of its node, "SoftmaxBackward0"; empty: the formula has to
// do.
std::string_view rule_of(std::string_view node);

}  // namespace glassgrad::learn
