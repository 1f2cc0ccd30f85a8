// The exit code of a run.
#pragma once
#include <functional>
#include <span>

#include "apps/cli/output.h"

namespace glassgrad {

// Runs a function that writes to stdout. Returns the exit code: 0 done, or the reader of stdout has gone; 1 a
// file or the run failed, 2 the command line is wrong, each with a line on stderr; 128 + n stopped by signal
// n. The line may quote `arguments`; long arguments are shortened.
int exit_code_of(const std::function<void(Output&)>& run, std::span<const char* const> arguments = {});

}  // namespace glassgrad
