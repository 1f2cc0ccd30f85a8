// The reader's place in a lesson, and the ways to move. The full screen and the line mode both use it.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "apps/ask/what_if.h"
#include "apps/show/render.h"

namespace glassgrad::learn {

class Navigator {
 public:
  using Open = std::function<WhatIf(const Lesson&)>;  // runs a lesson, with its backward passes

  // `open` runs other lessons.
  Navigator(WhatIf lesson, Open open);

  const Recording& recording() const { return is_backward_ ? *other_ : lesson_.recording(); }
  const Recording& forward() const { return lesson_.recording(); }
  const Step& step() const { return recording().steps[at_]; }
  // Limits the steps to these steps of the recording, until the reader goes elsewhere.
  void limit_to(Steps steps);
  bool is_first() const { return at_ == first_; }
  // Returns whether this is a program of the reader's under glass, which no path leads to or from.
  bool is_program() const { return recording().lesson->run_by != nullptr; }
  bool is_last() const { return at_ == last_; }
  // Returns whether this is the last step of the lesson itself.
  bool is_end() const { return !is_backward_ && at_ + 1 == recording().steps.size(); }

  bool next();  // false: this is the last step
  bool back();  // false: this is the first step
  // Skip the steps that are inside others. From a step inside, next_on_road goes to the next step inside,
  // then back to the road.
  bool next_on_road();
  bool back_on_road();
  size_t inside() const;  // how many steps are inside this step
  bool go_inside();       // to the first step inside; false: there is none
  bool leave_inside();    // to the step around this step; false: there is none
  void go_to_last();
  // Goes to a step by its number, id or section, or by the address of a number in it. Throws UsageError if
  // there is none.
  void go_to(std::string_view step);
  bool has_step(std::string_view id) const;

  // Goes to the next (previous) step that has the text, or a tensor with that number. Wraps around; the
  // present step comes last. An empty text repeats the last search. Returns false if no step has it.
  bool search(const std::string& text, bool forward = true);
  const std::string& searched() const { return searched_; }

  // Returns the steps of this line in a program's run, each a turn of a loop or of a call; none for a lesson.
  std::vector<const Step*> turns() const;
  bool turn(bool after);  // to the next turn, or the one before; false: there is none

  // Runs a different lesson, and replaces the present lesson by it.
  WhatIf open(const Lesson& lesson) const { return open_(lesson); }
  void change_to(WhatIf lesson);

  // Goes to the backward step that receives the gradient of what the present step shows, for this tensor if
  // possible; from there, back to the step that shows it. Returns false, and stays, if there is no such step.
  // Throws Error if the lesson has no loss.
  bool turn_over(std::string_view tensor = {});
  // Goes to the beginning of the other side.
  void turn_over_all();
  bool is_backward() const { return is_backward_; }
  // The first backward side takes time to compute, so the caller can compute it elsewhere and pass it in.
  bool has_backward() const { return other_.has_value(); }
  Recording backward() const;
  void have_backward(Recording backward) { other_ = std::move(backward); }

  bool is_changed() const { return lesson_.is_changed(); }
  size_t changes() const { return lesson_.changes().size(); }

  // A change in the same parts as in WhatIf. run() changes nothing here, so it can run in the background.
  // "masked[2,1]=0.5" sets a number of this step, or of a step that is named.
  WhatIf::Changes with(std::string_view change) const;
  // A line of the lesson's file with a different text, as in WhatIf::edit.
  WhatIf::Changes with_line(int line, const std::string& text) const { return lesson_.with_line(line, text); }
  WhatIf::Changes without_last() const { return lesson_.without_last(); }
  struct Outcome {
    WhatIf::Changes changes;
    Recording now;
    std::optional<Recording> backward;
  };
  Outcome run(WhatIf::Changes changes, bool with_backward) const;
  void adopt(Outcome outcome);

 private:
  void swap_sides();
  void leave_limits();

  WhatIf lesson_;
  std::optional<Recording> other_;  // the backward side of the same run, once it was requested
  bool is_backward_ = false;
  Open open_;
  size_t first_ = 0, last_ = 0, at_ = 0;
  std::string searched_;
};

}  // namespace glassgrad::learn
