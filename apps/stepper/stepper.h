// Stepping through a lesson: on the full screen of a terminal that has one, line by line elsewhere.
#pragma once
#include "apps/ask/predict/predict.h"
#include "apps/stepper/navigator.h"

namespace glassgrad::learn {

struct Stepping {
  bool terminal = false;  // somebody sits there: prompts, and progress is remembered
  bool lines = false;     // line by line, whatever the terminal could do
  bool speak = false;     // to listen to; line by line too
  bool keep = true;       // read and write the progress
  bool backward = false;  // begin with the backward passes
  std::optional<std::string> from = {}, to = {};
  bool at_end = false;              // begin with the last step
  std::optional<Ask> predict = {};  // what each step asks before it shows its numbers
};

// With how.predict, what has been answered. UsageError: no such steps, or none that has something to predict.
// Interrupted: by a signal, after the progress is written.
Score step_through(const Lesson& lesson, const Navigator::Open& open, const Stepping& how, Output& out);

// The list of lessons, and what comes next.
void list_lessons(const Stepping& how, Output& out);
// The list, and the question whether to go on where the learner stopped.
void offer_lessons(const Navigator::Open& open, const Stepping& how, Output& out);

}  // namespace glassgrad::learn
