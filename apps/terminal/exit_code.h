// What a run tells of how it went.
#pragma once
#include <functional>
#include <span>

#include "apps/cli/output.h"

namespace glassgrad {

// Runs what writes to stdout. Returns the exit code: 0 done, or the reader has gone; 1 a file or the run went
// wrong, 2 the command line is wrong, each with a line on stderr; 128 + n stopped by signal n. `arguments`
// may be quoted in the line, long ones shortened.
int exit_code_of(const std::function<void(Output&)>& run, std::span<const char* const> arguments = {});

}  // namespace glassgrad
