// Where one is in a lesson, and how to get elsewhere. The full screen and the line mode move with it.
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

  // `open` is asked for other lessons.
  Navigator(WhatIf lesson, Open open);

  const Recording& recording() const { return is_backward_ ? *other_ : lesson_.recording(); }
  const Recording& forward() const { return lesson_.recording(); }
  const Step& step() const { return recording().steps[at_]; }
  // Only these steps of the recording, until somebody goes elsewhere.
  void limit_to(Steps steps);
  bool is_first() const { return at_ == first_; }
  // A program of the reader's under glass, which no path leads to or from.
  bool is_program() const { return recording().lesson->run_by != nullptr; }
  bool is_last() const { return at_ == last_; }
  // The last step of the lesson itself.
  bool is_end() const { return !is_backward_ && at_ + 1 == recording().steps.size(); }

  bool next();  // false: this is the last step
  bool back();  // false: this is the first
  // Past the steps that are inside others; from one of those to the next inside, then on the road again.
  bool next_on_road();
  bool back_on_road();
  size_t inside() const;  // steps inside this one
  bool go_inside();       // to the first of them; false: there is none
  bool leave_inside();    // to the step that this one is inside of; false: it is inside none
  void go_to_last();
  // A step's number, id or section, or the address of a number in it. UsageError: there is none.
  void go_to(std::string_view step);
  bool has_step(std::string_view id) const;

  // The next step (the one before) in which the text stands, or whose tensors have that number, round the
  // end; the present one comes last. An empty text stands for the last one searched for. false: no step has
  // it.
  bool search(const std::string& text, bool forward = true);
  const std::string& searched() const { return searched_; }

  // Of a program's run the steps of this line, each a turn of a loop or of a call; of a lesson none.
  std::vector<const Step*> turns() const;
  bool turn(bool after);  // to the next of them, or the one before; false: there is none

  // Another lesson.
  WhatIf open(const Lesson& lesson) const { return open_(lesson); }
  void change_to(WhatIf lesson);

  // To the backward step that receives the gradient of what the present one shows, of this tensor if it can,
  // and from there back to the step that shows it; of a step without one, nowhere: false. Error: the lesson
  // has no loss.
  bool turn_over(std::string_view tensor = {});
  // To the beginning of the other side.
  void turn_over_all();
  bool is_backward() const { return is_backward_; }
  // The backward side takes its time when it is first looked at: made elsewhere, and handed over.
  bool has_backward() const { return other_.has_value(); }
  Recording backward() const;
  void have_backward(Recording backward) { other_ = std::move(backward); }

  bool is_changed() const { return lesson_.is_changed(); }
  size_t changes() const { return lesson_.changes().size(); }

  // What is changed, in parts as WhatIf has them; run() changes nothing here, so that it can be called beside
  // everything that moves. "masked[2,1]=0.5": a number of this step, or of the step that is named.
  WhatIf::Changes with(std::string_view change) const;
  // A line of the lesson's file with another text, as WhatIf::edit.
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
  std::optional<Recording> other_;  // the backward side of the same run, once it has been looked at
  bool is_backward_ = false;
  Open open_;
  size_t first_ = 0, last_ = 0, at_ = 0;
  std::string searched_;
};

}  // namespace glassgrad::learn
