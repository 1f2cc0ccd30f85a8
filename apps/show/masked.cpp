#include "apps/show/masked.h"

#include <cmath>

namespace glassgrad::learn {
namespace {

constexpr int kFarthest = 12;  // the most calls through which a 0 is followed back

double number_at(const Snapshot& x, const Dims& index) { return to_double(element(x.tensor(), index)); }

// Returns the index of a result's cell in an input that was broadcast to the result's shape; none if the
// shapes do not fit.
std::optional<Dims> place_in(const Snapshot& input, const Dims& index) {
  if (!input || input.shape().n > index.n) return {};
  Dims place;
  for (int d = 0; d < input.shape().n; ++d) {
    const int64_t i = index[index.n - input.shape().n + d], size = input.shape()[d];
    if (size != 1 && i >= size) return {};
    place.push(size == 1 ? 0 : i);
  }
  return place;
}

class Trail {
 public:
  explicit Trail(const Recorder& trace) : trace_(trace) {}

  // True if a mask made the number, or made a number that this one was computed from.
  bool is_masked(const Snapshot& x, const Dims& index, int left = kFarthest) const {
    const double value = number_at(x, index);
    if (value == -INFINITY) return true;
    const auto cell = left > 0 ? trace_.writer(x, index) : std::nullopt;
    if (!cell) return false;
    const RecordedCall& call = trace_.calls()[cell->call];
    const std::string_view op = call.op->name;
    const auto input = [&](size_t k) {
      return k < call.in.size() ? place_in(call.in[k], cell->index) : std::nullopt;
    };
    const auto comes_masked = [&](size_t k) {
      const auto place = input(k);
      return place && is_masked(call.in[k], *place, left - 1);
    };
    if (op == "masked_fill") {
      const auto mask = input(1);
      return (mask && number_at(call.in[1], *mask) != 0) || comes_masked(0);
    }
    if (op == "mul" || op == "mul_")
      return value == 0 && (comes_masked(0) || comes_masked(1) || is_cut(call, cell->index));
    if (op == "softmax" || op == "div" || op == "clone" || op == "copy_" || op == "exp" || op == "dropout")
      return comes_masked(op == "copy_" ? 1 : 0);
    return false;
  }

 private:
  // True if the cell was multiplied by a 0 that tril or triu made.
  bool is_cut(const RecordedCall& call, const Dims& index) const {
    for (const Snapshot& in : call.in) {
      const auto place = place_in(in, index);
      if (!place || number_at(in, *place) != 0) continue;
      const auto cell = trace_.writer(in, *place);
      const std::string_view op = cell ? trace_.calls()[cell->call].op->name : "";
      if (op == "tril" || op == "triu") return true;
    }
    return false;
  }

  const Recorder& trace_;
};

}  // namespace

bool is_query_by_key(const Entry& entry) {
  const size_t n = entry.axes.size();
  return entry.value && n >= 2 && size_t(entry.value->shape().n) == n && entry.axes[n - 2] == "query" &&
         entry.axes[n - 1] == "key";
}

Masked::Masked(const Recording& recording, const Entry& entry)
    : trace_(recording.trace),
      x_(*entry.value),
      is_possible_(is_query_by_key(entry) && is_floating(entry.value->dtype())) {}

bool Masked::at(const Dims& index) const {
  if (!is_possible_) return false;
  const double value = number_at(x_, index);
  if (value == -INFINITY) return true;
  return value == 0 && trace_ && Trail(*trace_).is_masked(x_, index);
}

}  // namespace glassgrad::learn
