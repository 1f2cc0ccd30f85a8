// The learner's own editor, on a file of its own.
#pragma once
#include <optional>
#include <string>

#include "apps/exercise/course.h"

namespace glassgrad::practice {

// The text after $VISUAL, $EDITOR or vi has been at work, which has the terminal meanwhile; none: it was left
// with an error. Error: there is no such editor, or no room for the file.
std::optional<std::string> edited(const exercise::Exercise& exercise, const std::string& text);

}  // namespace glassgrad::practice
