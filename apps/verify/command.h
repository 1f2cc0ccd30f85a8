// The command `verify`.
#pragma once
#include "apps/command_line.h"

namespace glassgrad::verify {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // UsageError: no file named. Error: a file that cannot be read or is not whole, naming what is wrong.
  void run(Output& out) const override;

 private:
  CLI::Option *file_, *device_;
  bool only_finite_ = false;
};

}  // namespace glassgrad::verify
