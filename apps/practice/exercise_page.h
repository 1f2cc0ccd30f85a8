// Formats an exercise, and the verdict on an answer, as lines for a screen or a pipe.
#pragma once
#include "apps/exercise/verdict.h"
#include "apps/terminal/lines.h"

namespace glassgrad::practice {

struct ExercisePage {
  const exercise::Course& course;
  const exercise::Exercise& exercise;
  const std::vector<std::string>& given;  // the values that the answer can use
  std::vector<std::string> answer;        // the lines in the blank; empty: shows "..."
  size_t hints = 0;                       // number of hints shown
  bool solution = false;
  const exercise::Verdict* verdict = nullptr;
  std::optional<Place> typing = {};  // the cursor: a line and a column of the answer
};

// cursor: receives the place of `typing` in the page.
std::vector<Line> lines_of(const ExercisePage& page, size_t columns, Place* cursor = nullptr);
std::vector<Line> verdict_lines(const exercise::Verdict& verdict, size_t columns);
// For listening: sentences, no matrices.
std::vector<std::string> spoken_verdict(const exercise::Verdict& verdict);
std::vector<std::string> spoken_page(const ExercisePage& page);

std::string text_of(const std::vector<Line>& lines);

}  // namespace glassgrad::practice
