// Errors for words that name no command and no lesson: each error leads to the place that explains the words.
#pragma once
#include <string_view>

#include "apps/cli/command_line.h"
#include "apps/lesson/lesson.h"

namespace glassgrad {

// Throws Elsewhere if the program was given words, but no command. Its lines say where to find the words.
void check_is_command(const CLI::App& program);
// Returns the lesson of that name or in that file. Throws Elsewhere, or UsageError if no place fits the name.
const learn::Lesson& lesson_or_elsewhere(std::string_view name);

}  // namespace glassgrad
