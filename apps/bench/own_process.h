// The program itself, started anew.
#pragma once
#include <string>
#include <vector>

namespace glassgrad::bench {

// Runs this program with these arguments, its output thrown away, and gives back the bytes of memory that it
// held at most. Error: it cannot be started, or fails.
double run_program(const std::vector<std::string>& arguments);

}  // namespace glassgrad::bench
