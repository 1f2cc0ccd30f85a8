// The list of all that can be learned, to choose from.
#pragma once
#include "apps/screen/key_rows.h"
#include "apps/stepper/stepper.h"

namespace glassgrad::learn {

// On the full screen of a terminal that has one; elsewhere, and for how.lines and how.speak, the list, and a
// line that is asked for. What is chosen is way.next. Interrupted.
void choose_from_list(Way& way, const Stepping& how, Output& out);
std::vector<KeyTable> list_keys();  // its keys

}  // namespace glassgrad::learn
