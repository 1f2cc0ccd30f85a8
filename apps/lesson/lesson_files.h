// Finds lessons by the names that people type: a built-in lesson, or a file of their own.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

// Returns whether the name is the path of a lesson, NAME.md, or of a plain program, NAME.py.
bool is_lesson_file(std::string_view name);
// Returns null if no lesson has that name. Throws Error if a file cannot be read, or `FILE:LINE: …` if
// something in it is wrong.
const Lesson* lesson_or_file(std::string_view name);
// The same, but throws UsageError, which names the nearest lesson, if no lesson has that name.
const Lesson& find_lesson_or_file(std::string_view name);

// Returns the problems of a lesson that is a file: the error that ends it, claims that do not hold, links
// that lead nowhere. Each is a line "journey.md:25: …", in the order of the file.
std::vector<std::string> problems_of(const Lesson& lesson);

}  // namespace glassgrad::learn
