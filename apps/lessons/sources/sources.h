// Lessons about the five sources together: where they differ, and what each gets wrong.
#pragma once
#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

extern const Lesson compare, errata;

}  // namespace glassgrad::learn
