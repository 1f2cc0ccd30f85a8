// A program of the reader's that may run long before there is a screen.
#pragma once
#include <functional>
#include <string>

namespace glassgrad {

// run(), which runs the program of this file, on a thread of its own. After three seconds a line on stderr
// says which line of the program runs and what Ctrl-C does: the program ends there, and run() has what it did
// so far. Returns whether it was ended so. Throws what run throws; Interrupted: any other signal, or Ctrl-C
// before the program's first step.
bool run_awaited(const std::string& file, const std::function<void()>& run);

}  // namespace glassgrad
