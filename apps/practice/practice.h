// Works through a course of exercises: on the full screen if the terminal can show it, else line by line.
#pragma once
#include "apps/cli/navigation_history.h"
#include "apps/cli/output.h"
#include "apps/practice/session.h"

namespace glassgrad::practice {

struct PracticeOptions {
  bool terminal = false;  // input and output are a terminal
  bool lines = false;     // line by line, even if the terminal has a full screen
  bool speak = false;     // for listening; line by line too
};

// Lists the courses, with the number of solved exercises in each. keep: read the saved answers.
void list_courses(bool keep, Output& out);
// Begins at history.here.at. Returns when the learner quits or goes elsewhere (history.next), or the input
// ends. Throws Interrupted, after saving the answers.
void practise(Session& session, const PracticeOptions& how, NavigationHistory& history, Output& out);

}  // namespace glassgrad::practice
