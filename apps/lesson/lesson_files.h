// Lessons as people name them: one of the program's, or a file of their own.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

// Is it the path of a lesson, NAME.md, or of a plain program, NAME.py?
bool is_lesson_file(std::string_view name);
// Null: a name that no lesson has. Error: a file that cannot be read, or `FILE:LINE: …` for what it says.
const Lesson* lesson_or_file(std::string_view name);
// The same. UsageError: no lesson has that name; it says which comes nearest.
const Lesson& find_lesson_or_file(std::string_view name);

// What is wrong with a lesson that is a file as it stands: the error that ends it, claims that do not hold,
// links that lead nowhere. "journey.md:25: …", a line each, in the order of the file.
std::vector<std::string> problems_of(const Lesson& lesson);

}  // namespace glassgrad::learn
