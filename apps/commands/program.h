// The whole program: runs a command, and then each command that the reader chooses to go on with.
#pragma once
#include <string>
#include <vector>

#include "apps/cli/output.h"

namespace glassgrad {

// Runs the command that the words after the program's name ask for. Throws UsageError or Elsewhere if there
// is no such command, and the errors of the commands.
void run_program(std::vector<std::string> words, Output& out);

}  // namespace glassgrad
