// Stepping through a lesson: on the full screen of a terminal that has one, line by line elsewhere.
#pragma once
#include "apps/ask/predict/predict.h"
#include "apps/cli/navigation_history.h"
#include "apps/stepper/navigator.h"

namespace glassgrad::learn {

struct StepOptions {
  bool terminal = false;  // a person uses it: show prompts, remember progress
  bool lines = false;     // line by line, even if the terminal could show the full screen
  bool speak = false;     // sentences to listen to; line by line, too
  bool knows = true;      // read the progress
  bool keep = true;       // start where the progress says, and write it
  bool backward = false;  // begin with the backward passes
  std::optional<std::string> from = {}, to = {};
  bool at_end = false;                   // begin with the last step
  std::optional<QuizMode> predict = {};  // the questions that are asked before a step shows its numbers
};

// Begins at history.here.at, and puts into history.next where the reader goes. Returns the score of
// how.predict. Throws UsageError if there are no such steps, or none that has something to predict;
// Interrupted on a signal, after the progress is written.
Score step_through(const Lesson& lesson, const Navigator::Open& open, const StepOptions& how,
                   NavigationHistory& history, Output& out);

}  // namespace glassgrad::learn
