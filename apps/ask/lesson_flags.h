// The flags that change what a lesson computes: the same for every command that runs one. A lesson's own are
// known once its name is.
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

  // Adds those to the app that every lesson has, in a group of their own. text: the app's own --text, if it
  // has one.
  explicit LessonFlags(CLI::App& app, CLI::Option* text = nullptr);
  // Before the app's parser reads these words: adds the settings of the lesson that they name first, if any.
  // Error: a file that is no lesson, or has a setting with the name of another flag.
  void prepare(const std::vector<std::string>& words);

  // What the lesson runs with. UsageError: a flag that it does not have, or a value that is none of it.
  // Error: a file that cannot be read.
  Settings settings(const Lesson& lesson) const;
  // The lesson with them, or on the model, to be run. UsageError: flags that do not go together.
  Runner runner(const Lesson& lesson) const;
  // The lesson run with them.
  Recording open(const Lesson& lesson, Keep keep = Keep::Steps) const;
  const CLI::Option* weights() const { return weights_; }
  const CLI::Option* model() const { return model_; }  // a trained one, in place of the lesson's own
  // Those that were given, " --seed 7", as a shell reads them; empty if there are none.
  std::string as_typed() const;

 private:
  void add(const Lesson& lesson, const std::string& group);
  std::string changes_as_typed() const;  // all but the model and its text

  CLI::App& app_;
  std::vector<CLI::Option*> parameters_;
  CLI::Option *inputs_, *weights_, *tokens_, *model_, *text_;
};

// The lesson at its defaults.
WhatIf as_it_is(const Lesson& lesson, Keep keep = Keep::Steps);

// As each of its values is typed.
std::string as_typed(const CLI::Option* option);

}  // namespace glassgrad::learn
