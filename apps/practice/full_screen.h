// Exercises with the whole screen, key by key.
#pragma once
#include "apps/practice/session.h"
#include "apps/screen/screen.h"

namespace glassgrad::practice {

// Until `q` or the end of the input. Interrupted.
void on_screen(Session& session, Input& input, Output& out);

// Its keys.
std::vector<KeyTable> exercise_keys();

}  // namespace glassgrad::practice
