// The flags that change what a lesson computes, the same for every command that runs a lesson. The lesson's
// own flags are known once its name is.
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
  // reads the words. Throws Error for a file that is no lesson, or has a setting with the name of another
  // flag.
  void prepare(const std::vector<std::string>& words);

  // Returns what the lesson runs with. Throws UsageError for a flag that the lesson does not have, or a value
  // that does not fit the flag; Error for a file that cannot be read.
  Settings settings(const Lesson& lesson) const;
  // Returns what runs the lesson with these flags, or on the model. Throws UsageError for flags that do not
  // go together.
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

// The lesson at its defaults.
WhatIf as_it_is(const Lesson& lesson, Keep keep = Keep::Steps);

// Returns the option as it is typed, once for each of its values.
std::string as_typed(const CLI::Option* option);

}  // namespace glassgrad::learn
