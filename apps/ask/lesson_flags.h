// The flags that change what a lesson computes: the same for every command that runs one.
#pragma once
#include <string>
#include <vector>

#include "apps/ask/what_if.h"
#include "apps/cli/command_line.h"
#include "apps/lesson/settings.h"

namespace glassgrad::learn {

class LessonFlags {
 public:
  static constexpr const char* kGroup = "What to change";

  // Adds them to the app, in a group of their own.
  explicit LessonFlags(CLI::App& app);

  // What the lesson runs with. UsageError: a flag that it does not have, or a value that is none of it.
  // Error: a file that cannot be read.
  Settings settings(const Lesson& lesson) const;
  // The lesson with them, to be run.
  Runner runner(const Lesson& lesson) const;
  // The lesson run with them.
  Recording open(const Lesson& lesson, Keep keep = Keep::Steps) const;
  // Those that were given, " --seed 7", as a shell reads them; empty if there are none.
  std::string as_typed() const;

 private:
  std::vector<CLI::Option*> parameters_;
  CLI::Option *inputs_, *weights_, *tokens_;
};

// The lesson at its defaults.
WhatIf as_it_is(const Lesson& lesson, Keep keep = Keep::Steps);

// As each of its values is typed.
std::string as_typed(const CLI::Option* option);

}  // namespace glassgrad::learn
