// The command `check`: its flags, and what they make it do.
#pragma once
#include "apps/command_line.h"

namespace glassgrad::checking {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // UsageError: no such lesson or folder. Error: a lesson prints something else than its source, named with
  // its first step that does; a file that cannot be read.
  void run(Output& out) const override;

 private:
  CLI::Option *lesson_, *source_, *device_;
};

}  // namespace glassgrad::checking
