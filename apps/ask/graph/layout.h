// Places boxes and wires in a layered drawing: a box stands below the boxes that it reads.
#pragma once
#include <cstddef>
#include <vector>

namespace glassgrad::graph {

struct Size {
  double width = 0, height = 0;
};
struct Point {
  double x = 0, y = 0;
};

struct Wire {
  size_t from, to;
  // From points[0] to [1], from [2] to [3] and so on, the wire goes straight down past the boxes beside it.
  // From points[1] to [2], from [3] to [4] and so on, it bends through the free space between two layers.
  std::vector<Point> points;
};

struct Layout {
  double width = 0, height = 0;
  std::vector<Point> boxes;  // the middle of each box's upper edge
  std::vector<Wire> wires;
};

// from[i]: the boxes that box i reads, all of them before i. No two boxes overlap, and no wire crosses a box.
Layout layered(const std::vector<Size>& boxes, const std::vector<std::vector<size_t>>& from);

}  // namespace glassgrad::graph
