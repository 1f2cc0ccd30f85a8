#include "apps/show/step_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/text_width.h"
#include "apps/lesson/axes.h"
#include "apps/lesson/difference.h"
#include "apps/show/curve.h"
#include "apps/show/sentences.h"
#include "engine/io/utf8.h"

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
  for (const std::string& line : broken(text, std::max(columns, kMargin + 1) - kMargin))
    page.lines.push_back({{std::string(kMargin, ' ') + line, style}});
}

// Lines of a block: ~ before one that the reader has written, and what stood there below it.
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

void add_exact(StepPage& page, const Entry& entry, size_t columns) {
  Line head{{entry.name, Style::Bold}, {"  " + shape_text(entry)}};
  if (const std::string whose = whose_text(entry); !whose.empty())
    head.push_back({"  " + whose, Style::Faint});
  page.lines.push_back(std::move(head));
  add_broken(page, entry.value->repr(), columns);
  if (entry.changed) add_broken(page, "changed: " + difference_text(entry), columns);
}

void add_grid(StepPage& page, const Recording& recording, const Entry& entry, const StepPageView& view) {
  GridView one = view;
  if (&entry != view.focus) one.cursor.reset();
  Grid g = grid(recording, entry, one);
  if (one.cursor) page.left = g.left;
  if (g.cursor) page.cursor = page.lines.size() + *g.cursor;
  page.long_one = page.long_one || g.long_one;
  page.left_most = std::max(page.left_most, g.left_most);
  page.marked = page.marked || g.marked;
  page.masked = page.masked || g.masked;
  page.changed = page.changed || g.changed;
  page.lines.append(g.lines);
  const std::vector<double> steps = values_of_steps(entry);
  if (steps.empty() || !view.hidden.empty()) return;
  page.lines.push_back({});
  constexpr size_t kWidest = 72;
  for (std::string& line : curve(steps, {.columns = std::min(view.columns, kWidest)}))
    page.lines.push_back({{std::move(line)}});
}

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
  page.lines.append(said(step.said_before(), widest));
  if (!step.formulas.empty()) space();
  for (const Formula& formula : step.formulas) add_indented(page, formula.text, view.columns, Style::Bold);
  for (const CodeBlock& block : step.blocks()) {
    space();
    if (const std::string whose = whose_text(step, block); !whose.empty())
      page.lines.push_back({{fmt::format("  {}:", whose), Style::Faint}});
    add_code(page, step, block, view);
    if (block.raised.empty()) continue;
    space();
    add_broken(page, block.raised, view.columns);
  }

  const Entry* before = nullptr;
  for (const Entry& entry : step.entries) {
    const bool short_one = !entry.value || entry.value->shape().n == 0;
    const bool after_short_one = before && (!before->value || before->value->shape().n == 0);
    if (view.exact || !(short_one && after_short_one)) space();
    if (!entry.value)
      page.changed = page.changed || entry.reworded,
      add_broken(page, (entry.reworded ? "~ " : "") + entry.print_text(), view.columns);
    else if (view.exact)
      add_exact(page, entry, view.columns);
    else
      add_grid(page, recording, entry, view);
    before = &entry;
  }
  if (std::vector<Line> after = said(step.said_after(), widest); !after.empty()) {
    space();
    page.lines.append(std::move(after));
  }
  return page;
}

}  // namespace glassgrad::learn
