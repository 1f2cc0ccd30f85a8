// The parts of the lesson errata, one for each source.
#pragma once
#include "apps/lesson/lesson.h"

namespace glassgrad::learn::errata_parts {

void in_gpt_attention(Narrator& lesson, const Settings& settings);
void in_single_and_multi(Narrator& lesson, const Settings& settings);
void in_cat(Narrator& lesson, const Settings& settings);
void in_climb(Narrator& lesson, const Settings& settings);
void in_journey(Narrator& lesson, const Settings& settings);

}  // namespace glassgrad::learn::errata_parts
