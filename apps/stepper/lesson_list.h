// The lessons, a line each, with what the learner has seen of them.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "apps/stepper/progress.h"

namespace glassgrad::learn {

// Fits a screen of 80 x 24, with two lines below for what comes next.
std::string lesson_list(const Progress& progress);
// "Next: journey, step 12 of 41: glassgrad learn journey", and what is due for `glassgrad review`.
std::string what_comes_next(const Progress& progress, Day today);
// "2 questions are due: glassgrad review"; empty: none is.
std::string what_is_due(const Progress& progress, Day today);

// [{"lesson", "minutes", "title", "understand", "steps", "seen", "step", "right", "wrong"}]
nlohmann::ordered_json lessons_json(const Progress& progress);

}  // namespace glassgrad::learn
