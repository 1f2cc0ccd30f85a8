// How much memory a piece of work takes.
#pragma once
#include <sys/types.h>

#include <string>

#include "apps/prove/bench/timing.h"

namespace glassgrad::bench {

// The most memory that the process has during a call of make()'s result, over what it had before: its
// resident pages, in bytes. What is needed once only, an earlier call has. Error where Linux' /proc does not
// tell.
double peak_bytes(const std::function<Work()>& make);

// Of a process what Linux tells by this name, in bytes: "VmRSS", the pages that are resident, or "VmHWM", the
// most that were. Error where there is no such line.
double memory_of(pid_t process, const std::string& name);

}  // namespace glassgrad::bench
