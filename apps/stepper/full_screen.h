// Stepping with the whole screen, key by key.
#pragma once
#include "apps/stepper/changing.h"

namespace glassgrad::learn {

// Until `q`, the end of the input, or a key that leads elsewhere: stage.way.next. message: what to say at
// first. The question keeps its score. Interrupted.
void step_on_screen(Navigator& navigator, StepQuestion& question, const Stage& stage, Input& input,
                    Output& out, std::string message);

// Its keys.
std::vector<KeyTable> lesson_keys();

}  // namespace glassgrad::learn
