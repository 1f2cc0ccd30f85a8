// A lesson's first step for readers without scripts, with the CSS classes that the scripts also use.
#pragma once
#include <string>

#include "apps/lesson/recording.h"

namespace glassgrad::explorer {

// Returns <main>…</main>: the lesson's subject, the step with its tensors as tables with headers, and how to
// go on.
std::string plain_lesson(const learn::Recording& recording);

}  // namespace glassgrad::explorer
