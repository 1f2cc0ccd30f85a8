// An autograd graph drawn with letters, as a list, for Graphviz, and as a picture.
#pragma once
#include "apps/ask/graph/graph.h"
#include "apps/cli/output.h"

namespace glassgrad::graph {

// Boxes and lines, in at most 80 columns, what reads below what it reads. A graph with too many lines beside
// each other becomes a list.
void render_drawing(const Graph& graph, Output& out);
// A box a line or two, in at most 80 columns, each after those it was made from.
void render_text(const Graph& graph, Output& out);
// DOT, the language of Graphviz.
void render_dot(const Graph& graph, Output& out);
void render_svg(const Graph& graph, Output& out);

// The lines of a box in a drawing: title, tensor, shape and range, what a module holds.
std::vector<std::string> lines_of(const Box& box);
// What a module is made of: "4 nodes, W_query.weight".
std::string contents_of(const Box& box);
// The title, and how many nodes there are.
void write_heading(const Graph& graph, Output& out);
std::string text_of(const std::optional<Range>& range);  // "-0.0739 ... 0.0713"

}  // namespace glassgrad::graph
