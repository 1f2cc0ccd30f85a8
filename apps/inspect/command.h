// The command `inspect`: its flags, and what they make it do.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "apps/inspect/model_run.h"
#include "apps/output.h"

namespace glassgrad::inspect {

class Command {
 public:
  explicit Command(CLI::App& program);  // adds the command to the program, which must live longer
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  CLI::App& app() const { return *app_; }
  // UsageError; Error: no such checkpoint, a broken one, a file that cannot be written.
  void run(Output& out) const;

 private:
  std::vector<int64_t> tokens(const Tokenizer& tokenizer, int64_t context) const;
  std::optional<Head> zeroed(const nn::GPTConfig& config) const;

  CLI::App* app_;
  CLI::Option *checkpoint_, *text_, *layer_, *head_, *zero_, *top_, *npy_, *format_;
};

}  // namespace glassgrad::inspect
