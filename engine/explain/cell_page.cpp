#include "cell_page.h"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <set>

#include "text_width.h"

namespace glassgrad::why {
namespace {

std::string about_rounding(const Opened& opened, const Scalar& value, bool exact) {
  const double off = opened.rounding;
  const Scalar shown = scalar_of(to_double(value) - off, value.dtype);
  return fmt::format(
      "In the order shown the arithmetic ends at {}; the kernel works in a different order, and its rounding ends {} {}.",
      digits_of(shown, true), exact ? fmt::format("{}", std::abs(off)) : fmt::format("{:.2g}", std::abs(off)),
      off > 0   ? "above it"
      : off < 0 ? "below it"
                : "elsewhere");
}

Text origin_line(const ExplainedNumber& cell) {
  const bool drawn = cell.opened && cell.opened->expression->op == "draw";
  return {{fmt::format("  {} = {}{}", cell.name, cell.value,
                       drawn ? ", drawn: " + cell.opened->expression->label : "")}};
}

// Collects the pages from the cell downwards.
class Descent {
 public:
  Descent(const std::function<ExplainedNumber(const SnapshotElement&)>& explained, const ExplainOptions& how)
      : explained_(explained), how_(how) {}

  Explanation from(const ExplainedNumber& first) {
    all_.value = first.value;
    is_new(first.place);
    add(first, 1);
    while (!waiting_.empty()) {
      const auto [place, level] = waiting_.front();
      waiting_.pop_front();
      const ExplainedNumber cell = explained_(place);
      if (cell.is_origin()) {
        origins_.push_back(origin_line(cell));
      } else {
        all_.lines.emplace_back();
        add(cell, level);
      }
    }
    if (!origins_.empty()) origins_.insert(origins_.begin(), {{}, {{"where this comes from:"}}});
    all_.lines.insert(all_.lines.end(), origins_.begin(), origins_.end());
    if (how_.depth > 1)
      all_.lines.insert(all_.lines.end(), {{}, {{first.name}}});
    else
      all_.lines.pop_back();  // drops the value, which ends every page
    return std::move(all_);
  }

 private:
  void add(const ExplainedNumber& cell, int64_t level) {
    all_.lines.insert(all_.lines.end(), cell.page.lines.begin(), cell.page.lines.end());
    if (level >= how_.depth) return;
    for (const SnapshotElement& operand : cell.page.operands)
      if (is_new(operand)) waiting_.emplace_back(operand, level + 1);
    check<TooDeep>(seen_.size() <= kMostCells,
                   "a depth of {} would open more than {} numbers: give a smaller depth", how_.depth,
                   kMostCells);
  }
  bool is_new(const SnapshotElement& place) {
    return seen_.emplace(place.x.buffer.get(), place.x.place(place.index)).second;
  }

  const std::function<ExplainedNumber(const SnapshotElement&)>& explained_;
  const ExplainOptions& how_;
  std::set<std::pair<const Buffer*, int64_t>> seen_;
  std::deque<std::pair<SnapshotElement, int64_t>> waiting_;
  Explanation all_;
  std::vector<Text> origins_;
};

}  // namespace

void add_filled(std::vector<Text>& lines, const std::string& text, size_t columns) {
  for (std::string& line : filled(text, 0, columns)) lines.push_back({{std::move(line)}});
}

void add_opened(CellPage& page, const Op& op, const Opened& opened, const Scalar& value,
                const PageNames& names, const FormatOptions& how) {
  add_filled(page.lines, fmt::format("{}: {}", op.name, op.formula), how.columns);
  const auto lines = arithmetic(opened.expression, names.result, names.operand, how);
  if (const std::string elsewhere = names.elsewhere(); !elsewhere.empty())
    add_filled(page.lines, elsewhere, how.columns);
  page.lines.emplace_back();
  page.arithmetic = page.lines.size();
  page.lines.insert(page.lines.end(), lines.begin(), lines.end());
  if (opened.rounding == 0) return;
  page.lines.emplace_back();
  add_filled(page.lines, about_rounding(opened, value, how.exact), how.columns);
}

bool ExplainedNumber::is_origin() const {
  return !opened || opened->expression->op == "draw" || opened->expression->op == "number";
}

Explanation explain(const ExplainedNumber& first,
                    const std::function<ExplainedNumber(const SnapshotElement&)>& explained,
                    const ExplainOptions& how) {
  return Descent(explained, how).from(first);
}

std::string text_of(const Explanation& explanation) {
  std::string text;
  for (const Text& line : explanation.lines) text += plain(line) + "\n";
  return fmt::format("{}= {}\n", text, explanation.value);
}

}  // namespace glassgrad::why
