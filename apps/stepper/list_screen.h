// The list of all lessons and courses, to choose from.
#pragma once
#include "apps/screen/key_rows.h"
#include "apps/stepper/stepper.h"

namespace glassgrad::learn {

// Shows the list on the full screen of a terminal that has one; elsewhere, and for how.lines and how.speak,
// writes the list and asks for a line. Puts the choice into history.next. Throws Interrupted.
void choose_from_list(NavigationHistory& history, const StepOptions& how, Output& out);
std::vector<KeyTable> list_keys();  // the keys of that screen

}  // namespace glassgrad::learn
