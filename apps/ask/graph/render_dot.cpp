#include <fmt/core.h>

#include "apps/ask/graph/render.h"

namespace glassgrad::graph {
namespace {

std::string in_quotes(std::string_view text) {
  std::string marked;
  for (const char c : text) {
    if (c == '"' || c == '\\') marked += '\\';
    marked += c;
  }
  return fmt::format("\"{}\"", marked);
}

// \n is DOT's own mark for the end of a line.
std::string label_of(const Box& box) {
  std::string label;
  for (const std::string& line : lines_of(box)) {
    const std::string text = in_quotes(line);
    label += (label.empty() ? "" : "\\n") + text.substr(1, text.size() - 2);
  }
  return fmt::format("\"{}\"", label);
}

}  // namespace

void render_dot(const Graph& graph, Output& out) {
  out.write(fmt::format("digraph {} {{\n", in_quotes(graph.title)));
  out.write("  rankdir=TB;\n  node [shape=box, style=filled, fillcolor=white, fontname=monospace];\n");
  for (size_t i = 0; i < graph.boxes.size(); ++i) {
    const Box& box = graph.boxes[i];
    const char* look = box.kind == Box::Kind::Leaf     ? ", fillcolor=lightblue"
                       : box.kind == Box::Kind::Module ? ", fillcolor=lightyellow"
                                                       : "";
    out.write(fmt::format("  n{} [label={}{}];\n", i + 1, label_of(box), look));
    for (const size_t from : box.from) out.write(fmt::format("  n{} -> n{};\n", from + 1, i + 1));
  }
  out.write("}\n");
}

}  // namespace glassgrad::graph
