#include "apps/stepper/step_view.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/text_width.h"

namespace glassgrad::learn {

void StepView::renew_from_top() {
  stale_ = true;
  scroll_.top = 0;
  view_.left = 0;
  view_.note.clear();
  view_.code_line.reset();
  view_.link.reset();
}

void StepView::fit(size_t columns, size_t height) {
  columns = std::max<size_t>(columns, 1);
  height_ = height;
  if (stale_ || columns != columns_) build(columns);
  scroll_.top = std::min(scroll_.top, Scroll::last_top(page_.lines, height));
  if (follow_cursor_ && page_.cursor) scroll_.show(*page_.cursor, page_.lines, height);
  follow_cursor_ = false;
}

void StepView::build(size_t columns) {
  columns_ = columns;
  stale_ = false;
  if (cells_.is_open()) {
    page_ = StepPage();
    page_.lines = cells_.lines(std::min(columns, kWidestText), height_, view_.exact);
    page_.cursor = page_.lines.find([](const Line& line) {
      return std::any_of(line.begin(), line.end(), [](const Span& s) { return s.style == Style::Cursor; });
    });
    return;
  }
  if (quiz_.is_open()) {
    page_ = StepPage();
    page_.lines = quiz_.page(columns);
    return;
  }
  view_.columns = columns;
  view_.focus = cells_.is_on() ? &cells_.cursor().entry() : nullptr;
  view_.cursor = cells_.is_on() ? std::optional(cells_.cursor().cell()) : std::nullopt;
  view_.tables = &tables_;
  StepPageView view = view_;
  if (!quiz_.note().empty()) view.note = quiz_.note();
  page_ = page_of(navigator_.recording(), navigator_.step(), view);
  page_.lines.append(ending_(columns));
  view_.left = std::min(page_.left, page_.left_most);
  if (const size_t inside = navigator_.inside()) add_inside(inside);
}

// Names the class, if the title begins with one: "`SelfAttention_v1`: the whole class".
void StepView::add_inside(size_t steps) {
  const Step& step = navigator_.step();
  const std::string where = step.heading.starts_with('`')
                                ? "inside " + step.title.substr(0, step.title.find(':'))
                                : "more about this";
  page_.lines.push_back({});
  page_.lines.push_back(
      {{fmt::format("Enter: {} ({} step{})", where, steps, steps == 1 ? "" : "s"), Style::Bold}});
}

void StepView::to_words(const std::string& words) {
  if (stale_) build(columns_);
  const std::string small = lower(words);
  const auto found = page_.lines.find(
      [&](const Line& line) { return lower(plain_text(line)).find(small) != std::string::npos; });
  if (found) scroll_.show(*found, page_.lines, height_);
}

void StepView::shift(bool right) {
  view_.left = std::clamp<int64_t>(view_.left + (right ? 1 : -1), 0, page_.left_most);
  stale_ = true;
}

void StepView::fold_or_unfold() {
  view_.folded = !view_.folded;
  cells_.set_folded(view_.folded);
  stale_ = true;
}

void StepView::set_exact(bool exact) {
  view_.exact = exact;
  stale_ = true;
}

}  // namespace glassgrad::learn
