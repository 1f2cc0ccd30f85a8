// Limits on the memory of a run.
#pragma once
#include <cstddef>

namespace glassgrad {

// Returns how many bytes this process may still allocate: the machine's available memory, or less if a
// cgroup, a ulimit or a web page limits it. Frees cached memory first.
double available_memory();

// From here on, an allocation beyond available_memory() throws std::bad_alloc; without this limit the system
// would kill the process.
void keep_to_available_memory();

// Sets the same limit at `bytes` more than the process has now.
void keep_to_memory(size_t bytes);

// Returns how many bytes of the stack the calls of a lesson's program may take.
size_t stack_for_programs();

}  // namespace glassgrad
