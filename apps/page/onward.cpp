#include "apps/page/onward.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include "apps/exercise/course.h"
#include "apps/lessons/path.h"

namespace glassgrad::explorer {

Json onward_json(std::string_view stop, bool in_site) {
  Json lessons = Json::array(), next;
  for (const learn::Stop& one : learn::stops())
    if (one.lesson) lessons.push_back(one.id);
  if (const learn::Stop* to = learn::path_after(stop))
    next = {{"title", to->title},
            {"minutes", to->minutes},
            {"command", fmt::format("glassgrad {}", joined(to->words, " "))},
            {"page", to->course ? fmt::format("../courses/{}.html", to->course->id)
                                : fmt::format("../lessons/{}.html", to->id)}};
  return {{"site", in_site}, {"lessons", std::move(lessons)}, {"next", std::move(next)}};
}

}  // namespace glassgrad::explorer
