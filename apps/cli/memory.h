// How much memory a run may take.
#pragma once

namespace glassgrad {

// How many bytes this process may still take: what the machine has available, or less where a cgroup, a
// ulimit or a page says so. Memory that was kept for later is given back first.
double available_memory();

}  // namespace glassgrad
