// Exercises with the whole screen, key by key.
#pragma once
#include "apps/cli/output.h"
#include "apps/practice/session.h"
#include "apps/terminal/input.h"

namespace glassgrad::practice {

// Until `q` or the end of the input. Interrupted.
void on_screen(Session& session, Input& input, Output& out);

}  // namespace glassgrad::practice
