#include "apps/lessons/path.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "apps/lesson/document.h"

namespace glassgrad::learn {
namespace {

constexpr int kMinutesOfStart = 10;

std::vector<Stop> all_stops() {
  std::vector<std::pair<int, Stop>> placed{{1,
                                            {.id = kStart,
                                             .name = kStart,
                                             .words = {kStart},
                                             .title = "Guess, train a GPT, look inside",
                                             .minutes = kMinutesOfStart}}};
  for (const Lesson* lesson : lessons())
    placed.push_back({lesson->document->place,
                      {.id = lesson->id,
                       .name = lesson->id,
                       .words = {"learn", lesson->id},
                       .title = lesson->source,
                       .group = lesson->group,
                       .minutes = lesson->minutes,
                       .lesson = lesson}});
  for (const exercise::Course* course : exercise::courses())
    placed.push_back({course->place,
                      {.id = "build." + course->id,
                       .name = "build " + course->id,
                       .words = {"build", course->id},
                       .title = course->title,
                       .group = course->group,
                       .minutes = course->minutes,
                       .course = course}});
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.group, a.first) < std::pair(b.second.group, b.first);
  });
  std::vector<Stop> stops;
  for (auto& [place, stop] : placed) stops.push_back(std::move(stop));
  return stops;
}

const Stop* stop_of(std::string_view id) {
  const std::span<const Stop> all = stops();
  const auto found = std::ranges::find(all, id, &Stop::id);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

size_t Stop::steps() const {
  if (course) return course->exercises.size();
  return lesson ? steps_to(lesson->document->steps.data() + lesson->document->steps.size()) : 0;
}

size_t Stop::steps_to(const DocumentStep* end) const {
  return size_t(std::count_if(lesson->document->steps.data(), end, [](const auto& s) { return !s.inside; }));
}

std::span<const Stop> stops() {
  static const std::vector<Stop> all = all_stops();
  return all;
}

const Stop* stop_called(std::string_view name) {
  for (const Stop& stop : stops())
    if (stop.name == name || stop.id == name || joined(stop.words, " ") == name) return &stop;
  return nullptr;
}

const Stop* stop_beside(std::string_view id, bool after) {
  const std::span<const Stop> all = stops();
  const Stop* const here = stop_of(id);
  if (!here || here == (after ? &all.back() : &all.front())) return nullptr;
  return after ? here + 1 : here - 1;
}

const Stop* path_after(std::string_view id) {
  const Stop *const here = stop_of(id), *const next = stop_beside(id, true);
  return here && next && here->group == Group::Path && next->group == Group::Path ? next : nullptr;
}

Target target_of(std::string_view link) {
  constexpr std::string_view kEnding = ".md";
  const size_t sign = std::min(link.find('#'), link.size());
  std::string_view name = link.substr(0, sign);
  if (name.ends_with(kEnding)) name.remove_suffix(kEnding.size());
  Target target{name.empty() ? nullptr : stop_called(name), {}};
  if (sign < link.size() && (name.empty() || target.stop)) target.step = link.substr(sign + 1);
  return target;
}

}  // namespace glassgrad::learn
