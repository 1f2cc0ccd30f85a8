#include "apps/ask/predict/choices.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "apps/ask/predict/provenance.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/axes.h"
#include "apps/lesson/phrases.h"
#include "apps/show/tensor_table.h"
#include "engine/core/joined.h"
#include "engine/glass/why.h"

namespace glassgrad::learn {
namespace {

constexpr double kClear = 1e-3;  // numbers that differ by less look the same

// A row of weights, and the scores that softmax made them from.
struct SoftmaxRow {
  std::vector<double> weights, scores;
  std::vector<CellOfCall> cells;

  bool is_hidden(size_t k) const { return weights[k] == 0 && scores[k] == -INFINITY; }
  size_t visible() const {
    size_t n = 0;
    for (size_t k = 0; k < weights.size(); ++k) n += !is_hidden(k);
    return n;
  }
};

std::optional<SoftmaxRow> softmax_row(const Recording& recording, const Entry& entry, Dims cell) {
  if (!recording.trace || cell.n == 0) return {};
  const int64_t n = entry.value->shape()[cell.n - 1];
  if (n < 2 || n > int64_t(kMostChoices)) return {};
  SoftmaxRow row;
  double sum = 0;
  for (int64_t& k = cell[cell.n - 1] = 0; k < n; ++k) {
    const auto computed = computed_at(*recording.trace, {*entry.value, cell});
    if (!computed) return {};
    const RecordedCall& call = recording.trace->calls()[computed->cell.call];
    if (call.op->name != std::string_view("softmax")) return {};
    row.weights.push_back(to_double(element(entry.value->tensor(), cell)));
    row.scores.push_back(to_double(element(call.in[0].tensor(), computed->cell.index)));
    row.cells.push_back(computed->cell);
    sum += row.weights.back();
  }
  return std::abs(sum - 1) < kClear ? std::optional(row) : std::nullopt;
}

// Returns the names of the elements along a dimension, if they are tokens and no two have the same name.
std::vector<std::string> names_along(const Recording& recording, const Entry& entry, int dim) {
  if (dim < 0 || !named_by_tokens(recording, entry, dim)) return {};
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const std::string& label : labels(recording, entry, dim)) {
    names.push_back(printable(label));
    if (names.back().empty() || !known.insert(lower(names.back())).second) return {};
  }
  return names;
}

// Returns ' in the row of query "journey"', or ' in the row of query "climb" of head 1' if there are several
// heads; nothing for a vector.
std::string of_row(const Recording& recording, const Entry& entry, const Dims& cell) {
  if (cell.n < 2) return {};
  const auto named = [&](int d, const char* word) {
    const Axis axis{.word = entry.axes.empty() ? word : entry.axes[size_t(d)],
                    .labels = labels(recording, entry, d),
                    .tokens = named_by_tokens(recording, entry, d)};
    return index_name(axis, cell[d]);
  };
  std::string where = " in the row of " + named(cell.n - 2, "row");
  for (int d = cell.n - 3; d >= 0; --d)
    if (entry.value->shape()[d] > 1) where += " of " + named(d, "matrix");
  return printable(where);
}

std::string word_of(const Entry& entry, int dim) { return entry.axes[size_t(dim)]; }

// Returns "Your 0.3293, journey 0.1218".
std::string listed(const std::vector<std::string>& names, const std::vector<double>& numbers) {
  std::vector<std::string> parts;
  for (size_t k = 0; k < names.size(); ++k) parts.push_back(names[k] + " " + digits(numbers[k]));
  return joined(parts, ", ", kMostChoices);
}
std::string summed(const std::vector<double>& numbers) {
  std::vector<std::string> parts;
  for (const double x : numbers) parts.push_back(digits(x));
  return joined(parts, " + ", kMostChoices);
}

std::optional<Choices> largest(const Recording& recording, const Quantity& asked) {
  const auto& [step, entry, cell] = asked.address;
  const std::vector<std::string> names = names_along(recording, *entry, cell.n - 1);
  const auto row = softmax_row(recording, *entry, cell);
  if (names.empty() || !row || row->visible() < 2) return {};
  const auto top = std::max_element(row->weights.begin(), row->weights.end());
  std::vector<double> order = row->scores;
  std::sort(order.rbegin(), order.rend());
  std::vector<double> weights = row->weights;
  std::sort(weights.rbegin(), weights.rend());
  if (weights[0] - weights[1] < kClear) return {};
  const std::string where = of_row(recording, *entry, cell);
  return Choices{
      .question =
          fmt::format("At which {} is {} largest{}?", word_of(*entry, cell.n - 1), entry->name, where),
      .texts = names,
      .right = size_t(top - row->weights.begin()),
      .hints = {"softmax: exp(x) / Σ exp(x). A larger score gets a larger weight, so the order stays.",
                fmt::format("What softmax reads here: {}.", listed(names, row->scores)),
                fmt::format("The two largest are {} and {}. Whose is the larger one?", digits(order[0]),
                            digits(order[1]))},
      .why = fmt::format("The scores are {}. Softmax makes {} of them.", listed(names, row->scores),
                         listed(names, row->weights))};
}

std::optional<Choices> fixed(const Recording& recording, const Quantity& asked) {
  const auto& [step, entry, cell] = asked.address;
  const int d = cell.n - 2;
  const std::vector<std::string> names = names_along(recording, *entry, d);
  if (names.empty() || names.size() > kMostChoices) return {};
  std::vector<std::string> counts;
  std::optional<size_t> only;
  bool more = false;
  Dims at = cell;
  for (size_t i = 0; i < names.size(); ++i) {
    at[d] = int64_t(i);
    const auto row = softmax_row(recording, *entry, at);
    if (!row) return {};
    const size_t visible = row->visible();
    counts.push_back(fmt::format("{} {}", names[i], visible));
    more = more || (only && visible == 1);
    if (visible == 1) only = i;
  }
  if (!only || more) return {};
  return Choices{
      .question = fmt::format("Which {} has the same weights in {} whatever the scores are?",
                              word_of(*entry, d), entry->name),
      .texts = names,
      .right = *only,
      .hints = {"softmax: exp(x) / Σ exp(x). The sum runs over what the mask leaves; exp(-inf) is 0.",
                fmt::format("Scores in each row that are not -inf: {}.", joined(counts, ", ", kMostChoices)),
                "If one score x is left, its weight is exp(x) / exp(x). In which row is it alone?"},
      .why = fmt::format("The mask leaves {} one score x, and exp(x) / exp(x) = 1 for every x. All other "
                         "rows have scores that compete.",
                         in_quotes(names[*only]))};
}

// Returns the row's weights as they would be if no score had been filled with -inf.
std::vector<double> without_mask(const Recorder& trace, const SoftmaxRow& row) {
  const auto unmasked = [](const Provenance::Node& node) -> std::optional<Scalar> {
    const Expr& tree = node.tree->op == "cast" ? node.tree->inputs[0] : node.tree;
    if (tree->op != "where" || !std::isinf(to_double(tree.value()))) return {};
    return tree->inputs[is_true(tree->inputs[0].value()) ? 2 : 1].value();
  };
  const auto masks = [](const RecordedCall& call) {
    const std::string_view op = call.op->name;
    return op == "masked_fill" || op == "where";
  };
  std::vector<double> weights;
  for (const CellOfCall& cell : row.cells) {
    const Provenance provenance(trace, cell, masks);
    const size_t earliest = provenance.nodes().front().cell.call;
    if (!masks(trace.calls()[earliest])) return {};
    const auto value = provenance.with(earliest, unmasked);
    weights.push_back(to_double(value ? *value : provenance.nodes().back().tree.value()));
  }
  return weights;
}

std::optional<Choices> late_mask(const Recording& recording, const Quantity& asked) {
  const auto& [step, entry, cell] = asked.address;
  const auto row = softmax_row(recording, *entry, cell);
  if (!row || row->visible() == row->weights.size()) return {};
  const std::vector<double> all = without_mask(*recording.trace, *row);
  if (all.empty()) return {};
  std::vector<double> kept;
  double sum = 0, whole = 0;
  for (size_t k = 0; k < all.size(); ++k) {
    whole += all[k];
    if (row->is_hidden(k)) continue;
    kept.push_back(all[k]);
    sum += all[k];
  }
  if (!std::isfinite(sum) || std::abs(whole - 1) > kClear || (sum != 1 && std::abs(sum - 1) < kClear))
    return {};
  return Choices{
      .question = fmt::format("Suppose the mask came after softmax: what is hidden now would be set to 0 "
                              "there, and nothing divided again. What would {} add to{}?",
                              entry->name, of_row(recording, *entry, cell)),
      .texts = {"less than 1", "exactly 1", "more than 1"},
      .right = sum < 1    ? size_t{0}
               : sum == 1 ? size_t{1}
                          : size_t{2},
      .hints = {"softmax without a mask: exp(x) / Σ exp(x), and the sum has the hidden scores too.",
                fmt::format("Without the mask the row is {}.", summed(all)),
                fmt::format("{} are left of a row that added to 1.", summed(kept))},
      .why = fmt::format("Without the mask the row is {} = 1. Set to 0 after that, the hidden weights take "
                         "their share away: {}{} is left.",
                         summed(all), kept.size() > 1 ? summed(kept) + " = " : "", digits(sum))};
}

}  // namespace

std::string letter_of(size_t choice) { return std::string(1, char('a' + choice)); }

std::optional<size_t> Choices::chosen(std::string_view answer) const {
  if (answer.size() > 2 && answer.front() == '"' && answer.back() == '"')
    answer = answer.substr(1, answer.size() - 2);
  const std::string small = lower(answer);
  for (size_t i = 0; i < texts.size(); ++i)
    if (lower(texts[i]) == small) return i;
  for (size_t i = 0; i < texts.size(); ++i)
    if (letter_of(i) == small || letter_of(i) + ")" == small) return i;
  return {};
}

std::optional<Choices> choices_of(const Recording& recording, const Quantity& asked) {
  using Kind = Quantity::Kind;
  if (asked.kind == Kind::Written) {
    const StepQuestionText& q = asked.written();
    return Choices{
        .question = q.question, .texts = q.choices, .right = q.right, .hints = q.hints, .why = q.why};
  }
  if (asked.kind == Kind::Largest) return largest(recording, asked);
  if (asked.kind == Kind::Fixed) return fixed(recording, asked);
  return asked.kind == Kind::LateMask ? late_mask(recording, asked) : std::nullopt;
}

}  // namespace glassgrad::learn
