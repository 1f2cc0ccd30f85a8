// The whole program: a command, and then what its reader has chosen to go on with.
#pragma once
#include <string>
#include <vector>

#include "apps/cli/output.h"

namespace glassgrad {

// Runs the command that the words behind the program's name ask for. UsageError, Elsewhere: they ask for
// nothing that there is. Throws what the commands throw.
void run_program(std::vector<std::string> words, Output& out);

}  // namespace glassgrad
