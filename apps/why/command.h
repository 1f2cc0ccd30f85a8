// The command `why`: how one number of a lesson, or of a trained model that reads a text, came about.
#pragma once
#include <optional>

#include "apps/command_line.h"
#include "apps/learn/lesson_flags.h"
#include "apps/why/render.h"

namespace glassgrad::why {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // UsageError: no such lesson, step, tensor or cell; Error: what the lesson throws, or the checkpoint.
  void run(Output& out) const override;

 private:
  std::string flags() const;  // as Recording has them
  // A lesson with its flags, or a model with its text.
  learn::Runner runner() const;

  CLI::Option *lesson_, *address_, *depth_, *format_, *text_, *device_;
  bool exact_ = false, list_ = false, backward_ = false;
  std::optional<learn::LessonFlags> flags_;  // made last, as the help lists them
};

}  // namespace glassgrad::why
