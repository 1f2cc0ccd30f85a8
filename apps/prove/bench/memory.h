// Measures the memory of a piece of work.
#pragma once
#include <sys/types.h>

#include <string>

#include "apps/prove/bench/timing.h"

namespace glassgrad::bench {

// Returns the peak of the process's resident bytes (on a GPU, of the bytes in use) during a call of make()'s
// result, minus the bytes before the call. A call beforehand makes the one-time allocations. Throws Error if
// Linux's /proc does not report the memory.
double peak_bytes(const std::function<Work()>& make);

// Returns the bytes in this line of /proc/PROCESS/status: "VmRSS", the resident pages, or "VmHWM", their
// peak. Throws Error if there is no such line.
double memory_of(pid_t process, const std::string& name);

}  // namespace glassgrad::bench
