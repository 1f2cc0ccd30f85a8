// The page of a course of exercises: `glassgrad build COURSE --html FILE`.
#pragma once
#include <cstdint>
#include <string>

#include "apps/exercise/course.h"

namespace glassgrad::explorer {

// Returns a page with all exercises, the values that answers can use, hints and solutions. If this program
// has the engine, the page checks what the learner writes. The values come from the seed. in_site: see
// onward_json.
std::string course_page(const exercise::Course& course, uint64_t seed, bool in_site);

}  // namespace glassgrad::explorer
