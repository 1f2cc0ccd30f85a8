// Runs a program again from its start, in a process that was forked before it began: what if a number were
// another one?
#pragma once
#include <string>

#include "apps/python/glass/run.h"

namespace glassgrad::python {

// What is asked of the process that waits: which numbers are other ones, and which rounds are kept.
struct Asked {
  learn::Patch change;
  KeptRounds keep;
};
std::string request_of(const Asked& asked);
Asked asked_by(const std::string& request);

// A run as bytes for a process that was forked from the same one.
std::string bytes_of(ScriptRun& run);
ScriptRun run_of(std::string_view bytes);

// The other end of `socket`, of which this process holds one, runs the program so; what it has recorded
// stands in the file `result`. Error: the run has failed; what it said. Cancelled: nobody waits for it any
// more, and it is ended.
ScriptRun run_again(int socket, int result, const Asked& asked);

}  // namespace glassgrad::python
