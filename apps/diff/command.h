// The command `diff`.
#pragma once
#include "apps/command_line.h"

namespace glassgrad::diff {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // UsageError: no such lesson, class or flag; two that cannot be compared.
  void run(Output& out) const override;

 private:
  CLI::Option *left_, *right_;
};

}  // namespace glassgrad::diff
