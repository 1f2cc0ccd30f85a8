#include "trails.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

namespace glassgrad::why {
namespace {

void collect(const Expr& e, std::unordered_set<const ExprNode*>& seen, std::vector<const ExprNode*>& cells) {
  const ExprNode* const node = e.operator->();
  if (!seen.insert(node).second) return;
  if (node->op == "cell") cells.push_back(node);
  for (const Expr& input : node->inputs) collect(input, seen, cells);
}

bool is_nan(const char* kind) { return kind && kind[0] == 'n'; }

}  // namespace

std::vector<const ExprNode*> cells_read(const Expr& tree) {
  std::unordered_set<const ExprNode*> seen;
  std::vector<const ExprNode*> cells;
  collect(tree, seen, cells);
  return cells;
}

const char* non_finite(const Scalar& x) {
  if (!is_floating(x.dtype) || std::isfinite(x.real)) return nullptr;
  return std::isnan(x.real) ? "nan" : x.real > 0 ? "inf" : "-inf";
}

std::vector<SnapshotElement> non_finite_trail(const Recorder& trace, const SnapshotElement& number) {
  std::vector<SnapshotElement> trail{number};
  const bool nan = is_nan(non_finite(element(number.x.tensor(), number.index)));
  for (;;) {
    const auto writer = trace.writer(trail.back().x, trail.back().index);
    if (!writer) break;
    const RecordedCall& call = trace.calls()[writer->call];
    const Expr tree = trace.open(*writer).expression;
    const std::vector<const ExprNode*> cells = cells_read(tree);
    const auto same_kind = [&](const ExprNode* node) {
      const char* const kind = non_finite(node->value);
      return kind && is_nan(kind) == nan;
    };
    const auto next = std::find_if(cells.begin(), cells.end(), same_kind);
    if (next == cells.end()) break;
    trail.push_back({call.in[size_t((*next)->input)], (*next)->index});
  }
  std::reverse(trail.begin(), trail.end());
  return trail;
}

std::vector<SnapshotElement> changed_trail(const Recorder& before, const Recorder& after,
                                           const SnapshotElement& number,
                                           const std::function<bool(const SnapshotElement&)>& prefer) {
  std::vector<SnapshotElement> trail{number};
  for (;;) {
    const auto writer = before.writer(trail.back().x, trail.back().index);
    if (!writer) break;
    if (writer->call >= after.calls().size() ||
        after.calls()[writer->call].op != before.calls()[writer->call].op)
      return {};
    const auto &in = before.calls()[writer->call].in, &other = after.calls()[writer->call].in;
    const Expr tree = before.open(*writer).expression;
    std::vector<Tensor> values;
    for (const Snapshot& x : other) values.push_back(x ? x.tensor() : Tensor());
    std::optional<SnapshotElement> next;
    for (const ExprNode* node : cells_read(tree)) {
      const auto k = size_t(node->input);
      if (k >= other.size() || !(other[k].shape() == in[k].shape())) return {};
      if (same_bits(node->value, element(values[k], node->index))) continue;
      const SnapshotElement read{in[k], node->index};
      const bool liked = prefer(read);
      if (!next || liked) next = read;
      if (liked) break;
    }
    if (!next) break;
    trail.push_back(std::move(*next));
  }
  std::reverse(trail.begin(), trail.end());
  return trail;
}

}  // namespace glassgrad::why
