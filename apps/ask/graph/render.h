// Renders an autograd graph as a drawing in characters, as a list, and for Graphviz.
#pragma once
#include "apps/ask/graph/graph.h"
#include "apps/cli/output.h"

namespace glassgrad::graph {

// Draws boxes and lines in at most 80 columns, each box below the boxes that it reads. A graph with too many
// lines beside each other becomes a list.
void render_drawing(const Graph& graph, Output& out);
// Writes a line or two for each box, in at most 80 columns, each box after those that it reads.
void render_text(const Graph& graph, Output& out);
// Writes DOT, the language of Graphviz.
void render_dot(const Graph& graph, Output& out);
void render_svg(const Graph& graph, Output& out);

// Returns the lines of a box in a drawing: title, tensor, shape and range, contents of a module.
std::vector<std::string> lines_of(const Box& box);
// Returns the contents of a module: "4 nodes, W_query.weight".
std::string contents_of(const Box& box);
// Writes the title, and how many nodes there are.
void write_heading(const Graph& graph, Output& out);
std::string text_of(const std::optional<ValueRange>& range);  // "-0.0739 ... 0.0713"

}  // namespace glassgrad::graph
