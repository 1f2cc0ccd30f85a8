// The flags that change a lesson: the same for every command that runs one.
#pragma once
#include <string>
#include <vector>

#include "apps/command_line.h"
#include "apps/learn/lesson.h"

namespace glassgrad::learn {

class LessonOptions {
 public:
  // Adds them to the app, in a group of their own.
  explicit LessonOptions(CLI::App& app);

  // What the lesson runs with. UsageError: a flag that it does not have, or a value that is none of it.
  // Error: a file that cannot be read.
  Settings settings(const Lesson& lesson) const;
  // The lesson run with them, its flags as they were typed. UsageError as well: values that do not go
  // together.
  Recording open(const Lesson& lesson, Keep keep) const;
  std::string as_typed() const;  // " --seed 7", as a shell reads it

 private:
  std::vector<CLI::Option*> parameters_;
  CLI::Option *inputs_, *weights_, *tokens_;
};

}  // namespace glassgrad::learn
