#include "apps/page/exercise_engine.h"

#include <fmt/core.h>

#include <charconv>

#include "apps/cli/json_number.h"
#include "apps/cli/text_width.h"
#include "apps/exercise/answers.h"
#include "apps/exercise/verdict.h"
#include "apps/page/json_or_error.h"
#include "apps/page/words_data.h"
#include "engine/core/error.h"

namespace glassgrad::explorer {

using exercise::Answers, exercise::Course, exercise::Exercise;

const Course& ExerciseEngine::course() const {
  glassgrad::check(course_ != nullptr, "no course is open");
  return *course_;
}

std::string ExerciseEngine::read(std::string_view file, std::string_view text) {
  return json_or_error([&] {
    course_ =
        std::make_unique<const Course>(exercise::course_of(learn::read_document(text, std::string(file))));
    return Json::object();
  });
}

std::string ExerciseEngine::check(std::string_view name, std::string_view text, std::string_view seed) const {
  return json_or_error([&] {
    const Exercise* const found = course().find(name);
    glassgrad::check(found != nullptr, "{} has no exercise '{}'", course().id, printable(name));
    uint64_t number = 0;
    std::from_chars(seed.data(), seed.data() + seed.size(), number);
    Json verdict = json_of(exercise::check(course(), *found, text, number));
    verdict.erase("error");  // the sentence has it, and an "error" would mean that nothing was checked
    for (const char* key : {"mistake", "hint"})
      if (verdict.contains(key)) verdict[key] = words_json(verdict[key].get<std::string>());
    return verdict;
  });
}

std::string ExerciseEngine::answers(std::string_view file) const {
  return json_or_error([&] {
    const Answers read(course(), file);
    Json all = Json::object();
    for (const Exercise& e : course().exercises)
      if (!read.of(e).empty()) all[e.id] = {{"text", read.of(e)}, {"solved", read.is_solved(e)}};
    return Json{{"file", read.text()}, {"answers", std::move(all)}};
  });
}

std::string ExerciseEngine::ending(std::string_view file) const {
  return json_or_error([&] {
    const Answers read = file.empty() ? Answers(course()) : Answers(course(), file);
    std::string printed;
    exercise::run_ending(course(), read.right_ones(), 123, [&](std::string_view text) { printed += text; });
    return Json{{"printed", std::move(printed)}};
  });
}

}  // namespace glassgrad::explorer
