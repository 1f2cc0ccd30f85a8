// The command `docs`: a lesson's chapter, or a step of it, for reading.
#pragma once
#include "apps/command_line.h"

namespace glassgrad::docs {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // UsageError: no such lesson or step.
  void run(Output& out) const override;

 private:
  CLI::Option* place_;
};

}  // namespace glassgrad::docs
