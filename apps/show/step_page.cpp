#include "apps/show/step_page.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/broken_code.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/axes.h"
#include "apps/lesson/difference.h"
#include "apps/show/curve.h"
#include "apps/show/sentences.h"
#include "engine/core/utf8.h"

namespace glassgrad::learn {
namespace {

void add_broken(StepPage& page, const std::string& text, size_t columns) {
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    for (std::string& line : broken(text.substr(start, end - start), columns))
      page.lines.push_back({{std::move(line)}});
    start = end + 1;
  }
}

void add_indented(StepPage& page, const std::string& text, size_t columns, Style style) {
  constexpr size_t kMargin = 4;
  for (const auto& [margin, line] : broken_code(text, std::max(columns, kMargin + 1) - kMargin))
    page.lines.push_back({{std::string(kMargin + margin, ' ') + line, style}});
}

// Adds the lines of a block: ~ before a line that was changed, and below it the line as it was.
void add_code(StepPage& page, const Step& step, const CodeBlock& block, const StepPageView& view) {
  for (size_t k = 0; k < block.count; ++k) {
    const std::string& line = step.code[block.first + k];
    const bool chosen = view.code_line == block.first + k;
    const auto edited = block.edited.find(k);
    if (chosen) page.cursor = page.lines.size();
    if (!chosen && edited == block.edited.end()) {
      add_indented(page, line, view.columns, Style::Plain);
      continue;
    }
    page.lines.push_back({{chosen ? "> " : "  ", Style::Bold},
                          {edited == block.edited.end() ? "  " : "~ ", Style::Bold},
                          {line, chosen ? Style::Cursor : Style::Plain}});
    if (edited == block.edited.end()) continue;
    page.changed = page.changed || block.whose != Whose::Wrong;
    page.lines.push_back(
        {{fmt::format("      {}: {}", before_text(block), trimmed(edited->second)), Style::Faint}});
  }
}

void add_exact(StepPage& page, const Recording& recording, const Entry& entry, size_t columns) {
  Line head{{entry.name, Style::Bold}, {"  " + shape_text(entry)}};
  if (const std::string whose = whose_text(recording, entry); !whose.empty())
    head.push_back({"  " + whose, Style::Faint});
  page.lines.push_back(std::move(head));
  add_broken(page, entry.value->repr(), columns);
  if (entry.changed) add_broken(page, "changed: " + difference_text(entry), columns);
}

// Puts grids with few lines beside each other, as many as fit on the screen.
class GridRow {
 public:
  bool is_empty() const { return lines_.empty(); }
  // Returns false if there is no space left.
  bool add(const Lines& grid, size_t columns) {
    constexpr size_t kMostLines = 12, kBetween = 4;
    if (grid.size() > kMostLines) return false;
    size_t width = 0;
    for (const Line& line : grid) width = std::max(width, columns_of(plain_text(line)));
    const size_t from = is_empty() ? 0 : width_ + kBetween;
    if (from > 0 && from + width > columns) return false;
    lines_.resize(std::max(lines_.size(), grid.size()));
    for (size_t i = 0; i < grid.size(); ++i) {
      const size_t taken = columns_of(plain_text(lines_[i]));
      if (taken < from) lines_[i].push_back({std::string(from - taken, ' ')});
      const Line part = grid[i];
      lines_[i].insert(lines_[i].end(), part.begin(), part.end());
    }
    width_ = from + width;
    return true;
  }
  std::vector<Line> take() {
    width_ = 0;
    return std::exchange(lines_, {});
  }

 private:
  std::vector<Line> lines_;
  size_t width_ = 0;
};

// Adds a step's tensors and the lines that it printed.
class Entries {
 public:
  Entries(StepPage& page, const Recording& recording, const StepPageView& view)
      : page_(page), recording_(recording), view_(view) {}

  void add(std::span<const Entry> entries) {
    for (const Entry& entry : entries) add(entry);
    end_row();
  }

