// The command `docs`: a lesson's chapter, or a step of it, for reading.
#pragma once
#include <CLI/CLI.hpp>

#include "apps/output.h"

namespace glassgrad::docs {

class Command {
 public:
  explicit Command(CLI::App& program);  // adds the command to the program, which must live longer
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  CLI::App& app() const { return *app_; }
  // UsageError: no such lesson or step.
  void run(Output& out) const;

 private:
  CLI::App* app_;
  CLI::Option* place_;
};

}  // namespace glassgrad::docs
