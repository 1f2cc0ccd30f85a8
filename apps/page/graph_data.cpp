#include "apps/page/graph_data.h"

#include <fmt/format.h>

#include <cmath>

#include "apps/ask/graph/drawing.h"
#include "apps/ask/graph/lesson_graph.h"
#include "apps/ask/graph/render.h"

namespace glassgrad::explorer {
namespace {

using graph::Box, graph::Graph, graph::Layout;

constexpr size_t kMostBoxes = 300;

double tenths(double x) { return std::round(x * 10) / 10; }

const char* name_of(Box::Kind kind) {
  switch (kind) {
    case Box::Kind::Leaf:
      return "leaf";
    case Box::Kind::Module:
      return "module";
    case Box::Kind::Node:
      break;
  }
  return "node";
}

Json drawing(const Graph& graph) {
  const Layout layout = graph::layout_of(graph);
  Json boxes = Json::array(), wires = Json::array();
  for (size_t i = 0; i < graph.boxes.size(); ++i) {
    const Box& box = graph.boxes[i];
    const graph::Size size = graph::size_of(box);
    boxes.push_back({{"kind", name_of(box.kind)},
                     {"lines", graph::lines_of(box)},
                     {"address", box.tensor},
                     {"x", tenths(layout.boxes[i].x - size.width / 2)},
                     {"y", tenths(layout.boxes[i].y)},
                     {"width", tenths(size.width)},
                     {"height", tenths(size.height)},
                     {"from", box.from}});
  }
  for (const graph::Wire& wire : layout.wires)
    wires.push_back({{"from", wire.from}, {"to", wire.to}, {"path", graph::path_of(wire)}});
  return {{"width", tenths(layout.width)},
          {"height", tenths(layout.height)},
          {"boxes", std::move(boxes)},
          {"wires", std::move(wires)}};
}

}  // namespace

Json graph_json(const learn::Recording& forward) {
  const auto tensor = graph::last_tensor(forward);
  if (!tensor) return {};
  graph::Names names = graph::names_of(forward);
  for (const learn::Entry& entry : forward.given.entries)
    names.leaves.emplace_back(*entry.value, fmt::format("{}:{}", forward.given.id, entry.name));
  const size_t node = *tensor->entry->value->node;
  const Graph collapsed = graph::graph_of(*forward.trace, node, names, false);
  const Graph expanded = graph::graph_of(*forward.trace, node, names, true);
  const bool differ = expanded.boxes.size() != collapsed.boxes.size();
  return {{"title", learn::to_text(*tensor)},
          {"nodes", collapsed.nodes},
          {"leaves", collapsed.leaves},
          {"collapsed", drawing(collapsed)},
          {"expanded", differ && expanded.boxes.size() <= kMostBoxes ? drawing(expanded) : Json()}};
}

}  // namespace glassgrad::explorer
