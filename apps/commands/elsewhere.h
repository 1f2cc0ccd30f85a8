// Words that name no command and no lesson, led to the place that explains them.
#pragma once
#include <string>

#include "apps/cli/command_line.h"
#include "apps/lesson/lesson.h"

namespace glassgrad {

// UsageError: the program was given words, but no command. Its lines say where to find what they name.
void check_is_command(const CLI::App& program);
// The lesson, or the file of one. UsageError: there is none; as above.
const learn::Lesson& lesson_or_elsewhere(const std::string& name);

}  // namespace glassgrad
