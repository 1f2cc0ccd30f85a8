// The command `learn`: its flags, and what they make it do.
#pragma once
#include <optional>

#include "apps/command_line.h"
#include "apps/learn/lesson_flags.h"
#include "apps/learn/predict/predict.h"

namespace glassgrad::learn {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // UsageError, or what the lesson throws.
  void run(Output& out) const override;

 private:
  // The lesson with what was given on the command line; one that was not asked for, at its defaults.
  WhatIf open(const Lesson& lesson, Keep keep) const;
  // The lesson as a page for a browser.
  void write_html(const Lesson& lesson, const std::string& path, Output& out) const;
  void show_mistake(const std::string& format, Output& out) const;

  // UsageError: --model and --text with flags or a lesson that they do not go with.
  void check_model(const Lesson& lesson) const;

  CLI::Option *lesson_, *from_, *to_, *format_, *html_, *model_, *text_, *set_, *bug_, *device_;
  std::optional<PredictFlags> predict_;
  std::optional<LessonFlags> flags_;  // they stand after the others in the help
  bool outputs_ = false, plain_ = false, list_ = false, backward_ = false, speak_ = false, step_ = false,
       no_state_ = false, detect_anomaly_ = false;
};

}  // namespace glassgrad::learn
