// Changes the run that the full screen shows: a different number, a different line of its code. The new run
// is computed in the background, and replaces the step when it is done.
#pragma once
#include <string>

#include "apps/stepper/code_focus.h"
#include "apps/stepper/path_screen.h"
#include "apps/stepper/step_view.h"

namespace glassgrad::learn {

// The context that a lesson's screen and its line mode share, and the functions that they call.
struct LessonContext {
  NavigationHistory& history;
  const Lesson& own;  // the lesson of the command line history.here
  const Progress& progress;
  std::function<void()> arrived;  // at every step
  std::function<void()> resume;   // after a change of lessons: goes to the step where the learner stopped
};

class EditableScreen : public PathScreen {
 protected:
  EditableScreen(Navigator& navigator, StepQuiz& quiz, const LessonContext& context, Input& input,
                 Output& out, std::string message)
      : PathScreen(context.history, context.progress, input, out, std::move(message), "back to the lesson"),
        navigator_(navigator),
        quiz_(quiz),
        context_(context) {}

  bool is_program() const { return navigator_.is_program(); }

  // ---- what if
  void edit();  // sets the cell in brackets, or a cell that is named
  void take_back();

  // ---- the code
  void choose_line();
  bool has_lines() const { return !navigator_.is_backward() && !editable_lines(navigator_.step()).empty(); }
  // The keys while a line is chosen.
  static KeyTable code_keys();

  Navigator& navigator_;
  StepQuiz& quiz_;
  CellFocus cells_;
  CodeFocus code_;
  // Returns whether this is the end of the lesson, from where the path goes on.
  bool is_end() const { return navigator_.is_end() && !is_program(); }
  StepView view_{navigator_, quiz_, cells_, scroll(),
                 [this](size_t columns) { return is_end() ? ending(columns) : Lines(); }};
  const LessonContext& context_;

 private:
  void set(const std::string& typed);
  void move_line(const Key& key);
  void edit_line();
  void run_line(const std::string& typed);
  void leave_code();
  bool leave_code_for(const Key& other);
  void change_to(const WhatIf::Changes& changes, std::function<void(const std::string&)> failed = {});
  void show_change(Navigator::Outcome outcome);
};

}  // namespace glassgrad::learn
