// Grades the answers of a class, one file for each student.
#pragma once
#include "apps/cli/output.h"
#include "apps/exercise/course.h"

namespace glassgrad::practice {

// Checks each .py file of the folder, in order of names, and writes a table, or one line of JSON per file.
// Each student has different numbers: their seed comes from the file's name and from `seed`. Throws Error at
// once if the folder cannot be read, and at the end if files could not be read.
void grade(const exercise::Course& course, const std::string& folder, uint64_t seed, bool json, Output& out);

}  // namespace glassgrad::practice
