// The flags that change what a lesson computes, for every command that runs one.
#pragma once
#include <vector>

#include "apps/command_line.h"
#include "apps/learn/lesson.h"

namespace glassgrad::learn {

class LessonFlags {
 public:
  explicit LessonFlags(CLI::App& app);

  bool any_given() const;
  // Runs the lesson with what was given on the command line. UsageError, or what the lesson throws.
  Recording open(const Lesson& lesson, Keep keep = Keep::Steps) const;

 private:
  CLI::App& app_;
  CLI::Option *inputs_, *weights_, *tokens_;
  std::vector<CLI::Option*> parameters_;
};

// The lesson at its defaults.
Recording open_as_it_is(const Lesson& lesson, Keep keep = Keep::Steps);

}  // namespace glassgrad::learn
