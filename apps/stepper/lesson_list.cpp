#include "apps/stepper/lesson_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/json_number.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/document.h"
#include "apps/lesson/lesson.h"
#include "apps/lesson/phrases.h"
#include "apps/stepper/review.h"

namespace glassgrad::learn {
namespace {

constexpr size_t kColumns = 79, kName = 19, kMinutes = 3, kSteps = 6;
constexpr size_t kTitle = kColumns - kName - kMinutes - kSteps - 5;

size_t steps_of(const Lesson& lesson) { return lesson.document ? lesson.document->steps.size() : 0; }

size_t seen_of(const Lesson& lesson, const Progress& progress) {
  const std::set<std::string>& seen = progress.of(lesson.id).seen;
  return size_t(std::count_if(seen.begin(), seen.end(), [&](const std::string& step) {
    return lesson.document && lesson.document->step(step);
  }));
}

// Without what follows a colon, where the whole is too long.
std::string short_title(std::string_view title) {
  if (columns_of(title) > kTitle) title = title.substr(0, title.find(':'));
  return cut(title, kTitle);
}

std::string line_of(std::string_view name, std::string_view minutes, std::string_view steps,
                    std::string_view title) {
  return fmt::format("{} {} {}   {}\n", left_aligned(name, kName), right_aligned(minutes, kMinutes),
                     right_aligned(steps, kSteps), title);
}

}  // namespace

std::string lesson_list(const Progress& progress) {
  std::string text = line_of("lesson", "min", "seen", "about");
  for (const Lesson* lesson : lessons())
    text +=
        line_of(lesson->id, std::to_string(lesson->minutes),
                steps_of(*lesson) ? fmt::format("{}/{}", seen_of(*lesson, progress), steps_of(*lesson)) : "",
                short_title(lesson->source));
  return text;
}

std::string what_is_due(const Progress& progress, Day today) {
  const size_t due = due_questions(progress, today).size();
  return due == 0 ? ""
                  : fmt::format("{} due: glassgrad review\n",
                                due == 1 ? "1 question is" : fmt::format("{} questions are", due));
}

std::string what_comes_next(const Progress& progress, Day today) {
  const auto all = lessons();
  const auto is_left = [&](const Lesson* lesson) { return seen_of(*lesson, progress) < steps_of(*lesson); };
  auto next =
      std::find_if(all.begin(), all.end(), [&](const Lesson* l) { return l->id == progress.last_lesson(); });
  if (next != all.end() && !is_left(*next)) next = std::find_if(next, all.end(), is_left);
  if (next == all.end()) next = std::find_if(all.begin(), all.end(), is_left);
  if (next == all.end()) next = all.begin();
  const DocumentStep* const step =
      (*next)->document ? (*next)->document->step(progress.of((*next)->id).step) : nullptr;
  std::string at;
  if (step) at = fmt::format(", step {} of {}", step - (*next)->document->steps.data() + 1, steps_of(**next));
  return fmt::format("{}Next: {}{}: glassgrad learn {}\n", what_is_due(progress, today), (*next)->id, at,
                     (*next)->id);
}

Json lessons_json(const Progress& progress) {
  Json list = Json::array();
  for (const Lesson* lesson : lessons()) {
    const LessonProgress& of = progress.of(lesson->id);
    list.push_back({{"lesson", lesson->id},
                    {"minutes", lesson->minutes},
                    {"title", lesson->source},
                    {"understand", lesson->understand},
                    {"steps", steps_of(*lesson)},
                    {"seen", seen_of(*lesson, progress)},
                    {"step", of.step.empty() ? Json() : Json(of.step)},
                    {"right", of.right()},
                    {"wrong", of.wrong()}});
  }
  return list;
}

}  // namespace glassgrad::learn
