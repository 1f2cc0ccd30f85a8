// The list of all lessons and courses, with the learner's progress: the path, questions, the other sources,
// reference.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apps/stepper/progress.h"

namespace glassgrad::learn {

// Returns a stop as a line of the list, not wider than `columns`: name, steps seen, a tick if it is done,
// minutes, title.
std::string line_of(const Stop& stop, const Progress& progress, size_t columns);
// Returns the whole list, with headings above its groups and > before the path's present stop.
std::string lesson_list(const Progress& progress);
// Returns the path as one line, or as more if it does not fit: a tick after what is done, else how many steps
// were seen; brackets around the stop with the id `here`.
std::vector<std::string> path_bar(const Progress& progress, std::string_view here, size_t columns);

// Returns "Next: journey, step 12 of 41: glassgrad learn journey", after what is due for `glassgrad review`.
std::string what_comes_next(const Progress& progress, Day today);
// Returns "2 questions are due: glassgrad review"; empty if none is due.
std::string what_is_due(const Progress& progress, Day today);

// [{"lesson", "minutes", "title", "understand", "steps", "seen", "step", "right", "wrong"}]
nlohmann::ordered_json lessons_json(const Progress& progress);

}  // namespace glassgrad::learn
