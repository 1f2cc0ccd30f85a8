// The classic mistakes: those of the program's lessons, each named as the step that shows it.
#pragma once
#include <string_view>
#include <vector>

#include "apps/lesson/document.h"
#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

struct ClassicMistake {
  const Lesson* lesson = nullptr;  // whose step shows it
  const DocumentStep* step = nullptr;

  const std::string& name() const { return step->id; }
  std::string what() const;  // somebody does, without marks: "does not divide the scores"
};
std::vector<ClassicMistake> classic_mistakes();
// UsageError: there is none of that name; it says which there are.
ClassicMistake find_mistake(std::string_view name);

// The steps that show it: those above it without a mistake of their own, and its own, with what a lesson was
// given: its settings, inputs and tokens, as far as the mistake's lesson has such. What the run throws.
struct MistakeShown {
  Recording recording;
  std::vector<Step> steps;
};
MistakeShown show_mistake(const ClassicMistake& mistake, const Lesson& given, const Settings& settings);

}  // namespace glassgrad::learn
