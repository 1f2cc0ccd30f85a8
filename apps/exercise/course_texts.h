// The courses' files, embedded in the program.
#pragma once
#include "apps/cli/embedded_file.h"

namespace glassgrad::exercise {

std::span<const EmbeddedFile> course_texts();

}  // namespace glassgrad::exercise
