// The flags that change a lesson's numbers, shared by all commands that run lessons. A lesson's own flags are
// added once its name is known.
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

  // Adds the flags that every lesson has to the app, in a group of their own. text: the app's own --text, if
  // it has one.
  explicit LessonFlags(CLI::App& app, CLI::Option* text = nullptr);
  // Adds the settings of the lesson that these words name first, if any; call it before the app's parser
  // reads the words. Throws Error for a file that is not a lesson, or that has a setting with the name of an
  // existing flag.
  void prepare(const std::vector<std::string>& words);

  // Returns the lesson's settings. Throws UsageError for a flag that the lesson does not have, or a value
  // that does not fit the flag; Error if a file cannot be read.
  Settings settings(const Lesson& lesson) const;
  // Returns a runner for the lesson with these flags, or for the model. Throws UsageError for flags that
  // exclude each other.
  Runner runner(const Lesson& lesson) const;
  // Runs the lesson with these flags.
  Recording open(const Lesson& lesson, Keep keep = Keep::Steps) const;
  const CLI::Option* weights() const { return weights_; }
  const CLI::Option* model() const { return model_; }  // a trained model in place of the lesson's own
  // Returns the flags that were given as a shell reads them, " --seed 7"; empty if there are none.
  std::string as_typed() const;

 private:
  void add(const Lesson& lesson, const std::string& group);
  std::string changes_as_typed() const;  // all but the model and its text

  CLI::App& app_;
  std::vector<CLI::Option*> parameters_;
  CLI::Option *inputs_, *weights_, *tokens_, *model_, *text_;
};

// Returns the lesson with its default settings.
WhatIf as_it_is(const Lesson& lesson, Keep keep = Keep::Steps);

// Returns the option as the user typed it, once for each of its values.
std::string as_typed(const CLI::Option* option);

}  // namespace glassgrad::learn
