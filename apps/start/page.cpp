#include "apps/start/page.h"
#include "engine/core/joined.h"

#include <algorithm>

#include "apps/cli/text_width.h"
#include "apps/show/curve.h"

namespace glassgrad::start {
namespace {

constexpr size_t kMargin = 1, kColumns = 78, kBar = 12;

bool has_bars(const NumberTable& table, size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const Row& row) { return row.cells[column].share.has_value(); });
}

std::vector<Line> lines_of(const NumberTable& table) {
  size_t names = 0;
  for (const Row& row : table.rows) names = std::max(names, columns_of(row.name));
  std::vector<size_t> widths;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    size_t width = columns_of(table.columns[c]);
    for (const Row& row : table.rows) width = std::max(width, columns_of(row.cells[c].text));
    widths.push_back(width);
  }
  const auto line = [&](const Row& row) {
    std::string text = std::string(kMargin + 2, ' ') + left_aligned(row.name, names);
    for (size_t c = 0; c < row.cells.size(); ++c) {
      text += "  " + right_aligned(row.cells[c].text, widths[c]);
      if (has_bars(table, c)) text += " " + left_aligned(bar(row.cells[c].share.value_or(0), kBar), kBar);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return Line{{text, row.stands_out ? Style::Bold : Style::Plain}};
  };
  Row head{"", {}};
  for (const std::string& column : table.columns) head.cells.push_back({column});
  std::vector<Line> lines{line(head)};
  if (!table.groups.empty()) {
    Line groups{{std::string(kMargin + 2 + names, ' '), Style::Faint}};
    const size_t each = table.columns.size() / table.groups.size();
    for (size_t g = 0; g < table.groups.size(); ++g) {
      size_t width = 0;
      for (size_t c = g * each; c < (g + 1) * each; ++c)
        width += widths[c] + 2 + (has_bars(table, c) ? kBar + 1 : 0);
      groups[0].text += "  " + left_aligned(table.groups[g], width - 2);
    }
    groups[0].text.erase(groups[0].text.find_last_not_of(' ') + 1);
    lines.insert(lines.begin(), groups);
  }
  lines[table.groups.empty() ? 0 : 1][0].style = Style::Faint;
  for (const Row& row : table.rows) lines.push_back(line(row));
  return lines;
}

// Returns "cats: untrained 0.2500, trained 0.9999."
std::string spoken_row(const NumberTable& table, const Row& row) {
  std::string text = row.name + ":";
  for (size_t c = 0; c < row.cells.size(); ++c) {
    const Cell& cell = row.cells[c];
    const size_t each = table.groups.empty() ? 0 : table.columns.size() / table.groups.size();
    text += fmt::format("{}{} {} {}", c ? "," : "", each && c % each == 0 ? " " + table.groups[c / each] : "",
                        table.columns[c], cell.spoken.empty() ? cell.text : cell.spoken);
  }
  return text + ".\n";
}

}  // namespace

Cell number(double x) { return {fmt::format("{:.4f}", x)}; }
Cell share(double x) {
  constexpr double kNothing = 0.00005;  // 0.0000, and no bar
  return {fmt::format("{:.4f}", x), x < kNothing ? 0 : x};
}

std::vector<Line> Page::lines(size_t columns) const {
  std::vector<Line> lines;
  const size_t width = std::min(columns, kColumns);
  const auto add = [&](const std::string& text, Style style = Style::Plain) {
    lines.push_back({{text, style}});
  };
  for (const Block& block : blocks_) {
    if (&block != &blocks_.front()) add("");
    if (block.table) {
      for (Line& line : lines_of(*block.table)) lines.push_back(std::move(line));
    } else if (!block.picture.empty()) {
      for (const std::string& line : block.picture) add(line.empty() ? "" : std::string(kMargin, ' ') + line);
    } else {
      for (const std::string& line : filled(block.text, kMargin, width)) add(line);
    }
  }
  if (!choices.empty()) add("");
  for (size_t i = 0; i < choices.size(); ++i) {
    std::string what = choices[i].words;
    const std::string command =
        fmt::format("{}glassgrad {}", left_aligned(what, 44), joined(choices[i].arguments, " "));
    const bool fits = kMargin + 5 + columns_of(command) <= columns;  // a path may be long
    if (!choices[i].arguments.empty() && choices[i].asks.empty() && fits) what = command;
    add(fmt::format("{:{}}{}  {}", "", kMargin + 2, i + 1, what), Style::Bold);
  }
  return lines;
}

std::string Page::plain(const std::string& heading, size_t columns) const {
  std::string text = fmt::format("{}\n\n", heading);
  for (const Line& line : lines(columns)) text += plain_text(line) + "\n";
  return text + "\n";
}

std::string Page::spoken(const std::string& heading) const {
  std::string text = heading + ".\n";
  for (const Block& block : blocks_) {
    if (!block.text.empty()) text += block.text + (block.text.back() == '\n' ? "" : "\n");
    if (block.table)
      for (const Row& row : block.table->rows) text += spoken_row(*block.table, row);
  }
  for (size_t i = 0; i < choices.size(); ++i) {
    text += fmt::format("{}: {}", i + 1, choices[i].words);
    if (!choices[i].arguments.empty())
      text += fmt::format(", glassgrad {}", joined(choices[i].arguments, " "));
    text += ".\n";
  }
  return text;
}

}  // namespace glassgrad::start
