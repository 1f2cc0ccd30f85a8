// Exercises on the full screen, controlled by keys.
#pragma once
#include "apps/cli/navigation_history.h"
#include "apps/practice/session.h"
#include "apps/screen/screen.h"

namespace glassgrad::practice {

// Returns at `q`, at the end of the input, or at a key that leads elsewhere (history.next). Throws
// Interrupted.
void on_screen(Session& session, NavigationHistory& history, Input& input, Output& out);

// The keys of the screen.
std::vector<KeyTable> exercise_keys();

}  // namespace glassgrad::practice
