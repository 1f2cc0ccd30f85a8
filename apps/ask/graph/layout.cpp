#include "apps/ask/graph/layout.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace glassgrad::graph {
namespace {

constexpr double kMargin = 16, kBeside = 24, kBetween = 40, kWireWidth = 8, kHeading = 48;
constexpr int kSweeps = 12;

// A box, or the point where a long wire passes through a layer.
struct Item {
  Size size;
  double x = 0;                  // its middle
  std::vector<size_t> up, down;  // items of the layers above and below that it is wired to
};

class Layers {
 public:
  Layers(const std::vector<Size>& boxes, const std::vector<std::vector<size_t>>& from,
         const std::vector<size_t>& bands);
  Layout place();

 private:
  std::vector<size_t> depths(const std::vector<std::vector<size_t>>& from, const std::vector<size_t>& bands);
  // Adds the wire between two boxes: its items, both boxes included.
  void connect(size_t above, size_t below, size_t from_layer, size_t to_layer);
  void sort_row(std::vector<size_t>& row, bool by_above);
  void spread(const std::vector<size_t>& row, bool by_above);
  double mean_of(const std::vector<size_t>& items, double otherwise) const;
  void pack();

  size_t boxes_;
  std::vector<Item> items_;
  std::vector<std::vector<size_t>> rows_;                // items from left to right
  std::vector<std::vector<size_t>> wires_;               // items from top to bottom
  std::map<std::pair<size_t, size_t>, size_t> passing_;  // items of wires, by their first box and their layer
  std::vector<size_t> first_rows_;                       // of each band
};

std::vector<size_t> Layers::depths(const std::vector<std::vector<size_t>>& from,
                                   const std::vector<size_t>& bands) {
  std::vector<size_t> depth(from.size(), 0), highest_user(from.size(), SIZE_MAX);
  const size_t count = bands.empty() ? 0 : 1 + *std::max_element(bands.begin(), bands.end());
  size_t next = 0;
  for (size_t band = 0; band < std::max<size_t>(count, 1); ++band) {
    if (count) first_rows_.push_back(next);
    const size_t first = next;
    for (size_t i = 0; i < from.size(); ++i) {
      if (count && bands[i] != band) continue;
      depth[i] = first;
      for (const size_t f : from[i]) depth[i] = std::max(depth[i], depth[f] + 1);
      for (const size_t f : from[i])
        if (!count || bands[f] == band) highest_user[f] = std::min(highest_user[f], depth[i]);
      next = std::max(next, depth[i] + 1);
    }
  }
  // Put a box that reads nothing right above its first reader, so that such boxes do not fill one long row at
  // the top.
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i].empty() && highest_user[i] != SIZE_MAX) depth[i] = highest_user[i] - 1;
  return depth;
}

Layers::Layers(const std::vector<Size>& boxes, const std::vector<std::vector<size_t>>& from,
               const std::vector<size_t>& bands)
    : boxes_(boxes.size()) {
  const std::vector<size_t> depth = depths(from, bands);
  rows_.resize(1 + *std::max_element(depth.begin(), depth.end()));
  for (size_t i = 0; i < boxes.size(); ++i) {
    items_.push_back({boxes[i], 0, {}, {}});
    rows_[depth[i]].push_back(i);
  }
  for (size_t i = 0; i < boxes.size(); ++i)
    for (const size_t f : from[i]) connect(f, i, depth[f], depth[i]);
}

void Layers::connect(size_t above, size_t below, size_t from_layer, size_t to_layer) {
  std::vector<size_t> wire{above};
  const auto join = [&](size_t item) {
    items_[wire.back()].down.push_back(item);
    items_[item].up.push_back(wire.back());
    wire.push_back(item);
  };
  for (size_t layer = from_layer + 1; layer < to_layer; ++layer) {
    const auto [passing, is_new] = passing_.emplace(std::pair(above, layer), items_.size());
    if (!is_new) {
      wire.push_back(passing->second);
      continue;
    }
    rows_[layer].push_back(items_.size());
    items_.push_back({{kWireWidth, 0}, 0, {}, {}});
    join(items_.size() - 1);
  }
  join(below);
  wires_.push_back(std::move(wire));
}

