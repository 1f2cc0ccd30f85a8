#include "apps/page/picture_data.h"

#include <cmath>

#include "apps/ask/graph/drawing.h"
#include "apps/ask/graph/layout.h"
#include "apps/ask/graph/run_picture.h"

namespace glassgrad::explorer {
namespace {

double tenths(double x) { return std::round(x * 10) / 10; }

}  // namespace

Json picture_json(const learn::Recording& forward) {
  const graph::Picture picture = graph::picture_of(forward);
  const auto& boxes = picture.boxes;
  if (boxes.empty()) return {};
  std::vector<graph::Size> sizes;
  std::vector<std::vector<size_t>> from;
  for (const graph::PictureBox& box : boxes) {
    sizes.push_back(graph::size_of(box.lines));
    from.push_back(box.from);
  }
  const graph::Layout layout = graph::layered(sizes, from, picture.band);
  Json drawn = Json::array(), wires = Json::array();
  for (size_t i = 0; i < boxes.size(); ++i)
    drawn.push_back({{"lines", boxes[i].lines},
                     {"addresses", boxes[i].addresses},
                     {"given", boxes[i].is_given},
                     {"x", tenths(layout.boxes[i].x - sizes[i].width / 2)},
                     {"y", tenths(layout.boxes[i].y)},
                     {"width", tenths(sizes[i].width)},
                     {"height", tenths(sizes[i].height)},
                     {"from", boxes[i].from}});
  for (const graph::Wire& wire : layout.wires)
    wires.push_back({{"from", wire.from}, {"to", wire.to}, {"path", graph::path_of(wire)}});
  Json bands = Json::array();
  for (size_t i = 0; i < layout.bands.size(); ++i)
    bands.push_back({{"heading", picture.bands[i]}, {"y", tenths(layout.bands[i])}});
  return {{"width", tenths(layout.width)},
          {"height", tenths(layout.height)},
          {"bands", std::move(bands)},
          {"boxes", std::move(drawn)},
          {"wires", std::move(wires)}};
}

}  // namespace glassgrad::explorer
