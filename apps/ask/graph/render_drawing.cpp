#include <fmt/core.h>

#include <algorithm>

#include "apps/ask/graph/render.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/phrases.h"
#include "engine/core/joined.h"

namespace glassgrad::graph {
namespace {

constexpr size_t kScreen = 80, kPitch = 4, kMostLanes = 12, kNobody = SIZE_MAX;

// One line of the drawing, one character per column.
class Canvas {
 public:
  void put(size_t column, std::string_view character) {
    if (cells_.size() <= column) cells_.resize(column + 1, " ");
    cells_[column] = character;
  }
  void write(size_t column, std::string_view text) {
    while (!text.empty()) {
      const Character c = take_character(text);
      if (c.columns == 0) continue;
      put(column, c.bytes);
      if (c.columns > 1) put(column + 1, "");
      column += c.columns;
    }
  }
  std::string text() const { return joined(cells_, ""); }

 private:
  std::vector<std::string> cells_;
};

// Draws boxes below each other, each to the right of the lines that pass it. Each line has a lane: a box's
// result runs down its lane to the last reader.
class Drawing {
 public:
  explicit Drawing(const Graph& graph) : graph_(graph), readers_(graph.boxes.size(), 0) {
    for (const Box& box : graph.boxes)
      for (const size_t f : box.from) ++readers_[f];
    for (const size_t i : order()) draw(i);
  }

  const std::vector<std::string>& lines() const { return lines_; }
  bool fits() const { return most_lanes_ <= kMostLanes; }

 private:
  // Orders the boxes so that a box comes right after the boxes that it reads, if possible, to keep lines
  // short.
  std::vector<size_t> order() const {
    std::vector<size_t> done;
    std::vector<bool> seen(graph_.boxes.size(), false);
    std::vector<std::pair<size_t, size_t>> open{{graph_.boxes.size() - 1, 0}};  // a box, and its next input
    seen[open.front().first] = true;
    while (!open.empty()) {
      auto& [box, next] = open.back();
      const std::vector<size_t>& from = graph_.boxes[box].from;
      if (next == from.size()) {
        done.push_back(box);
        open.pop_back();
      } else if (const size_t input = from[next++]; !seen[input]) {
        seen[input] = true;
        open.emplace_back(input, 0);
      }
    }
    return done;
  }

  static size_t column(size_t lane) { return 2 + kPitch * lane; }
  bool is_free(size_t lane) const { return lanes_[lane] == kNobody; }
  void trim() {
    while (!lanes_.empty() && lanes_.back() == kNobody) lanes_.pop_back();
    most_lanes_ = std::max(most_lanes_, lanes_.size());
  }

  Canvas with_lanes(size_t up_to) const {
    Canvas canvas;
    for (size_t k = 0; k < std::min(up_to, lanes_.size()); ++k)
      if (!is_free(k)) canvas.put(column(k), "│");
    return canvas;
  }
  void add(const Canvas& canvas) { lines_.push_back(canvas.text()); }

  // Moves the line to a new lane, right of all others. If further boxes read the line, moves only a branch of
  // it.
  size_t move_right(size_t lane, bool last) {
    const size_t to = lanes_.size();
    Canvas canvas = with_lanes(to);
    for (size_t c = column(lane) + 1; c < column(to); ++c) canvas.put(c, "─");
    for (size_t k = lane + 1; k < to; ++k)
      if (!is_free(k)) canvas.put(column(k), "┼");
    canvas.put(column(lane), last ? "╰" : "├");
    canvas.put(column(to), "╮");
    add(canvas);
    lanes_.push_back(lanes_[lane]);
    if (last) lanes_[lane] = kNobody;
    most_lanes_ = std::max(most_lanes_, lanes_.size());
    return to;
  }

