// The command `generate`: its flags, and what they make it do.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "apps/output.h"
#include "nn/sampling.h"

namespace glassgrad::generate {

class Command {
 public:
  explicit Command(CLI::App& program);  // adds the command to the program, which must live longer
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  CLI::App& app() const { return *app_; }
  // UsageError; Error: no such checkpoint, or a broken one.
  void run(Output& out) const;

 private:
  nn::Sampling sampling() const;
  std::string prompt() const;

  CLI::App* app_;
  CLI::Option *checkpoint_, *prompt_, *max_tokens_, *temperature_, *top_k_, *top_p_, *seed_;
  bool greedy_ = false, no_cache_ = false;
};

}  // namespace glassgrad::generate
