// The page of a lesson.
#pragma once
#include <string>

#include "apps/page/lesson_data.h"

namespace glassgrad::explorer {

// All of it, with the engine if this program has one, else with as many opened numbers as there is room for.
// in_site: as onward_json has it. Error: a run too large for a page; it says how large, and what made it so.
std::string lesson_page(const Run& run, bool in_site = false);

}  // namespace glassgrad::explorer
