// The step as the full screen shows it: its page, how the page shows tensors, and which part of it is
// visible.
#pragma once
#include <functional>

#include "apps/ask/predict/step_quiz.h"
#include "apps/screen/scroll.h"
#include "apps/show/step_page.h"
#include "apps/stepper/cell_focus.h"
#include "apps/stepper/navigator.h"

namespace glassgrad::learn {

class StepView {
 public:
  // scroll: of the screen that shows the page. ending: the lines below the step.
  StepView(const Navigator& navigator, const StepQuiz& quiz, CellFocus& cells, Scroll& scroll,
           std::function<Lines(size_t columns)> ending)
      : navigator_(navigator), quiz_(quiz), cells_(cells), scroll_(scroll), ending_(std::move(ending)) {}

  // Called when something that the page shows has changed: the page is made again before it is drawn.
  void renew() { stale_ = true; }
  void renew_from_top();  // called when the step changes
  // Called when a recording has replaced the present one.
  void forget_recording() {
    tables_.clear();
    stale_ = true;
  }
  void renew_and_follow_cursor() { stale_ = follow_cursor_ = true; }
  // Marks a line of the step's code as chosen, or none.
  void choose_line(std::optional<size_t> line) {
    view_.code_line = line;
    renew_and_follow_cursor();
  }
  // Marks a link of the step's sentences as chosen, or none.
  void choose_link(std::optional<size_t> link) {
    view_.link = link;
    renew_and_follow_cursor();
  }
  // Shows a note above the page until the step changes.
  void put_note(std::string note) {
    view_.note = std::move(note);
    stale_ = true;
    scroll_.top = 0;
  }
  // Makes the page again if necessary, for a screen of this size, and scrolls to what must be visible.
  void fit(size_t columns, size_t height);

  const StepPage& page() const { return page_; }
  void to_top() { scroll_.top = 0; }
  // Scrolls to the first line of text that has these words.
  void to_words(const std::string& words);
  // Scrolls wide tensors by a column.
  void shift(bool right);

  bool is_folded() const { return view_.folded; }
  bool is_exact() const { return view_.exact; }
  bool can_shift() const { return page_.left_most > 0 && !view_.exact; }
  void fold_or_unfold();
  void set_exact(bool exact);

 private:
  void build(size_t columns);
  void add_inside(size_t steps);

  const Navigator& navigator_;
  const StepQuiz& quiz_;
  CellFocus& cells_;
  StepPage page_;
  TableCache tables_;
  StepPageView view_;
  Scroll& scroll_;
  const std::function<Lines(size_t columns)> ending_;
  size_t columns_ = 1, height_ = 1;
  bool stale_ = true, follow_cursor_ = false;
};

}  // namespace glassgrad::learn
