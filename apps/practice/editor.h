// Opens the learner's own editor on a temporary file.
#pragma once
#include <optional>
#include <string>

#include "apps/exercise/course.h"

namespace glassgrad::practice {

// Returns the text as edited in $VISUAL, $EDITOR or vi, which has the terminal meanwhile; nothing if the
// editor exits with an error. Throws Error if there is no such editor or the file cannot be written.
std::optional<std::string> edited(const exercise::Exercise& exercise, const std::string& text);

}  // namespace glassgrad::practice