 private:
  void add(const Entry& entry) {
    const bool is_short = !entry.value || entry.value->shape().n == 0;
    if (is_short || view_.exact) end_row();
    if (is_short && (view_.exact || !after_short_one_)) space();
    after_short_one_ = is_short;
    if (!entry.value) {
      page_.changed = page_.changed || entry.reworded;
      add_broken(page_, (entry.reworded ? "~ " : "") + entry.print_text(), view_.columns);
    } else if (view_.exact) {
      if (!is_short) space();
      add_exact(page_, recording_, entry, view_.columns);
    } else {
      add_grid(entry, is_short);
    }
  }

  void space() {
    if (!page_.lines.empty()) page_.lines.push_back({});
  }
  void end_row() { page_.lines.append(row_.take()); }

  void add_grid(const Entry& entry, bool is_short) {
    GridView one = view_;
    if (&entry != view_.focus) one.cursor.reset();
    const Grid g = grid(recording_, entry, one);
    if (one.cursor) page_.left = g.left;
    page_.long_one = page_.long_one || g.long_one;
    page_.left_most = std::max(page_.left_most, g.left_most);
    page_.marked = page_.marked || g.marked;
    page_.masked = page_.masked || g.masked;
    page_.changed = page_.changed || g.changed;
    const bool is_beside = !is_short && !row_.is_empty() && row_.add(g.lines, view_.columns);
    if (!is_beside) {
      end_row();
      if (!is_short) space();
    }
    if (g.cursor) page_.cursor = page_.lines.size() + *g.cursor;
    if (!is_beside && (is_short || !row_.add(g.lines, view_.columns))) page_.lines.append(g.lines);
    const std::vector<double> steps = values_of_steps(entry);
    if (steps.empty() || !view_.hidden.empty()) return;
    end_row();
    page_.lines.push_back({});
    constexpr size_t kWidest = 72;
    for (std::string& line : curve(steps, {.columns = std::min(view_.columns, kWidest)}))
      page_.lines.push_back({{std::move(line)}});
  }

  StepPage& page_;
  const Recording& recording_;
  const StepPageView& view_;
  GridRow row_;
  bool after_short_one_ = false;
};

}  // namespace

StepPage page_of(const Recording& recording, const Step& step, const StepPageView& view) {
  StepPage page;
  page.left = view.left;
  const auto space = [&] {
    if (!page.lines.empty()) page.lines.push_back({});
  };
  const auto add_filled = [&](const std::string& text, Style style) {
    for (std::string& line : filled(text, 0, std::min(view.columns, kWidestText)))
      page.lines.push_back({{std::move(line), style}});
  };
  if (!view.note.empty()) {
    const size_t first = std::min(view.note.find('\n'), view.note.size());
    add_filled(view.note.substr(0, first), Style::Bold);
    if (first < view.note.size()) add_broken(page, view.note.substr(first + 1), view.columns);
    space();
  }
  const size_t widest = std::min(view.columns, kWidestText);
  const size_t links_before = links_of(step.said_before()).size();
  const auto add_said = [&](std::span<const std::string> sentences, size_t links) {
    const std::optional<size_t> lit =
        view.link && *view.link >= links ? std::optional(*view.link - links) : std::nullopt;
    for (Line& line : said(sentences, widest, lit)) {
      const bool is_lit = std::ranges::count(line, Style::Cursor, &Span::style) > 0;
      if (is_lit && !page.cursor) page.cursor = page.lines.size();
      page.lines.push_back(std::move(line));
    }
  };
  add_said(step.said_before(), 0);
  if (!step.formulas.empty()) space();
  for (const Formula& formula : step.formulas) add_indented(page, formula.text, view.columns, Style::Bold);
  for (const CodeBlock& block : step.blocks()) {
    space();
    if (const std::string whose = whose_text(recording, step, block); !whose.empty())
      for (std::string& line : filled(whose + ":", 2, widest))
        page.lines.push_back({{std::move(line), Style::Faint}});
    add_code(page, step, block, view);
    if (block.raised.empty()) continue;
    space();
    add_broken(page, block.raised, view.columns);
  }

  Entries(page, recording, view).add(step.entries);
  if (!step.said_after().empty()) {
    space();
    add_said(step.said_after(), links_before);
  }
  return page;
}

}  // namespace glassgrad::learn
