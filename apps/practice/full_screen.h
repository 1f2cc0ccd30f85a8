// Exercises with the whole screen, key by key.
#pragma once
#include "apps/cli/way.h"
#include "apps/practice/session.h"
#include "apps/screen/screen.h"

namespace glassgrad::practice {

// Until `q`, the end of the input, or a key that leads elsewhere: way.next. Interrupted.
void on_screen(Session& session, Way& way, Input& input, Output& out);

// Its keys.
std::vector<KeyTable> exercise_keys();

}  // namespace glassgrad::practice
