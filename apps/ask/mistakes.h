// The classic mistakes in the program's lessons, each named after the step that shows it.
#pragma once
#include <string_view>
#include <vector>

#include "apps/lesson/document.h"
#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

struct ClassicMistake {
  const Lesson* lesson = nullptr;  // the lesson whose step shows it
  const DocumentStep* step = nullptr;

  const std::string& name() const { return step->id; }
  std::string what() const;  // the mistake in words, without marks: "does not divide the scores"
};
std::vector<ClassicMistake> classic_mistakes();
// Throws UsageError, which lists the names, if no mistake has this name.
ClassicMistake find_mistake(std::string_view name);

// The steps that show a mistake: the mistake's own step, and those above it that have no mistake of their
// own. They run with the settings, inputs and tokens that a lesson was given, as far as the mistake's lesson
// has such settings. Throws what the run throws.
struct MistakeShown {
  Recording recording;
  std::vector<Step> steps;
};
MistakeShown show_mistake(const ClassicMistake& mistake, const Lesson& given, const Settings& settings);

}  // namespace glassgrad::learn
