// The command `gradcheck`: are the gradients of a class or a lesson the slopes that one measures?
#pragma once
#include "apps/command_line.h"

namespace glassgrad::gradcheck {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // UsageError. Error: a gradient that is off.
  void run(Output& out) const override;

 private:
  CLI::Option *target_, *seed_, *eps_, *cells_, *format_, *device_;
};

}  // namespace glassgrad::gradcheck
