#include "apps/ask/predict/slips.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/ask/predict/slip_table.h"
#include "apps/lesson/markdown.h"

namespace glassgrad::learn {
namespace {

using Maybe = std::optional<double>;
constexpr double kRoundedEitherWay = 1 + 1e-2;  // the last digit of a float32

// Returns the cells whose sum is asked for: one cell, or a row.
std::vector<Dims> cells_asked(const Quantity& asked) {
  std::vector<Dims> cells{asked.address.cell};
  if (asked.kind == Quantity::Kind::RowSum)
    for (int64_t n = asked.address.entry->value->shape()[asked.address.cell.n - 1]; std::ssize(cells) < n;) {
      cells.push_back(cells.back());
      ++cells.back()[asked.address.cell.n - 1];
    }
  return cells;
}

// Returns " in scores" for the tensor that a call wrote, if a step up to `until` shows it, else " on the
// way".
std::string shown_as(const Recording& recording, const Step& until, const RecordedCall& call) {
  for (const Step& step : recording.steps) {
    for (const Entry& entry : step.entries)
      if (entry.value && entry.value->buffer == call.out[0].buffer) return " in " + entry.name;
    if (&step == &until) break;
  }
  return " on the way";
}

// The number from the step's own mistake, whose lines have run beside the right ones.
struct OfMistake {
  double value;
  std::string mistake;
};
std::optional<OfMistake> of_mistake(const Quantity& asked) {
  const auto& [step, entry, cell] = asked.address;
  const std::string name = std::string(kWrong) + entry->name;
  const auto wrong = std::find_if(step->entries.begin(), step->entries.end(),
                                  [&](const Entry& e) { return e.name == name; });
  const auto lines = std::find_if(step->code_blocks.begin(), step->code_blocks.end(),
                                  [](const CodeBlock& b) { return b.whose == Whose::Wrong; });
  if (wrong == step->entries.end() || lines == step->code_blocks.end() || !wrong->changed ||
      !(wrong->value->shape() == entry->value->shape()))
    return {};
  double sum = 0;
  for (const Dims& one : cells_asked(asked)) sum += to_double(element(wrong->value->tensor(), one));
  return OfMistake{sum, plain_words(lines->mistake)};
}

class Search {
 public:
  Search(const Recording& recording, const Quantity& asked, size_t most_calls = SIZE_MAX)
      : recording_(recording), asked_(asked), right_(asked.value()) {
    for (const Dims& cell : cells_asked(asked))
      if (const auto computed = computed_at(*recording.trace, {*asked.address.entry->value, cell}))
        cells_.emplace_back(*recording.trace, computed->cell,
                            [left = most_calls](const RecordedCall&) mutable { return --left == 0; });
      else
        others_ += to_double(element(asked.address.entry->value->tensor(), cell));
  }

  // Calls f with the number that each slip gives and a function that writes the sentence about it, until f
  // returns true. The step's mistake and the nearest calls come first. Skips slips that change nothing.
  template <class F>
  void each(F f) const {
    if (const auto wrong = of_mistake(asked_);
        wrong &&
        f(wrong->value, [&] { return fmt::format("One way to get that is a mistake: {}.", wrong->mistake); }))
      return;
    if (cells_.empty()) return;
    for (const size_t call : cells_.front().calls())
      for (const Slip& slip : kAllSlips) {
        std::string detail;
        const Maybe value = with(slip, call, detail);
        if (value && f(*value, [&] { return sentence(slip, call, detail); })) return;
      }
  }

  std::string sentence_about(const TypedNumber& answer) const {
    std::string found;
    if (accepts(answer, right_)) return found;  // the slip makes no difference
    each([&](double value, const auto& sentence) {
      if (is_meant(answer, value)) found = sentence();
      return !found.empty();
    });
    return found;
  }

