// A graph's boxes and wires with their sizes and places, for an SVG.
#pragma once
#include <string>
#include <string_view>

#include "apps/ask/graph/graph.h"
#include "apps/ask/graph/layout.h"

namespace glassgrad::graph {

constexpr double kFont = 12, kLine = 16;  // the font size, and the height of a line

double width_of(std::string_view text);
Size size_of(const Box& box);
Layout layout_of(const Graph& graph);
// Returns the "d" of a <path>.
std::string path_of(const Wire& wire);

}  // namespace glassgrad::graph
