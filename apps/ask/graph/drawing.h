// The sizes of boxes and the paths of wires, for an SVG.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "apps/ask/graph/layout.h"

namespace glassgrad::graph {

constexpr double kFont = 12, kLine = 16;  // the font size, and the height of a line

double width_of(std::string_view text);
Size size_of(const std::vector<std::string>& lines);  // of the box around them
// Returns the "d" of a <path>.
std::string path_of(const Wire& wire);

}  // namespace glassgrad::graph
