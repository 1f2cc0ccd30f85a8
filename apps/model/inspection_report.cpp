#include "apps/model/inspection_report.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/cli/text_width.h"
#include "apps/lesson/phrases.h"
#include "apps/show/step_page.h"
#include "apps/show/tensor_table.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::inspect {
namespace {

using learn::Entry, learn::Step;

constexpr size_t kBar = 40, kLongestName = 24, kColumns = 80;

const Step& step_called(const learn::Recording& recording, std::string_view id) {
  return *std::find_if(recording.steps.begin(), recording.steps.end(),
                       [&](const Step& s) { return s.id == id; });
}

const Entry& entry_called(const Step& step, std::string_view name) {
  return *std::find_if(step.entries.begin(), step.entries.end(),
                       [&](const Entry& e) { return e.name == name; });
}

// The matrix of one head, named as PyTorch indexes it.
Entry of_head(const Entry& all, int64_t head) {
  const Tensor weights = all.value->tensor()[0][head];
  return {.name = fmt::format("{}[0, {}]", all.name, head),
          .value = learn::value_of(weights, Snapshots().take(weights)),
          .label = {},
          .axes = {all.axes.end() - 2, all.axes.end()},
          .row_sums = all.row_sums};
}

std::vector<Entry> bars(const Tensor& probabilities, const Tokenizer& tokenizer, int64_t top) {
  const auto [values, ids] = topk(probabilities, std::min(top, probabilities.numel()));
  std::vector<std::string> names;
  size_t width = 0;
  for (const int64_t id : ids.to_vector<int64_t>()) {
    names.push_back(tokenizer.token_text(id));
    width = std::max(width, columns_of(names.back()));
  }
  std::vector<Entry> lines;
  for (size_t i = 0; i < names.size(); ++i) {
    const double p = values[int64_t(i)].item();
    const std::string bar(size_t(std::lround(p * double(kBar))), '#');
    Entry& line = lines.emplace_back();
    line.label = fmt::format("{} {} {}", left_aligned(names[i], std::min(width, kLongestName)),
                             fixed(p, print_options().precision), bar);
    line.label.resize(line.label.find_last_not_of(' ') + 1);
  }
  return lines;
}

// While alive, numbers print with `precision` digits after the point and without exponents.
class Digits {
 public:
  explicit Digits(int precision) : before_(print_options()) {
    set_printoptions({.precision = precision, .sci_mode = false});
  }
  ~Digits() { set_printoptions({.precision = before_.precision, .sci_mode = before_.sci_mode}); }
  Digits(const Digits&) = delete;
  Digits& operator=(const Digits&) = delete;

 private:
  PrintOptions before_;
};

// The token's name, with its position if the name occurs more than once.
std::string token_at(const learn::Recording& recording, size_t place) {
  const std::string& name = recording.tokens[place];
  const bool one = std::count(recording.tokens.begin(), recording.tokens.end(), name) == 1;
  return learn::in_quotes(name) + (one ? "" : fmt::format(" at position {}", place));
}

// The head whose absence changes the likeliest token's probability most, and the start of the sentence about
// it.
struct Finding {
  Head head;
  std::string heads;  // "Of the model's 8 heads, the one that counts most is"
};

std::optional<Finding> found_by_trying(const Step& zeroed) {
  for (const Entry& e : zeroed.entries) {
    if (e.name != "change") continue;
    const Tensor change = e.value->tensor();
    Finding found;
    double furthest = -1;
    int64_t tried = 0;
    for (int64_t layer = 0; layer < change.size(0); ++layer)
      for (int64_t head = 0; head < change.size(1); ++head) {
        const double moved = std::abs(change[layer][head].item());
        if (std::isnan(moved)) continue;
        ++tried;
        if (moved > furthest) furthest = moved, found.head = {layer, head};
      }
    found.heads = tried == 1 ? "The head that was tried is"
                  : tried < change.numel()
                      ? fmt::format("Of the {} heads that were tried, the one that counts most is", tried)
                      : fmt::format("Of the model's {} heads, the one that counts most is", tried);
    return found;
  }
  return {};
}

// The tokens that a row of weights gives most to: ""cats" (0.51), "␣during" (0.20) and "␣trees" (0.18)".
std::string looks_at(const learn::Recording& recording, const Tensor& row) {
  constexpr int64_t kMost = 3;
  constexpr double kLeast = 0.05;
  const auto [weights, places] = topk(row, std::min(kMost, row.numel()));
  std::vector<std::string> named;
  for (int64_t i = 0; i < weights.numel(); ++i)
    if (i == 0 || weights[i].item() >= kLeast)
      named.push_back(fmt::format("{} ({})", token_at(recording, size_t(places[i].item<int64_t>())),
                                  fixed(weights[i].item(), 2)));
  if (named.size() == 1) return named[0];
  return fmt::format("{} and {}", joined(std::span(named).first(named.size() - 1), ", "), named.back());
}

std::vector<std::string> findings(const learn::Recording& recording, const Tokenizer& tokenizer,
                                  const ReportView& view) {
  const Step& zeroed = step_called(recording, kZeroedHead);
  const Tensor before = entry_called(step_called(recording, kNextToken), kProbabilities).value->tensor();
  const Tensor after = entry_called(zeroed, kProbabilities).value->tensor();
  const auto top = int64_t(learn::position_of_largest(before)),
             now = int64_t(learn::position_of_largest(after));
  const auto name = [&](int64_t id) { return learn::in_quotes(tokenizer.token_text(id)); };
  const double with = before[top].item(), without = after[top].item();

  const Finding found = view.zeroed ? Finding{*view.zeroed, "You asked about"} : *found_by_trying(zeroed);
  const auto [layer, head] = found.head;
  std::vector<std::string> text;
  text.push_back(fmt::format("After {} the model expects {}, with a probability of {}.",
                             token_at(recording, recording.tokens.size() - 1), name(top), fixed(with, 4)));
  text.push_back(fmt::format("{} head {} of layer {}: without it the probability of {} {} {}.", found.heads,
                             head, layer, name(top),
                             without < with   ? "falls to"
                             : without > with ? "rises to"
                                              : "stays",
                             fixed(without, 4)));
  text.push_back(now == top ? fmt::format("{} remains the likeliest token.", name(top))
                            : fmt::format("Then {} is the likeliest token, with {}.", name(now),
                                          fixed(after[now].item(), 4)));
  const Tensor weights =
      entry_called(step_called(recording, weights_step(layer)), kWeights).value->tensor()[0][head];
  text.push_back(fmt::format("From {}, where the next token is expected, that head looks most at {}.",
                             token_at(recording, recording.tokens.size() - 1),
                             looks_at(recording, weights[weights.size(0) - 1])));
  return text;
}

class Report {
 public:
  Report(const learn::Recording& recording, Output& out)
      : recording_(recording),
        out_(out),
        columns_(out.screen().columns > 0 ? out.screen().columns : kColumns),
        palette_(out.is_terminal() ? palette_of_terminal() : Palette::None) {}

