// Stepping on the full screen, key by key.
#pragma once
#include "apps/stepper/editable_screen.h"

namespace glassgrad::learn {

// Runs until `q`, the end of the input, or a key that leads elsewhere: context.history.next. message: shown
// at first. The quiz keeps its score. Throws Interrupted.
void step_on_screen(Navigator& navigator, StepQuiz& quiz, const LessonContext& context, Input& input,
                    Output& out, std::string message);

// The keys of that screen.
std::vector<KeyTable> lesson_keys();

}  // namespace glassgrad::learn
