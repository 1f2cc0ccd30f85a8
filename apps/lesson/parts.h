// Values of modules that a call has put aside, shown for one or several parts of the same kind.
#pragma once
#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

// What the parts' names are qualified by: {""} for the module itself, or "heads.0.", "heads.1.", …
using Parts = std::vector<std::string>;

// Shows the next value of every name of every part.
void show_parts(Teller& lesson, const Parts& parts, std::initializer_list<const char*> names);
// The weights of W_query, W_key and W_value and what they give.
void show_projections(Teller& lesson, const Parts& parts);

}  // namespace glassgrad::learn
