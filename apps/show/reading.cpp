#include "apps/show/reading.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "apps/cli/text_width.h"
#include "apps/lesson/markdown.h"
#include "apps/show/sentences.h"
#include "engine/core/utf8.h"

namespace glassgrad::learn {
namespace {

constexpr std::string_view kFence = "```";

// Returns the length of "12. " at the beginning; 0 if the line is not an item of a numbered list.
size_t number_of(std::string_view line) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const size_t digits = size_t(std::find_if_not(line.begin(), line.end(), is_digit) - line.begin());
  return digits > 0 && line.substr(digits).starts_with(". ") ? digits + 2 : 0;
}

std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells(1);
  row = trimmed(row);
  row.remove_prefix(1);  // the bar before the first
  if (row.ends_with('|')) row.remove_suffix(1);
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i] == '|' && (i == 0 || row[i - 1] != '\\'))
      cells.emplace_back();
    else
      cells.back() += row[i];
  }
  for (std::string& cell : cells) cell = plain_words(trimmed(cell));
  return cells;
}

class MarkdownLayout {
 public:
  MarkdownLayout(std::string_view text, size_t columns) : text_(text), columns_(columns) {}

  std::vector<Line> lines() {
    while (!text_.empty()) {
      const std::string_view line = take();
      if (line.starts_with(kFence))
        code();
      else if (line.starts_with('#') && line.find_first_not_of('#') < line.size())
        heading(line);
      else if (line.starts_with('|'))
        table(line);
      else if (line.starts_with("<a id="))
        continue;
      else if (trimmed(line).empty())
        gap();
      else
        paragraph(line);
    }
    while (!lines_.empty() && plain_text(lines_.back()).empty()) lines_.pop_back();
    return std::move(lines_);
  }

 private:
  std::string_view take() {
    const size_t end = std::min(text_.find('\n'), text_.size());
    const std::string_view line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return line;
  }
  std::string_view next() const { return text_.substr(0, text_.find('\n')); }

  // Adds one empty line, however many there were.
  void gap() {
    if (!lines_.empty() && !plain_text(lines_.back()).empty()) lines_.emplace_back();
  }

  void code() {
    std::vector<std::string_view> block;
    size_t widest = 0;
    while (!text_.empty() && !next().starts_with(kFence)) {
      block.push_back(take());
      widest = std::max(widest, columns_of(block.back()));
    }
    take();
    constexpr size_t kMargin = 4;
    const std::string margin(std::min(kMargin, columns_ - std::min(widest, columns_)), ' ');
    for (const std::string_view line : block)
      lines_.push_back(line.empty() ? Line() : Line{{margin + std::string(line)}});
  }

  void heading(std::string_view line) {
    const size_t level = line.find_first_not_of('#');
    const std::string title = plain_words(trimmed(line.substr(level)));
    gap();
    size_t widest = 0;
    for (std::string& part : filled(title, 0, columns_)) {
      widest = std::max(widest, columns_of(part));
      lines_.push_back({{std::move(part), Style::Bold}});
    }
    lines_.push_back({{std::string(widest, level == 1 ? '=' : level == 2 ? '-' : '.'), Style::Faint}});
  }

  static bool ends_paragraph(std::string_view line) {
    return trimmed(line).empty() || line.starts_with('|') || line.starts_with('#') ||
           line.starts_with(kFence) || line.starts_with("<a id=") || line.starts_with(kPoint) ||
           number_of(line) > 0;
  }

  // Also adds list items; their continuation lines get a margin.
  void paragraph(std::string_view line) {
    std::string words(line);
    while (!text_.empty() && !ends_paragraph(next())) words += fmt::format(" {}", trimmed(take()));
    const size_t number = number_of(words);
    if (number == 0) {
      const std::string all[] = {words};
      for (Line& made : said(all, columns_)) lines_.push_back(std::move(made));
      return;
    }
    constexpr size_t kPlace = 4;  // "12. "
    const std::string all[] = {words.substr(number)};
    bool is_first = true;
    for (Line& made : said(all, columns_ - kPlace)) {
      made.insert(made.begin(), {right_aligned(is_first ? words.substr(0, number) : "", kPlace)});
      lines_.push_back(std::move(made));
      is_first = false;
    }
  }

  void table(std::string_view first) {
    std::vector<std::vector<std::string>> rows{cells_of(first)};
    take();  // the line of dashes
    while (next().starts_with('|')) rows.push_back(cells_of(take()));
    std::vector<size_t> widths(rows.front().size());
    for (auto& row : rows) {
      row.resize(widths.size());
      for (size_t k = 0; k < widths.size(); ++k) widths[k] = std::max(widths[k], columns_of(row[k]));
    }
    size_t taken = 0;
    for (const size_t width : widths) taken += width + 2;
    const std::vector<std::string>& head = rows.front();
    if (taken <= columns_ + 2) {
      for (size_t r = 0; r < rows.size(); ++r) {
        Line line;
        for (size_t k = 0; k < widths.size(); ++k)
          line.push_back({left_aligned(rows[r][k], widths[k]) + (k + 1 < widths.size() ? "  " : ""),
                          r == 0 ? Style::Bold : Style::Plain});
        lines_.push_back(std::move(line));
        if (r == 0) lines_.push_back({{std::string(taken - 2, '-'), Style::Faint}});
      }
      return;
    }
    for (size_t r = 1; r < rows.size(); ++r) {
      lines_.push_back({{rows[r][0], Style::Bold}});
      for (size_t k = 1; k < widths.size(); ++k) {
        const std::string cell = head[k].empty() ? rows[r][k] : fmt::format("{}: {}", head[k], rows[r][k]);
        for (std::string& part : filled(cell, 2, columns_)) lines_.push_back({{std::move(part)}});
      }
    }
  }

  std::string_view text_;
  size_t columns_;
  std::vector<Line> lines_;
};

}  // namespace

std::vector<Line> reading_lines(std::string_view markdown, size_t columns) {
  return MarkdownLayout(markdown, std::max<size_t>(columns, 20)).lines();
}

}  // namespace glassgrad::learn
