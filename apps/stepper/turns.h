// The turns of a line of a program that ran under glass: rounds of a loop, calls of a function.
#pragma once
#include "apps/stepper/navigator.h"
#include "apps/terminal/line.h"

namespace glassgrad::learn {

// A line for each turn of the line that the present step is, > before the step itself; none if it is no line
// of a program.
std::vector<Line> turns_page(const Navigator& navigator);

}  // namespace glassgrad::learn
