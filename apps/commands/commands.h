// The program's commands. Each adds itself and its flags to the program, which must live longer. Its
// Subcommand::run does the work and says which errors it throws.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "apps/cli/command_line.h"

namespace glassgrad {

// NAME::command makes the command NAME; commands.def lists them.
#define COMMAND(NAME)                                     \
  namespace NAME {                                        \
  std::unique_ptr<Subcommand> command(CLI::App& program); \
  }
#include "apps/commands/commands.def"
#undef COMMAND

}  // namespace glassgrad
