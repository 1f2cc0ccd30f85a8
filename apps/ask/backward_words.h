// The meaning of gradients, in words.
#pragma once
#include <string>
#include <string_view>

#include "engine/glass/recorder.h"

namespace glassgrad::learn {

// Describes the cell that moves the loss most, given a tensor's name and its gradient: "Raising W_query[0,1]
// by a little raises the loss by 0.0300 times as much; none of its other numbers moves it more." `origin`:
// the tensor that it was rearranged from, if it has no name itself. `part`: the gradient is only the part
// from one of several readers. Returns an empty text for a gradient that is not finite, or has no cells.
std::string meaning_of(std::string_view name, std::string_view origin, const Snapshot& gradient, bool part);

// Describes how an op passes its gradient back, given the name of its node, "SoftmaxBackward0". Returns an
// empty text if only the formula can be shown.
std::string_view rule_of(std::string_view node);

}  // namespace glassgrad::learn
