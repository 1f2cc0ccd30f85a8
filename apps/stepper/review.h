// Questions that were missed, asked again after some days.
#pragma once
#include <string>
#include <vector>

#include "apps/cli/output.h"
#include "apps/stepper/progress.h"

namespace glassgrad::learn {

struct DueQuestion {
  std::string lesson, question;
};
// Those of the program's lessons that are due, in the order of the lessons.
std::vector<DueQuestion> due_questions(const Progress& progress, Day today);

// Asks what is due, an answer a line, until the last question or the end of the input, and keeps each answer
// as it is given; says when the next ones are due. Interrupted: by a signal.
void review(Progress& progress, Day today, bool terminal, Output& out);

}  // namespace glassgrad::learn
