// The functions and classes that a step shows lines of, whole, where the lesson has them.
#pragma once
#include <vector>

#include "apps/lesson/recording.h"
#include "apps/terminal/line.h"

namespace glassgrad::learn {

// A statement of the lesson's program that stands in the code of some step: a class or a function.
struct WholeCode {
  const Step* step = nullptr;  // that shows it
  int line = 0;                // of the lesson's file, of the first of …
  std::vector<std::string> lines;
  std::vector<bool> marked;  // which of them the other step shows
};
// Those whose lines the `inside` blocks of a step show, each once.
std::vector<WholeCode> whole_code(const Recording& recording, const Step& step);

// The same as lines for a terminal, > before those of the step, numbered as in the lesson's file. Of a step
// without any, none.
std::vector<Line> whole_code_lines(const Recording& recording, const Step& step);

}  // namespace glassgrad::learn
