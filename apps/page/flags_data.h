// A lesson's settings as the explorer's page keeps them, to open the lesson again with some of them changed.
#pragma once
#include "apps/cli/json_number.h"
#include "apps/lesson/lesson.h"

namespace glassgrad::explorer {

// Returns the settings that were given: {"--seed": "7", "--tokens": "a,b", "--inputs": NUMBERS, "--weights":
// {NAME: NUMBERS}}, where NUMBERS = {"shape", "data"}.
Json flags_json(const learn::Lesson& lesson, const learn::Settings& settings);
// The inverse of flags_json. Throws UsageError for a flag that the lesson does not have or a value that it
// does not accept, Error for numbers that do not fit their shape.
learn::Settings settings_of(const learn::Lesson& lesson, const Json& flags);

// Returns the flags as one types them, " --seed 7"; numbers appear as FILE, " --inputs FILE".
std::string flags_as_typed(const learn::Lesson& lesson, const learn::Settings& settings);

}  // namespace glassgrad::explorer
