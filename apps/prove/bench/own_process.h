// The program itself, started anew.
#pragma once
#include <string>
#include <vector>

namespace glassgrad::bench {

// Runs this program with these arguments, its output thrown away. Error: it cannot be started, or fails.
void run_program(const std::vector<std::string>& arguments);
// The same; gives back the most memory that it had: its resident pages, in bytes. (What the system tells of a
// child that has ended counts its parent's pages too.) Error also where programs may not be traced.
double peak_bytes_of_program(const std::vector<std::string>& arguments);

}  // namespace glassgrad::bench
