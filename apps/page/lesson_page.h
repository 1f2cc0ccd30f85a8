// The page of a lesson.
#pragma once
#include <string>

#include "apps/page/lesson_data.h"

namespace glassgrad::explorer {

// Returns the page of the whole lesson, with the engine if this program has one, else with as many opened
// numbers as fit. in_site: see onward_json. Throws Error for a run too large for a page: how large it is, and
// what to make smaller.
std::string lesson_page(const Run& run, bool in_site = false);

}  // namespace glassgrad::explorer
