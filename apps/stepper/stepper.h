// Stepping through a lesson: on the full screen of a terminal that has one, line by line elsewhere.
#pragma once
#include "apps/ask/predict/predict.h"
#include "apps/cli/way.h"
#include "apps/stepper/navigator.h"

namespace glassgrad::learn {

struct Stepping {
  bool terminal = false;  // somebody sits there: prompts, and progress is remembered
  bool lines = false;     // line by line, whatever the terminal could do
  bool speak = false;     // to listen to; line by line too
  bool knows = true;      // read the progress
  bool keep = true;       // go on where it says, and write it
  bool backward = false;  // begin with the backward passes
  std::optional<std::string> from = {}, to = {};
  bool at_end = false;              // begin with the last step
  std::optional<Ask> predict = {};  // what each step asks before it shows its numbers
};

// Begins at way.here.at, and leaves in way.next where the reader goes. With how.predict, what has been
// answered. UsageError: no such steps, or none that has something to predict. Interrupted: by a signal, after
// the progress is written.
Score step_through(const Lesson& lesson, const Navigator::Open& open, const Stepping& how, Way& way,
                   Output& out);

}  // namespace glassgrad::learn
