// A lesson's settings as the explorer's page keeps them, to open the lesson again with some of them changed.
#pragma once
#include "apps/cli/json_number.h"
#include "apps/lesson/lesson.h"

namespace glassgrad::explorer {

// What was given other than the lesson's own: {"--seed": "7", "--tokens": "a,b", "--inputs": NUMBERS,
// "--weights": {NAME: NUMBERS}}, where NUMBERS = {"shape", "data"}.
Json flags_json(const learn::Lesson& lesson, const learn::Settings& settings);
// And back. UsageError: a flag that the lesson does not have, or a value that is none of it. Error: numbers
// of another shape.
learn::Settings settings_of(const learn::Lesson& lesson, const Json& flags);

// What one types for them, " --seed 7"; of numbers the flag alone.
std::string flags_as_typed(const learn::Lesson& lesson, const learn::Settings& settings);

}  // namespace glassgrad::explorer
