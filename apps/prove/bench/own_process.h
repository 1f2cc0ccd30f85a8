// Starts this program again in a new process.
#pragma once
#include <string>
#include <vector>

namespace glassgrad::bench {

// Runs this program with these arguments and discards its output. Throws Error if it cannot start, or fails.
void run_program(const std::vector<std::string>& arguments);
// Also runs this program, and returns the peak of its resident bytes. (The system's own figure for a child
// that has ended includes the parent's pages.) Also throws Error if tracing is not allowed.
double peak_bytes_of_program(const std::vector<std::string>& arguments);

}  // namespace glassgrad::bench
