// The lessons' files, embedded in the program.
#pragma once
#include "apps/cli/embedded_file.h"

namespace glassgrad::learn {

std::span<const EmbeddedFile> lesson_texts();

}  // namespace glassgrad::learn