  // Routes the results that the box reads to its upper edge. Returns their lanes from left to right.
  std::vector<size_t> gather(const Box& box) {
    std::vector<size_t> last_lanes, others;
    size_t passing = 0;  // one past the last lane whose line goes on below the box
    for (size_t k = 0; k < lanes_.size(); ++k) {
      if (is_free(k)) continue;
      const bool reads = std::find(box.from.begin(), box.from.end(), lanes_[k]) != box.from.end();
      const bool last = reads && readers_[lanes_[k]] == 1;
      if (!last) passing = k + 1;
      if (reads) (last ? last_lanes : others).push_back(k);
    }
    std::vector<size_t> inputs;
    for (const size_t k : last_lanes) {
      if (k < passing)
        others.push_back(k);
      else
        inputs.push_back(k);
    }
    std::sort(others.begin(), others.end());
    for (const size_t k : others) inputs.push_back(move_right(k, readers_[lanes_[k]] == 1));
    for (const size_t f : box.from) --readers_[f];
    return inputs;
  }

  void draw(size_t i) {
    const Box& box = graph_.boxes[i];
    trim();
    const std::vector<size_t> inputs = gather(box);
    const size_t lane = inputs.empty() ? lanes_.size() : inputs.front();
    const size_t left = column(lane) - 2, room = kScreen > left + 4 + 20 ? kScreen - left - 4 : 20;

    std::vector<std::string> inside = contents(box, room);
    size_t width = inputs.empty() ? 0 : column(inputs.back()) - left;
    for (std::string& line : inside) {
      line = cut(line, room);
      width = std::max(width, columns_of(line) + 2);
    }
    edge(lane, left, width, "┌", "┐", [&](size_t c) {
      return std::any_of(inputs.begin(), inputs.end(), [&](size_t k) { return column(k) == c; }) ? "┴" : "─";
    });
    for (const std::string& line : inside) {
      Canvas canvas = with_lanes(lane);
      canvas.put(left, "│");
      canvas.write(left + 2, line);
      canvas.put(left + width + 1, "│");
      add(canvas);
    }
    for (const size_t k : inputs) lanes_[k] = kNobody;
    const bool is_read = readers_[i] > 0;
    edge(lane, left, width, "└", "┘", [&](size_t c) { return is_read && c == column(lane) ? "┬" : "─"; });
    lanes_.resize(lane);
    if (is_read) lanes_.push_back(i);
    Canvas below = with_lanes(lane + 1);
    below.write(column(lane) + 2, cut(result_of(box), room));
    add(below);
  }

  template <class F>
  void edge(size_t lane, size_t left, size_t width, const char* from, const char* to, F character) {
    Canvas canvas = with_lanes(lane);
    canvas.put(left, from);
    for (size_t c = left + 1; c <= left + width; ++c) canvas.put(c, character(c));
    canvas.put(left + width + 1, to);
    add(canvas);
  }

  static std::vector<std::string> contents(const Box& box, size_t room) {
    const std::string name = printable(box.tensor);
    std::vector<std::string> lines;
    if (box.kind == Box::Kind::Leaf)
      lines.push_back(name.empty() ? "a leaf" : name + ", a leaf");
    else if (columns_of(box.title) + 2 + columns_of(name) <= room)
      lines.push_back(name.empty() ? box.title : fmt::format("{}  {}", box.title, name));
    else
      lines.insert(lines.end(), {box.title, name});
    if (box.kind == Box::Kind::Module) lines.push_back(contents_of(box));
    return lines;
  }
  static std::string result_of(const Box& box) {
    const bool one = box.range && box.range->least == box.range->largest;
    const std::string range = one ? learn::digits(box.range->least) : text_of(box.range);
    return fmt::format("{}{}{}", to_string(box.shape), range.empty() ? "" : "  ", range);
  }

  const Graph& graph_;
  std::vector<size_t> readers_;  // by box: how many are still to be drawn
  std::vector<size_t> lanes_;    // by lane: the box whose result goes down in it
  size_t most_lanes_ = 0;
  std::vector<std::string> lines_;
};

}  // namespace

void render_drawing(const Graph& graph, Output& out) {
  const Drawing drawing(graph);
  if (!drawing.fits()) {
    render_text(graph, out);
    out.write("Too many lines beside each other for a drawing: --format svg is one.\n");
    return;
  }
  write_heading(graph, out);
  for (const std::string& line : drawing.lines()) out.write(line + "\n");
  out.write("\nA box is an op, the line out of it its result: shape, least ... largest number.\n");
  out.write("The forward pass goes down; the backward pass comes back up the same lines.\n");
}

}  // namespace glassgrad::graph
