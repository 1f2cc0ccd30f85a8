// The command `graph`: its flags, and what they make it do.
#pragma once
#include <string>

#include "apps/command_line.h"
#include "apps/graph/graph.h"
#include "apps/learn/lesson_flags.h"

namespace glassgrad::graph {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // UsageError: no such lesson, file or tensor; a tensor without a graph. Error: a broken checkpoint.
  void run(Output& out) const override;

 private:
  Graph graph_of_lesson(const learn::Lesson& lesson) const;

  CLI::Option *of_, *tensor_, *format_, *text_, *device_;
  bool expand_ = false;
  learn::LessonFlags changes_;
};

}  // namespace glassgrad::graph
