// How much memory a run may take.
#pragma once
#include <cstddef>

namespace glassgrad {

// How many bytes this process may still take: what the machine has available, or less where a cgroup, a
// ulimit or a page says so. Memory that was kept for later is given back first.
double available_memory();

// From here on, more than that is refused as std::bad_alloc; the system would end the process instead.
void keep_to_available_memory();

// The same with a number: so many bytes more than the process has now.
void keep_to_memory(size_t bytes);

// How many bytes of the stack the calls of a lesson's program may take.
size_t stack_for_programs();

}  // namespace glassgrad
