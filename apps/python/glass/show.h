// What is shown of a program's run: the stepper, text, a page.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/lesson/lesson.h"

namespace glassgrad::python {

struct ShowOptions {
  // "", which is stepping at a terminal and text elsewhere; "step", "text", "plain", "list", "markdown",
  // "json", "html".
  std::string form;
  std::string path;  // of the page; "-": to stdout
  std::optional<std::string> from, to;
  bool backward = false;
  std::vector<std::string> why;  // addresses of numbers to open
  int64_t depth = 1;
  bool exact = false;
  std::vector<std::string> set;  // "STEP:TENSOR[i,j]=V"
  bool at_end = false;           // the stepper begins with the last step
};

// runner: the run, and what runs the program again with other numbers. The exit code; what went wrong is said
// on stderr.
int show(const learn::Lesson& lesson, const learn::Runner& runner, const std::string& flags,
         const ShowOptions& options);

}  // namespace glassgrad::python
