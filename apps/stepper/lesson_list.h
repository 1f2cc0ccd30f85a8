// The list of all that can be learned, with what the learner has done of it: the path, questions, the other
// sources, reference.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apps/stepper/progress.h"

namespace glassgrad::learn {

// A stop as a line of the list, not wider than `columns`: name, steps seen, a tick if it is done, minutes,
// title.
std::string line_of(const Stop& stop, const Progress& progress, size_t columns);
// The whole list, headings above its groups, > before what the path goes on with.
std::string lesson_list(const Progress& progress);
// The path in a line, or in more where it does not fit: a tick behind what is done, brackets around the stop
// of that id, how many steps were seen.
std::vector<std::string> path_bar(const Progress& progress, std::string_view here, size_t columns);

// "Next: journey, step 12 of 41: glassgrad learn journey", and what is due for `glassgrad review`.
std::string what_comes_next(const Progress& progress, Day today);
// "2 questions are due: glassgrad review"; empty: none is.
std::string what_is_due(const Progress& progress, Day today);

// [{"lesson", "minutes", "title", "understand", "steps", "seen", "step", "right", "wrong"}]
nlohmann::ordered_json lessons_json(const Progress& progress);

}  // namespace glassgrad::learn
