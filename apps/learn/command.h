// The command `learn`: its flags, and what they make it do.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "apps/output.h"

namespace glassgrad::learn {

class Command {
 public:
  explicit Command(CLI::App& program);  // adds the command to the program; lives as long as that parses
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  CLI::App& app() const { return *app_; }
  // UsageError, or what the lesson throws.
  void run(Output& out) const;

 private:
  struct Flag {
    std::string name;
    CLI::Option* option;
  };
  bool wants_to_step(const Output& out) const;

  CLI::App* app_;
  std::string lesson_, inputs_, tokens_, from_, to_, format_ = "text";
  CLI::Option *inputs_option_, *tokens_option_;
  bool outputs_ = false, plain_ = false, list_ = false;
  std::vector<Flag> parameters_;
};

}  // namespace glassgrad::learn
