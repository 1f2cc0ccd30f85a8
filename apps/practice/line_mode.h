// Exercises in line mode: a line is a command or else part of the answer.
#pragma once
#include "apps/practice/practice.h"
#include "apps/terminal/input.h"

namespace glassgrad::practice {

void by_lines(Session& session, const PracticeOptions& how, NavigationHistory& history, Input& input,
              Output& out);

// Returns whether an answer that begins with this text needs more lines: it ends in a block or in brackets.
bool goes_on(std::string_view text);

}  // namespace glassgrad::practice
