#include "apps/stepper/lesson_list.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/json_number.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/document.h"
#include "apps/lesson/lesson.h"
#include "apps/stepper/review.h"

namespace glassgrad::learn {
namespace {

constexpr size_t kColumns = 79, kName = 19;
constexpr const char *kTick = "✓", *kArrow = " › ";

// Returns how many steps of a lesson or course were seen. Counts only steps that still exist and are not
// inside other steps.
size_t seen_of(const Stop& stop, const Progress& progress) {
  const std::set<std::string>& seen = progress.of(stop.id).seen;
  return size_t(std::count_if(seen.begin(), seen.end(), [&](const std::string& step) {
    if (!stop.lesson) return stop.course && stop.course->find(step) != nullptr;
    const DocumentStep* const at = stop.lesson->document->step(step);
    return at && !at->inside;
  }));
}

// Returns "12/63"; empty if no step was seen, or the number of steps is not known.
std::string seen_text(const Stop& stop, const Progress& progress) {
  const size_t seen = seen_of(stop, progress);
  return seen == 0 ? "" : fmt::format("{}/{}", seen, stop.steps());
}

// Returns the title, cut at its colon if the whole title is too long.
std::string short_title(std::string_view title, size_t columns) {
  if (columns_of(title) > columns) title = title.substr(0, title.find(':'));
  return cut(title, columns);
}

}  // namespace

std::string line_of(const Stop& stop, const Progress& progress, size_t columns) {
  const std::string facts =
      fmt::format("{} {:>6} {} {:>2}m  ", left_aligned(stop.name, kName), seen_text(stop, progress),
                  progress.of(stop.id).done ? kTick : " ", stop.minutes);
  return facts + short_title(stop.title, columns - columns_of(facts));
}

std::string lesson_list(const Progress& progress) {
  std::string text;
  const Stop* const present = progress.present();
  const Stop* before = nullptr;
  for (const Stop& stop : stops()) {
    if (!before || before->group != stop.group)
      text += fmt::format("{}{}\n", before ? "\n" : "", heading_of(stop.group));
    text += fmt::format("{} {}\n", &stop == present ? ">" : " ", line_of(stop, progress, kColumns - 2));
    before = &stop;
  }
  return text;
}

std::vector<std::string> path_bar(const Progress& progress, std::string_view here, size_t columns) {
  std::vector<std::string> lines(1);
  for (const Stop& stop : stops()) {
    if (stop.group != Group::Path) break;
    const std::string seen = seen_text(stop, progress);
    std::string item = stop.name;
    if (progress.of(stop.id).done)
      item += fmt::format(" {}", kTick);
    else if (!seen.empty())
      item += fmt::format(" {}", seen);
    if (stop.id == here) item = fmt::format("[{}]", item);
    if (&stop != &stops().front()) item.insert(0, kArrow);
    if (!lines.back().empty() && columns_of(lines.back() + item) > columns) lines.emplace_back(" ");
    lines.back() += item;
  }
  return lines;
}

std::string what_is_due(const Progress& progress, Day today) {
  const size_t due = due_questions(progress, today).size();
  return due == 0 ? ""
                  : fmt::format("{} due: glassgrad review\n",
                                due == 1 ? "1 question is" : fmt::format("{} questions are", due));
}

std::string what_comes_next(const Progress& progress, Day today) {
  const Stop* const next = progress.present();
  std::string text = what_is_due(progress, today);
  if (!next) return text + "The path is done. Questions: glassgrad learn\n";
  const std::string step = progress.of(next->id).step;
  if (const DocumentStep* at = next->lesson ? next->lesson->document->step(step) : nullptr)
    return text + fmt::format("Next: {}, step {} of {}: glassgrad learn {}\n", next->name,
                              next->steps_to(at + 1), next->steps(), next->name);
  return text + fmt::format("Next: {}: glassgrad {}\n", next->name, joined(next->words, " "));
}

Json lessons_json(const Progress& progress) {
  Json list = Json::array();
  for (const Stop& stop : stops()) {
    if (!stop.lesson) continue;
    const LessonProgress& of = progress.of(stop.id);
    list.push_back({{"lesson", stop.id},
                    {"minutes", stop.minutes},
                    {"title", stop.title},
                    {"understand", stop.lesson->understand},
                    {"steps", stop.steps()},
                    {"seen", seen_of(stop, progress)},
                    {"step", of.step.empty() ? Json() : Json(of.step)},
                    {"right", of.right()},
                    {"wrong", of.wrong()}});
  }
  return list;
}

}  // namespace glassgrad::learn
