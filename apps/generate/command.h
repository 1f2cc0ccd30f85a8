// The command `generate`: its flags, and what they make it do.
#pragma once
#include <string>

#include "apps/command_line.h"
#include "nn/sampling.h"

namespace glassgrad::generate {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // UsageError; Error: no such checkpoint, or a broken one.
  void run(Output& out) const override;

 private:
  nn::Sampling sampling() const;
  std::string prompt() const;

  CLI::Option *checkpoint_, *prompt_, *max_tokens_, *temperature_, *top_k_, *top_p_, *seed_, *threads_,
      *device_;
  bool greedy_ = false, no_cache_ = false;
};

}  // namespace glassgrad::generate
