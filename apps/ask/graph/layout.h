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
  std::vector<double> bands;  // the upper edge of each band
};

// from[i]: the boxes that box i reads, all of them before i. No two boxes overlap, and no wire crosses a box.
// Wires from the same box run together as far as they can.
// bands[i], if there are any: the band that box i stands in, counted from 0. Each band lies below the bands
// before it, with space for a heading. No box stands in an earlier band than a box that it reads.
Layout layered(const std::vector<Size>& boxes, const std::vector<std::vector<size_t>>& from,
               const std::vector<size_t>& bands = {});

}  // namespace glassgrad::graph
