// The command `learn`: its flags, and what they make it do.
#pragma once
#include <vector>

#include "apps/command_line.h"
#include "apps/learn/what_if.h"

namespace glassgrad::learn {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // UsageError, or what the lesson throws.
  void run(Output& out) const override;

 private:
  // The lesson with what was given on the command line; one that was not asked for, at its defaults.
  WhatIf open(const Lesson& lesson) const;
  Settings settings_for(const Lesson& lesson) const;
  void show_mistake(const std::string& format, Output& out) const;

  CLI::Option *lesson_, *from_, *to_, *format_, *inputs_, *weights_, *tokens_, *set_, *bug_;
  std::vector<CLI::Option*> parameters_;
  bool outputs_ = false, plain_ = false, list_ = false, speak_ = false, step_ = false, no_state_ = false;
};

}  // namespace glassgrad::learn
