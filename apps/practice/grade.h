// The answers of a class, a file of answers for each student.
#pragma once
#include "apps/cli/output.h"
#include "apps/exercise/course.h"

namespace glassgrad::practice {

// Checks each .py file of the folder, in order of names: a table, or a line of JSON for each. Each student
// has numbers of their own, drawn with a seed that comes from the file's name and from `seed`. Error, at the
// end: files that could not be read; at once: the folder cannot.
void grade(const exercise::Course& course, const std::string& folder, uint64_t seed, bool json, Output& out);

}  // namespace glassgrad::practice
