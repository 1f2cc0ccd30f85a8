// Waits for a program of the reader's, which may run long before there is a screen.
#pragma once
#include <functional>
#include <string>

namespace glassgrad {

// Calls run(), which runs the program of this file, on its own thread. After three seconds a line on stderr
// says which line of the program runs and what Ctrl-C does: the program ends there, and run() keeps what it
// did so far. Returns whether the program was ended this way. Throws what run throws; Interrupted for any
// other signal, and for Ctrl-C before the program's first step.
bool run_interruptible(const std::string& file, const std::function<void()>& run);

}  // namespace glassgrad
