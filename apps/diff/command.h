// The command `diff`.
#pragma once
#include "apps/command_line.h"

namespace glassgrad::diff {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // UsageError: no such lesson, class or flag; two that cannot be compared. Error: they differ by more than
  // rounding, or have nothing in common.
  void run(Output& out) const override;

 private:
  CLI::Option *left_, *right_, *format_, *device_;
};

}  // namespace glassgrad::diff
