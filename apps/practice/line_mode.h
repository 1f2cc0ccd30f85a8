// Exercises line by line: a command a line, everything else is the answer.
#pragma once
#include "apps/practice/practice.h"
#include "apps/terminal/input.h"

namespace glassgrad::practice {

void by_lines(Session& session, const Practising& how, Way& way, Input& input, Output& out);

// Does an answer that ends with this line go on? It does where a block begins or goes on, and inside
// brackets.
bool goes_on(std::string_view text);

}  // namespace glassgrad::practice
