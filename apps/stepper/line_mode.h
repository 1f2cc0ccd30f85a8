// Stepping line by line: a command in, a step out. For pipes, small terminals and screen readers.
#pragma once
#include "apps/stepper/editable_screen.h"
#include "apps/terminal/input.h"

namespace glassgrad::learn {

struct LineModeOptions {
  bool speak = false;     // sentences to listen to, instead of text to look at
  bool terminal = false;  // a person types: prompts, and never more than the screen holds at once
};

// Shows the step and reads a command, until `quit`, the end of the input, or a command that leads elsewhere:
// context.history.next. Throws Interrupted.
void step_by_lines(Navigator& navigator, const LessonContext& context, const LineModeOptions& options,
                   Input& input, Output& out);

}  // namespace glassgrad::learn
