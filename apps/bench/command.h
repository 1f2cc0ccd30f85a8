// The command `bench`: how fast this machine is, and how much of that the engine makes use of.
#pragma once
#include "apps/command_line.h"

namespace glassgrad::bench {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // UsageError: a row that there is not.
  void run(Output& out) const override;

 private:
  CLI::Option *rows_, *seconds_, *threads_, *matmul_, *device_, *format_;
};

}  // namespace glassgrad::bench
