// An autograd graph as text, for Graphviz, and as a picture.
#pragma once
#include "apps/ask/graph/graph.h"
#include "apps/cli/output.h"

namespace glassgrad::graph {

// A box a line or two, in at most 80 columns, each after those it was made from.
void render_text(const Graph& graph, Output& out);
// DOT, the language of Graphviz.
void render_dot(const Graph& graph, Output& out);
void render_svg(const Graph& graph, Output& out);

// The lines of a box in a drawing: title, tensor, shape and range, what a module holds.
std::vector<std::string> lines_of(const Box& box);
std::string text_of(const std::optional<Range>& range);  // "-0.0739 ... 0.0713"

}  // namespace glassgrad::graph
