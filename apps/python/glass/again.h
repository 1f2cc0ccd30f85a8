// Runs a program again from its start with changed numbers, in a process that was forked before the program
// began.
#pragma once
#include <string>

#include "apps/python/glass/run.h"

namespace glassgrad::python {

// A request to the waiting process: the numbers to change, and the rounds to keep.
struct RerunRequest {
  learn::Patch change;
  KeptRounds keep;
};
std::string serialize_request(const RerunRequest& asked);
RerunRequest parse_request(const std::string& request);

// A run as bytes for a process that was forked from the same parent.
std::string serialize_run(ScriptRun& run);
ScriptRun parse_run(std::string_view bytes);

// Asks the process at the other end of `socket` to run the program with the changes, and reads the recorded
// run from the file `result`. Throws Error with the run's message if the run failed; Cancelled, after killing
// the run, once nobody waits for it any more.
ScriptRun run_again(int socket, int result, const RerunRequest& asked);

}  // namespace glassgrad::python
