// The command `learn`: its flags, and what they make it do.
#pragma once
#include <CLI/CLI.hpp>
#include <vector>

#include "apps/learn/recording.h"
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
  // The lesson with what was given on the command line; one that was not asked for, at its defaults.
  Recording open(const Lesson& lesson) const;

  CLI::App* app_;
  CLI::Option *lesson_, *from_, *to_, *format_, *inputs_, *weights_, *tokens_;
  std::vector<CLI::Option*> parameters_;
  bool outputs_ = false, plain_ = false, list_ = false, speak_ = false, step_ = false, no_state_ = false;
};

}  // namespace glassgrad::learn
