// The page of a course of exercises: `glassgrad build COURSE --html FILE`.
#pragma once
#include <cstdint>
#include <string>

#include "apps/exercise/course.h"

namespace glassgrad::explorer {

// All exercises, with what their answers can use, hints and solutions; with the engine, if this program has
// one, it checks what the learner writes. The numbers are those of the seed. in_site: as onward_json has it.
std::string course_page(const exercise::Course& course, uint64_t seed, bool in_site);

}  // namespace glassgrad::explorer
