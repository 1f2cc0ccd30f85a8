#include <fmt/core.h>

#include <algorithm>

#include "apps/ask/graph/render.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/phrases.h"
#include "engine/core/error.h"
#include "engine/core/joined.h"

namespace glassgrad::graph {
namespace {

using learn::counted;

constexpr size_t kColumns = 80, kIndent = 7, kNode = 28, kShape = 21, kMostLeaves = 3;

// The numbers of the boxes in the listing.
std::string numbers_of(const std::vector<size_t>& boxes) {
  std::vector<size_t> numbers;
  for (const size_t i : boxes) numbers.push_back(i + 1);
  return joined(numbers, ", ");
}

}  // namespace

std::string contents_of(const Box& box) {
  std::string text = counted(int64_t(box.nodes), "node");
  if (box.leaves.size() > kMostLeaves) return fmt::format("{}, {} leaf tensors", text, box.leaves.size());
  for (const std::string& leaf : box.leaves) text += fmt::format(", {}", leaf);
  return text;
}

std::string text_of(const std::optional<ValueRange>& range) {
  if (!range) return {};
  return fmt::format("{} ... {}", learn::digits(range->least), learn::digits(range->largest));
}

std::vector<std::string> lines_of(const Box& box) {
  std::vector<std::string> lines{box.title};
  if (box.kind == Box::Kind::Module) lines.push_back(contents_of(box));
  if (!box.tensor.empty()) lines.push_back(box.tensor);
  lines.push_back(to_string(box.shape));
  if (box.range) lines.push_back(text_of(box.range));
  return lines;
}

void write_heading(const Graph& graph, Output& out) {
  out.write(fmt::format("{}\n", cut(graph.title, kColumns)));
  const std::string drawn = graph.boxes.size() < graph.nodes + graph.leaves
                                ? fmt::format(", modules as one box each: --expand opens them")
                                : "";
  out.write(fmt::format("{} and {}{}\n\n", counted(int64_t(graph.nodes), "node"),
                        counted(int64_t(graph.leaves), "leaf tensor"), drawn));
}

void render_text(const Graph& graph, Output& out) {
  write_heading(graph, out);
  out.write(fmt::format("  #  {}{}{}\n", left_aligned("node", kNode), left_aligned("shape", kShape),
                        "min ... max"));
  for (size_t i = 0; i < graph.boxes.size(); ++i) {
    const Box& box = graph.boxes[i];
    std::string line = fmt::format("{:>3}  {} {}{}", i + 1, left_aligned(box.title, kNode - 1),
                                   left_aligned(to_string(box.shape), kShape), text_of(box.range));
    line.resize(line.find_last_not_of(' ') + 1);
    out.write(line + "\n");
    std::vector<std::string> details;
    if (!box.tensor.empty()) details.push_back(box.tensor);
    if (box.kind == Box::Kind::Module) details.push_back(contents_of(box));
    if (!box.from.empty()) details.push_back(fmt::format("from {}", numbers_of(box.from)));
    if (details.empty()) continue;
    for (const std::string& l : filled(joined(details, "; "), kIndent, kColumns)) out.write(l + "\n");
  }
  out.write("\nEach line stands after those that it was made from; backward runs from the last\n");
  out.write("line to the first.\n");
  if (std::any_of(graph.boxes.begin(), graph.boxes.end(), [](const Box& box) { return !box.range; }))
    out.write("Without numbers: what was computed unwatched, to save memory, or holds none.\n");
}

}  // namespace glassgrad::graph
