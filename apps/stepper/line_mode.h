// Stepping line by line: a command in, a step out. For pipes, small terminals and screen readers.
#pragma once
#include <functional>

#include "apps/stepper/navigator.h"
#include "apps/terminal/input.h"

namespace glassgrad::learn {

struct LineMode {
  bool speak = false;     // sentences to listen to, instead of text to look at
  bool terminal = false;  // somebody types: prompts, and never more than the screen holds at once
};

// Shows the step, reads a command, and so on until `quit` or the end of the input. arrived() is called at
// every step. Interrupted.
void step_by_lines(Navigator& navigator, const LineMode& mode, Input& input, Output& out,
                   const std::function<void()>& arrived);

}  // namespace glassgrad::learn
