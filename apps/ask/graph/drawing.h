// A graph's boxes and wires with their sizes and places, as an SVG has them.
#pragma once
#include <string>
#include <string_view>

#include "apps/ask/graph/graph.h"
#include "apps/ask/graph/layout.h"

namespace glassgrad::graph {

constexpr double kFont = 12, kLine = 16;  // the size of the letters, and of their lines

double width_of(std::string_view text);
Size size_of(const Box& box);
Layout layout_of(const Graph& graph);
// The "d" of a <path>.
std::string path_of(const Wire& wire);

}  // namespace glassgrad::graph
