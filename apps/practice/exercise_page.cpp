#include "apps/practice/exercise_page.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/broken_code.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/markdown.h"

namespace glassgrad::practice {
namespace {

using exercise::Matrix;
using exercise::Verdict;

constexpr size_t kMargin = 2, kBetween = 4;
constexpr std::string_view kCode = "    ", kBlank = "  > ";

void add_words(std::vector<Line>& lines, const std::string& text, size_t columns,
               Style style = Style::Plain) {
  for (std::string& line : filled(learn::plain_words(text), kMargin, columns))
    lines.push_back({{line, style}});
}

// ---- matrices
// Returns the columns to show if only `room` fit. The first column that differs is among them.
std::vector<size_t> shown_columns(const Matrix& m, size_t room) {
  size_t count = 0, first = std::string::npos;
  for (const auto& row : m.rows) {
    count = std::max(count, row.size());
    for (size_t j = 0; j < row.size(); ++j)
      if (row[j].differs) first = std::min(first, j);
  }
  std::vector<size_t> shown;
  const size_t fit = std::min(std::max<size_t>(room, 1), count);
  const size_t inside = first == std::string::npos ? 0 : first;
  const size_t left = std::min(inside >= fit ? inside - fit + 1 + (fit > 1) : 0, count - fit);
  for (size_t j = left; j < left + fit; ++j) shown.push_back(j);
  return shown;
}

size_t cell_width(const Matrix& m) {
  size_t width = 1;
  for (const auto& row : m.rows)
    for (const auto& cell : row) width = std::max(width, columns_of(cell.text));
  return width + 2;  // a space, and the mark
}

struct Drawn {
  std::vector<Line> lines;
  size_t width = 0;
};

Drawn draw(const Matrix& m, const std::string& title, const std::vector<size_t>& columns, size_t cell) {
  Drawn drawn;
  drawn.lines.push_back(
      {{fmt::format("{} {}{}", title, m.shape, m.place.empty() ? "" : ", matrix " + m.place), Style::Bold}});
  for (const auto& row : m.rows) {
    Line line;
    if (row.size() == 1 && row[0].text == "...") {
      line.push_back({" ..."});
    } else {
      for (const size_t j : columns) {
        if (j >= row.size()) break;
        const std::string number = (row[j].differs ? "~" : " ") + row[j].text;
        line.push_back({std::string(cell - std::min(cell, columns_of(number)), ' ')});
        line.push_back({number, row[j].differs ? Style::Reverse : Style::Plain});
      }
      size_t all = 0;
      for (const auto& other : m.rows) all = std::max(all, other.size());
      if (columns.size() < all) line.push_back({" ..", Style::Faint});
    }
    drawn.lines.push_back(std::move(line));
  }
  for (const Line& line : drawn.lines) drawn.width = std::max(drawn.width, columns_of(plain_text(line)));
  return drawn;
}

// Draws the matrices side by side, with columns left out if they are too wide.
void add_matrices(std::vector<Line>& lines, const Matrix& right, const Matrix& yours, size_t columns) {
  const size_t cell = std::max(cell_width(right), cell_width(yours));
  const size_t half = columns > kMargin + kBetween ? (columns - kMargin - kBetween) / 2 : 1;
  const size_t room = half > 3 ? (half - 3) / cell : 1;
  size_t count = 0;
  for (const Matrix* m : {&right, &yours})
    for (const auto& row : m->rows) count = std::max(count, row.size());
  const size_t whole = half / cell >= count ? count : room;
  const Drawn a = draw(right, "right", shown_columns(right, whole), cell),
              b = draw(yours, "yours", shown_columns(yours, whole), cell);
  const size_t width = std::max<size_t>(a.width, std::min<size_t>(half, 20));
  for (size_t i = 0; i < std::max(a.lines.size(), b.lines.size()); ++i) {
    Line line{{std::string(kMargin, ' ')}};
    size_t taken = 0;
    if (i < a.lines.size()) {
      taken = columns_of(plain_text(a.lines[i]));
      line.insert(line.end(), a.lines[i].begin(), a.lines[i].end());
    }
    if (i < b.lines.size()) {
      line.push_back({std::string(width - std::min(width, taken) + kBetween, ' ')});
      line.insert(line.end(), b.lines[i].begin(), b.lines[i].end());
    }
    lines.push_back(std::move(line));
  }
}

bool has_marks(const Matrix& m) {
  return std::any_of(m.rows.begin(), m.rows.end(), [](const auto& row) {
    return std::any_of(row.begin(), row.end(), [](const auto& cell) { return cell.differs; });
  });
}

// Returns "You have: x (6, 3), n = 6.", without a line break inside an item.
std::vector<std::string> given_lines(const std::vector<std::string>& given, size_t columns) {
  std::vector<std::string> lines{"  You have:"};
  for (size_t k = 0; k < given.size(); ++k) {
    const std::string item = " " + given[k] + (k + 1 < given.size() ? "," : ".");
    if (columns_of(lines.back()) + columns_of(item) > columns) lines.emplace_back(" ");
    lines.back() += item;
  }
  return lines;
}

}  // namespace

std::vector<Line> verdict_lines(const Verdict& v, size_t columns) {
  std::vector<Line> lines;
  if (v.kind == Verdict::Right) {
    for (std::string& line : filled("Right. " + v.agreed, kMargin, columns))
      lines.push_back({{line, Style::Bold}});
  } else {
    for (std::string& line : filled(v.sentence, kMargin, columns)) lines.push_back({{line, Style::Bold}});
  }
  if (v.kind == Verdict::Failed && !v.own_line.empty()) {
    lines.push_back({{fmt::format("      {}", cut(v.own_line, columns > 6 ? columns - 6 : 1))}});
    if (v.column > 0) lines.push_back({{std::string(5 + size_t(v.column), ' ') + "^"}});
  }
  if (!v.hint.empty()) add_words(lines, v.hint, columns);
  if (v.right && v.yours) {
    add_matrices(lines, *v.right, *v.yours, columns);
    if (has_marks(*v.right)) lines.push_back({{"  ~ differs", Style::Faint}});
  }
  if (!v.mistake.empty()) add_words(lines, v.mistake, columns);
  if (!v.printed.empty()) {
    lines.push_back({{"  It printed:", Style::Faint}});
    std::string_view rest = v.printed;
    for (size_t n = 0; n < 8 && !rest.empty(); ++n) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      lines.push_back({{"      " + printable(rest.substr(0, end))}});
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return lines;
}

std::vector<Line> lines_of(const ExercisePage& page, size_t columns, Place* cursor) {
  const exercise::Exercise& e = page.exercise;
  std::vector<Line> lines;
  for (const std::string& paragraph : e.prose) add_words(lines, paragraph, columns);
  if (!page.given.empty())
    for (std::string& line : given_lines(page.given, columns)) lines.push_back({{line, Style::Faint}});
  lines.push_back({});
  const auto code = [&](std::string_view mark, const std::string& line, Style style) {
    lines.push_back({{std::string(mark), style}, {line, style}});
  };
  const auto given_code = [&](const std::vector<std::string>& block, std::string_view margin, Style style) {
    for (const std::string& line : block)
      for (const auto& [deeper, part] :
           broken_code(line, std::max(columns, margin.size() + 1) - margin.size()))
        code(margin, std::string(deeper, ' ') + part, style);
  };
  given_code(e.before, kCode, Style::Plain);
  const std::string indent(e.indent, ' ');
  if (page.answer.empty()) code(kBlank, indent + "...", Style::Bold);
  for (size_t k = 0; k < page.answer.size(); ++k) {
    size_t before = 0;  // columns of the earlier parts of the line
    bool first = true;
    for (const auto& [margin, part] :
         broken_code(indent + page.answer[k], std::max(columns, kBlank.size() + 2) - kBlank.size() - 1)) {
      if (cursor && page.typing && page.typing->line == k)
        if (const size_t at = e.indent + page.typing->column; at >= before)
          *cursor = {lines.size(), kBlank.size() + margin + at - before};
      code(first ? kBlank : kCode, std::string(margin, ' ') + part, Style::Bold);
      before += columns_of(part);
      first = false;
    }
  }
  given_code(e.after, kCode, Style::Plain);
  for (size_t k = 0; k < std::min(page.hints, e.hints.size()); ++k) {
    if (k == 0) lines.push_back({});
    add_words(lines, fmt::format("Hint {}: {}", k + 1, e.hints[k]), columns);
  }
  if (page.solution) {
    lines.push_back({});
    lines.push_back({{"  One solution:"}});
    given_code(e.solution, "      ", Style::Bold);
  }
  if (page.verdict) {
    lines.push_back({});
    for (Line& line : verdict_lines(*page.verdict, columns)) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> spoken_verdict(const Verdict& v) {
  std::vector<std::string> all{v.kind == Verdict::Right ? "Right." : v.sentence};
  if (v.kind == Verdict::Failed && v.line == 0 && !v.own_line.empty())
    all.push_back("The line is: " + v.own_line);
  if (!v.hint.empty()) all.push_back(v.hint);
  if (v.right && v.yours) {
    constexpr size_t kMost = 5;
    size_t told = 0;
    for (size_t i = 0; i < std::min(v.right->rows.size(), v.yours->rows.size()); ++i) {
      const auto &a = v.right->rows[i], &b = v.yours->rows[i];
      for (size_t j = 0; j < std::min(a.size(), b.size()); ++j)
        if (a[j].differs && told++ < kMost)
          all.push_back(
              fmt::format("Row {}, column {}: yours is {}, right is {}.", i, j, b[j].text, a[j].text));
    }
  }
  if (!v.mistake.empty()) all.push_back(learn::plain_words(v.mistake));
  return all;
}

std::vector<std::string> spoken_page(const ExercisePage& page) {
  const exercise::Exercise& e = page.exercise;
  std::vector<std::string> all{
      fmt::format("Exercise {} of {}: {}.", page.course.index(e) + 1, page.course.exercises.size(), e.title)};
  for (const std::string& paragraph : e.prose) all.push_back(learn::plain_words(paragraph));
  if (!page.given.empty()) all.push_back(fmt::format("You have: {}.", joined(page.given, ", ")));
  const auto code = [&](const char* what, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    all.emplace_back(what);
    all.insert(all.end(), lines.begin(), lines.end());
  };
  code("The code before your line:", e.before);
  code("Your answer so far:", page.answer);
  code("The code after your line:", e.after);
  return all;
}

std::string text_of(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) {
    std::string plain = plain_text(line);
    plain.resize(plain.find_last_not_of(' ') + 1);
    text += plain + "\n";
  }
  return text;
}

}  // namespace glassgrad::practice
