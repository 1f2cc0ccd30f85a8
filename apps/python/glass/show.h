// Shows a program's run: in the stepper, as text, as a page.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/lesson/lesson.h"

namespace glassgrad::python {

struct ShowOptions {
  // "": stepping at a terminal, text elsewhere. Also "step", "text", "plain", "list", "markdown", "json",
  // "html".
  std::string form;
  std::string path;  // of the page; "-": stdout
  std::optional<std::string> from, to;
  bool backward = false;
  std::vector<std::string> why;  // addresses of numbers to open
  int64_t depth = 1;
  bool exact = false;
  std::vector<std::string> set;  // "STEP:TENSOR[i,j]=V"
  bool at_end = false;           // the stepper begins with the last step
};

// `runner` gives the run, or runs the program again with changed numbers. Returns the exit code; reports
// errors on stderr.
int show(const learn::Lesson& lesson, const learn::Runner& runner, const std::string& flags,
         const ShowOptions& options);

}  // namespace glassgrad::python
