// Courses of exercises, worked through: on the full screen of a terminal that has one, line by line
// elsewhere.
#pragma once
#include "apps/cli/output.h"
#include "apps/cli/way.h"
#include "apps/practice/session.h"

namespace glassgrad::practice {

struct Practising {
  bool terminal = false;  // somebody sits there
  bool lines = false;     // line by line, whatever the terminal could do
  bool speak = false;     // to listen to; line by line too
};

// The courses, with how many exercises of each are solved. keep: read the answers.
void list_courses(bool keep, Output& out);
// Until the learner quits or goes elsewhere (way.next), or the input ends. Begins at way.here.at.
// Interrupted, after the answers are written.
void practise(Session& session, const Practising& how, Way& way, Output& out);

}  // namespace glassgrad::practice
