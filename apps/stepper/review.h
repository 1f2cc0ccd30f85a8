// Asks missed questions again after some days.
#pragma once
#include <string>
#include <vector>

#include "apps/cli/output.h"
#include "apps/stepper/progress.h"

namespace glassgrad::learn {

struct DueQuestion {
  std::string lesson, question;
};
// Returns the questions of the program's lessons that are due, in the order of the lessons.
std::vector<DueQuestion> due_questions(const Progress& progress, Day today);

// Asks the due questions, with one line per answer, until the last question or the end of the input, and
// saves each answer at once. Says when the next questions are due. Throws Interrupted on a signal.
void review(Progress& progress, Day today, bool terminal, Output& out);

}  // namespace glassgrad::learn
