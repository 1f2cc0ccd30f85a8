// Finds the whole functions and classes of which a step shows some lines.
#pragma once
#include <vector>

#include "apps/lesson/recording.h"
#include "apps/terminal/line.h"

namespace glassgrad::learn {

// A class or function of the lesson's program, from the code of the step that defines it.
struct EnclosingDefinition {
  const Step* step = nullptr;  // the step that shows it
  int line = 0;                // line number of its first line in the lesson's file
  std::vector<std::string> lines;
  std::vector<bool> marked;  // the lines that the `inside` block shows
};
// Returns the classes and functions whose lines the `inside` blocks of a step show, each once.
std::vector<EnclosingDefinition> enclosing_definitions(const Recording& recording, const Step& step);

// Returns the same as lines for a terminal, with > before the step's lines and the line numbers of the
// lesson's file. Empty for a step without such lines.
std::vector<Line> enclosing_definition_lines(const Recording& recording, const Step& step);

}  // namespace glassgrad::learn