double Layers::mean_of(const std::vector<size_t>& items, double otherwise) const {
  if (items.empty()) return otherwise;
  double sum = 0;
  for (const size_t i : items) sum += items_[i].x;
  return sum / double(items.size());
}

void Layers::sort_row(std::vector<size_t>& row, bool by_above) {
  std::vector<std::pair<double, size_t>> wanted;
  for (const size_t i : row)
    wanted.emplace_back(mean_of(by_above ? items_[i].up : items_[i].down, items_[i].x), i);
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t k = 0; k < row.size(); ++k) row[k] = wanted[k].second;
}

// Places each row from the left without gaps, for sorting to start from.
void Layers::pack() {
  for (const auto& row : rows_) {
    double x = 0;
    for (const size_t i : row) {
      items_[i].x = x + items_[i].size.width / 2;
      x += items_[i].size.width + kBeside;
    }
  }
}

// Moves every item as near as possible to the items it is wired to, without changing the order. Takes the
// mean of a layout pushed to the right and one pushed to the left: it keeps all minimum distances, because
// both do.
void Layers::spread(const std::vector<size_t>& row, bool by_above) {
  std::vector<double> wanted, right, left(row.size());
  const auto distance = [&](size_t k) {
    return (items_[row[k - 1]].size.width + items_[row[k]].size.width) / 2 + kBeside;
  };
  for (const size_t i : row) wanted.push_back(mean_of(by_above ? items_[i].up : items_[i].down, items_[i].x));
  right = left = wanted;
  for (size_t k = 1; k < row.size(); ++k) right[k] = std::max(wanted[k], right[k - 1] + distance(k));
  for (size_t k = row.size() - 1; k-- > 0;) left[k] = std::min(wanted[k], left[k + 1] - distance(k + 1));
  for (size_t k = 0; k < row.size(); ++k) items_[row[k]].x = (left[k] + right[k]) / 2;
}

Layout Layers::place() {
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const bool down = sweep % 2 == 0;
    for (size_t k = 0; k < rows_.size(); ++k) {
      std::vector<size_t>& row = rows_[down ? k : rows_.size() - 1 - k];
      if (sweep == 0) pack();
      sort_row(row, down);
      spread(row, down);
    }
  }
  Layout layout;
  double leftmost = 0, rightmost = 0;
  for (const Item& item : items_) {
    leftmost = std::min(leftmost, item.x - item.size.width / 2);
    rightmost = std::max(rightmost, item.x + item.size.width / 2);
  }
  std::vector<double> top(items_.size()), bottom(items_.size());  // of the item's layer
  double y = kMargin;
  for (size_t k = 0; k < rows_.size(); ++k) {
    const auto& row = rows_[k];
    if (std::find(first_rows_.begin(), first_rows_.end(), k) != first_rows_.end()) {
      layout.bands.push_back(y);
      y += kHeading;
    }
    double height = 0;
    for (const size_t i : row) height = std::max(height, items_[i].size.height);
    for (const size_t i : row) top[i] = y, bottom[i] = y + height;
    y += height + kBetween;
  }
  layout.width = rightmost - leftmost + 2 * kMargin;
  layout.height = y - kBetween + kMargin;
  const auto x_of = [&](size_t i) { return items_[i].x - leftmost + kMargin; };
  for (size_t i = 0; i < boxes_; ++i) layout.boxes.push_back({x_of(i), top[i]});
  for (const auto& wire : wires_) {
    Wire& drawn = layout.wires.emplace_back(Wire{wire.front(), wire.back(), {}});
    for (const size_t i : wire) {
      if (i != wire.front()) drawn.points.push_back({x_of(i), top[i]});
      if (i == wire.front()) drawn.points.push_back({x_of(i), top[i] + items_[i].size.height});
      if (i != wire.back()) drawn.points.push_back({x_of(i), bottom[i]});
    }
  }
  return layout;
}

}  // namespace

Layout layered(const std::vector<Size>& boxes, const std::vector<std::vector<size_t>>& from,
               const std::vector<size_t>& bands) {
  if (boxes.empty()) return {};
  return Layers(boxes, from, bands).place();
}

}  // namespace glassgrad::graph
