#include "apps/model/inspection_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/cli/text_width.h"
#include "apps/lesson/phrases.h"
#include "apps/show/step_page.h"
#include "engine/ops.h"

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

// The matrix of one head, called as PyTorch indexes it.
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

class Report {
 public:
  Report(const learn::Recording& recording, Output& out)
      : recording_(recording),
        out_(out),
        columns_(out.screen().columns > 0 ? out.screen().columns : kColumns),
        palette_(out.is_terminal() ? palette_of_terminal() : Palette::None) {}

  void write(const Step& step) {
    learn::StepPageView view;
    view.columns = columns_;
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
  bool folded() const { return folded_; }

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
  report.write_text(
      "Attention weights: a row for each token that looks, a column for each token that it looks at. Marks "
      ". - + * @: fifths of the largest |value|.");
  for (int64_t layer = 0; layer < view.layers; ++layer) {
    if (layer != view.layer.value_or(layer)) continue;
    Step step = step_called(recording, weights_step(layer));
    if (view.head) step.entries = {of_head(entry_called(step, kWeights), *view.head)};
    report.write(step);
  }
  Step next = step_called(recording, kNextToken);
  next.entries = bars(entry_called(next, kProbabilities).value->tensor(), tokenizer, view.top);
  report.write(next);
  Step zeroed = step_called(recording, kZeroedHead);
  std::erase_if(zeroed.entries, [](const Entry& e) { return e.name == kProbabilities; });
  report.write(zeroed);
  if (report.folded())
    report.write_text(
        "Of a long dimension the first and the last are shown: --layer and --head choose one head, --format "
        "json and --npy give all numbers.");
}

}  // namespace glassgrad::inspect
