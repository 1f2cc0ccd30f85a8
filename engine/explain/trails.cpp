#include "trails.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

namespace glassgrad::why {
namespace {

void collect(const Expr& e, std::unordered_set<const Term*>& seen, std::vector<const Term*>& cells) {
  const Term* const term = e.operator->();
  if (!seen.insert(term).second) return;
  if (term->op == "cell") cells.push_back(term);
  for (const Expr& input : term->inputs) collect(input, seen, cells);
}

bool is_nan(const char* kind) { return kind && kind[0] == 'n'; }

}  // namespace

std::vector<const Term*> cells_read(const Expr& tree) {
  std::unordered_set<const Term*> seen;
  std::vector<const Term*> cells;
  collect(tree, seen, cells);
  return cells;
}

const char* non_finite(const Scalar& x) {
  if (!is_floating(x.dtype) || std::isfinite(x.real)) return nullptr;
  return std::isnan(x.real) ? "nan" : x.real > 0 ? "inf" : "-inf";
}

std::vector<Element> non_finite_trail(const Recorder& trace, const Element& number) {
  std::vector<Element> trail{number};
  const bool nan = is_nan(non_finite(element(number.x.tensor(), number.index)));
  for (;;) {
    const auto writer = trace.writer(trail.back().x, trail.back().index);
    if (!writer) break;
    const RecordedCall& call = trace.calls()[writer->call];
    const Expr tree = trace.open(*writer).expression;
    const std::vector<const Term*> cells = cells_read(tree);
    const auto same_kind = [&](const Term* term) {
      const char* const kind = non_finite(term->value);
      return kind && is_nan(kind) == nan;
    };
    const auto next = std::find_if(cells.begin(), cells.end(), same_kind);
    if (next == cells.end()) break;
    trail.push_back({call.in[size_t((*next)->input)], (*next)->index});
  }
  std::reverse(trail.begin(), trail.end());
  return trail;
}

std::vector<Element> changed_trail(const Recorder& before, const Recorder& after, const Element& number,
                                   const std::function<bool(const Element&)>& prefer) {
  std::vector<Element> trail{number};
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
    std::optional<Element> next;
    for (const Term* term : cells_read(tree)) {
      const auto k = size_t(term->input);
      if (k >= other.size() || !(other[k].shape() == in[k].shape())) return {};
      if (same_bits(term->value, element(values[k], term->index))) continue;
      const Element read{in[k], term->index};
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
