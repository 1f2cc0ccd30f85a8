// The command `learn`: its flags, and what they make it do.
#pragma once
#include <CLI/CLI.hpp>
#include <vector>

#include "apps/output.h"

namespace glassgrad::learn {

class Command {
 public:
  explicit Command(CLI::App& program);  // adds the command to the program, which must live longer
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  CLI::App& app() const { return *app_; }
  // UsageError, or what the lesson throws.
  void run(Output& out) const;

 private:
  CLI::App* app_;
  CLI::Option *lesson_, *from_, *to_, *format_, *inputs_, *weights_, *tokens_;
  std::vector<CLI::Option*> parameters_;
  bool outputs_ = false, plain_ = false, list_ = false;
};

}  // namespace glassgrad::learn
