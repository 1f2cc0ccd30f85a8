// Stepping with the whole screen, key by key.
#pragma once
#include <functional>

#include "apps/ask/predict/step_question.h"
#include "apps/screen/key_rows.h"
#include "apps/stepper/navigator.h"
#include "apps/terminal/input.h"

namespace glassgrad::learn {

// Until `q` or the end of the input. arrived() is called at every step; resume(), after a change of lessons,
// goes where the learner stopped in that one. message: what to say at first. The question keeps its score.
// Interrupted.
void step_on_screen(Navigator& navigator, StepQuestion& question, Input& input, Output& out,
                    std::string message, const std::function<void()>& arrived,
                    const std::function<void()>& resume);

// Its keys.
std::vector<KeyTable> lesson_keys();

}  // namespace glassgrad::learn
