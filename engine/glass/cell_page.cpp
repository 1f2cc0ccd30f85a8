#include "cell_page.h"

#include <fmt/core.h>

#include <cmath>
#include <deque>
#include <set>

#include "../core/text_width.h"
#include "expr_printer.h"

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

Piece CellPage::operand(const std::string& text, const SnapshotElement& place, const std::string& name) {
  const auto [known, is_new] = numbers.try_emplace(text, int(operands.size()));
  if (is_new) operands.push_back(place), names.push_back(name);
  return {text, known->second};
}

bool ExplainedNumber::is_origin() const {
  return !opened || opened->expression->op == "draw" || opened->expression->op == "number";
}

Explanation explain(const ExplainedNumber& first,
                    const std::function<ExplainedNumber(const SnapshotElement&)>& explained,
                    const ExplainOptions& how) {
  std::vector<Text> lines, origins;
  std::set<std::pair<const Buffer*, int64_t>> seen;
  std::deque<std::pair<SnapshotElement, int64_t>> waiting;
  const auto is_new = [&](const SnapshotElement& place) {
    return seen.emplace(place.x.buffer.get(), place.x.place(place.index)).second;
  };
  const auto add = [&](const CellPage& page, int64_t level) {
    lines.insert(lines.end(), page.lines.begin(), page.lines.end());
    if (level >= how.depth) return;
    for (const SnapshotElement& operand : page.operands)
      if (is_new(operand)) waiting.emplace_back(operand, level + 1);
    check<TooDeep>(seen.size() <= kMostCells,
                   "a depth of {} would open more than {} numbers: give a smaller depth", how.depth,
                   kMostCells);
  };
  is_new(first.place);
  add(first.page, 1);
  for (; !waiting.empty(); waiting.pop_front()) {
    const ExplainedNumber cell = explained(waiting.front().first);
    if (cell.is_origin()) {
      origins.push_back(origin_line(cell));
    } else {
      lines.emplace_back();
      add(cell.page, waiting.front().second);
    }
  }
  if (!origins.empty()) origins.insert(origins.begin(), {{}, {{"where this comes from:"}}});
  lines.insert(lines.end(), origins.begin(), origins.end());
  if (how.depth > 1)
    lines.insert(lines.end(), {{}, {{first.name}}});
  else
    lines.pop_back();  // drops the value, which ends every page
  return {std::move(lines), first.value};
}

std::string text_of(const Explanation& explanation) {
  std::string text;
  for (const Text& line : explanation.lines) text += plain(line) + "\n";
  return fmt::format("{}= {}\n", text, explanation.value);
}

}  // namespace glassgrad::why