  // Writes the change of a probability with four digits, or in the default format if every change is below
  // 0.001.
  void write_change(const Step& step) {
    constexpr double kShown = 1e-3;
    const auto moved = [](const Entry& e) {
      const std::vector<double> all = e.value->tensor().flatten().to_vector<double>();
      return std::any_of(all.begin(), all.end(), [](double x) { return std::abs(x) >= kShown; });
    };
    if (std::none_of(step.entries.begin(), step.entries.end(), moved)) return write(step);
    const Digits digits(4);
    write(step);
  }
  void write(const Step& step, bool sums = true) {
    learn::StepPageView view;
    view.columns = columns_;
    view.sums = sums;
    const learn::StepPage page = learn::page_of(recording_, step, view);
    folded_ = folded_ || page.long_one;
    write({{step.title, Style::Bold}});
    const auto first = std::find_if(page.lines.begin(), page.lines.end(),
                                    [](const Line& line) { return !plain_text(line).empty(); });
    std::for_each(first, page.lines.end(), [&](const Line& line) { write(line); });
    write(Line{});
  }
  void write_text(std::string_view text) {
    for (std::string& line : filled(text, 0, columns_)) write(Line{{std::move(line)}});
    write(Line{});
  }
  void write_heading(std::string_view text) { write({{std::string(text), Style::Bold}}); }
  bool folded() const { return folded_; }

  // Writes a step's attention weights with four digits, or as many as fit into every column. The row sums,
  // which are 1, are dropped first.
  void write_weights(const Step& step) {
    constexpr size_t kRowName = 10, kSums = 11;  // including the spaces between
    const size_t shown = learn::shown_indices(std::ssize(recording_.tokens), true).size();
    for (int precision = 4;; --precision) {
      const size_t needed = kRowName + shown * (size_t(precision) + 4);
      if (needed > columns_ && precision > 2) continue;
      const Digits digits(precision);
      return write(step, precision == 4 && needed + kSums <= columns_);
    }
  }

 private:
  void write(const Line& line) { out_.control(paint(line, columns_, palette_) + "\n"); }

  const learn::Recording& recording_;
  Output& out_;
  size_t columns_;
  Palette palette_;
  bool folded_ = false;
};

}  // namespace

void render_report(const learn::Recording& recording, const Tokenizer& tokenizer, const ReportView& view,
                   Output& out) {
  Report report(recording, out);
  report.write_heading("What was found");
  std::string found;
  for (const std::string& sentence : findings(recording, tokenizer, view)) found += sentence + " ";
  report.write_text(found);
  Step next = step_called(recording, kNextToken);
  next.entries = bars(entry_called(next, kProbabilities).value->tensor(), tokenizer, view.top);
  report.write(next);

  report.write_text(
      "Attention weights: a row for each token that looks, a column for each token that it looks at. Marks "
      ". - + * @: fifths of the largest |value|.");
  for (int64_t layer = 0; layer < view.layers; ++layer) {
    if (layer != view.layer.value_or(layer)) continue;
    Step step = step_called(recording, weights_step(layer));
    if (view.head) step.entries = {of_head(entry_called(step, kWeights), *view.head)};
    report.write_weights(step);
  }
  Step zeroed = step_called(recording, kZeroedHead);
  std::erase_if(zeroed.entries, [](const Entry& e) { return e.name == kProbabilities; });
  report.write_change(zeroed);
  if (report.folded())
    report.write_text(
        "Of a long dimension the first and the last are shown: --layer and --head choose one head, --format "
        "json and --npy give all numbers.");
}

}  // namespace glassgrad::inspect