 private:
  Maybe with(const Slip& slip, size_t call, std::string& detail) const {
    double sum = others_;
    bool changed = false;
    for (const Provenance& cell : cells_) {
      const auto value = cell.with(call, [&](const Provenance::Node& node) -> std::optional<Scalar> {
        const RecordedCall& made_by = recording_.trace->calls()[call];
        const SlipContext w{made_by, recording_.trace->scope_of(made_by), node.tree, node.cell.index};
        const Maybe wrong = slip.value(w);
        if (!wrong) return {};
        if (slip.detail && detail.empty()) detail = slip.detail(w);
        return scalar_of(*wrong, node.tree.dtype());
      });
      sum += to_double(value ? *value : cell.nodes().back().tree.value());
      changed = changed || value;
    }
    return changed ? Maybe(sum) : Maybe();
  }
  std::string sentence(const Slip& slip, size_t call, const std::string& detail) const {
    const bool is_last = call == cells_.front().nodes().back().cell.call;
    return fmt::format(
        "One way to get that is to compute it {}{}.", fmt::format(fmt::runtime(slip.sentence), detail),
        is_last ? "" : shown_as(recording_, *asked_.address.step, recording_.trace->calls()[call]));
  }

  const Recording& recording_;
  const Quantity& asked_;
  double right_, others_ = 0;
  std::vector<Provenance> cells_;
};

// Returns a sentence if the answer is a different cell of the same row or column, or the cell mirrored at the
// diagonal; else nothing.
std::string other_cell(const Quantity& asked, const TypedNumber& answer) {
  constexpr double kEnoughDigits = 0.5e-4;
  const auto& [step, entry, right] = asked.address;
  if (asked.kind != Quantity::Kind::Cell || answer.half_unit == 0 || answer.half_unit > kEnoughDigits ||
      answer.value == 0 || answer.value == 1)
    return {};
  const Tensor x = entry->value->tensor();
  Dims turned = right;
  if (right.n >= 2) std::swap(turned[right.n - 1], turned[right.n - 2]);
  for (int64_t i = 0; i < std::min<int64_t>(x.numel(), print_options().threshold); ++i) {
    const Dims cell = index_of(x.shape(), i);
    int differ = 0;
    for (int d = 0; d < cell.n; ++d) differ += cell[d] != right[d];
    if (differ == 0 || (differ > 1 && cell != turned)) continue;
    const double read = to_double(element(x, cell));
    if (!std::isfinite(read) || std::abs(answer.value - read) > answer.half_unit * kRoundedEitherWay)
      continue;
    return fmt::format("One way to get that is to read {}{}{}.", entry->name, cell_text(cell),
                       cell == turned ? ": the first index is the row, the second the column" : "");
  }
  return {};
}

// Says so if the answer is the size of a different dimension.
std::string other_size(const Quantity& asked, const TypedNumber& answer) {
  const Dims& shape = asked.address.entry->value->shape();
  for (int d = 0; d < shape.n; ++d)
    if (d != asked.dim && accepts(answer, double(shape[d]), true))
      return fmt::format(
          "One way to get that is to take the size of dimension {}{}.", d,
          asked.address.entry->axes.empty() ? "" : ", " + asked.address.entry->axes[size_t(d)]);
  return {};
}

}  // namespace

bool is_meant(const TypedNumber& answer, double slip) {
  constexpr double kFewDigits = 0.5e-3;
  if (!std::isfinite(slip) || !std::isfinite(answer.value)) return std::isinf(slip) && answer.value == slip;
  if (answer.half_unit > kFewDigits) return false;
  if (answer.half_unit == 0) return std::abs(answer.value - slip) <= 1e-6;  // a fraction, a whole number
  constexpr double kFloat32 = 1e-6;  // relative to the slip, which may have been computed more exactly
  return std::abs(answer.value - slip) <= answer.half_unit * kRoundedEitherWay + kFloat32 * std::abs(slip);
}

std::vector<KnownSlip> known_slips(const Recording& recording, const Quantity& asked) {
  std::vector<KnownSlip> slips;
  if (asked.kind == Quantity::Kind::Size) return slips;
  const auto add = [&](double value, const auto& sentence) {
    slips.push_back({value, sentence()});
    return false;
  };
  constexpr size_t kNearest = 8;
  Search(recording, asked, kNearest).each(add);
  return slips;
}

std::string recognised(const Recording& recording, const Quantity& asked, const TypedNumber& answer) {
  if (asked.kind == Quantity::Kind::Size) return other_size(asked, answer);
  const std::string slip = Search(recording, asked).sentence_about(answer);
  if (!slip.empty()) return slip;
  if (is_meant(answer, -asked.value()) && answer.value != 0)
    return "One way to get that is to lose the sign.";
  return other_cell(asked, answer);
}

}  // namespace glassgrad::learn
