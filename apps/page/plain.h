// A lesson's first step for readers without scripts, in the classes that the scripts give it too.
#pragma once
#include <string>

#include "apps/lesson/recording.h"

namespace glassgrad::explorer {

// <main>…</main>: what it is about, the step with its tensors as tables with headers, and how to go on.
std::string plain_lesson(const learn::Recording& recording);

}  // namespace glassgrad::explorer
