// The parts of the lesson errata, one for each source.
#pragma once
#include "apps/lesson/lesson.h"

namespace glassgrad::learn::errata_parts {

void in_gpt_attention(Teller& lesson, const Settings& settings);
void in_single_and_multi(Teller& lesson, const Settings& settings);
void in_cat(Teller& lesson, const Settings& settings);
void in_climb(Teller& lesson, const Settings& settings);
void in_journey(Teller& lesson, const Settings& settings);

}  // namespace glassgrad::learn::errata_parts
