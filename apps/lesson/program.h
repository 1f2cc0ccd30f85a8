// A lesson that is a file: its program runs on the engine, statement by statement, and its steps show what
// the statements made.
#pragma once
#include <deque>
#include <string>

#include "apps/lesson/document.h"
#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

class ProgramLesson {
 public:
  // own: a file of the reader's, not of the program.
  explicit ProgramLesson(Document document, bool own = false);
  ProgramLesson(const ProgramLesson&) = delete;
  ProgramLesson& operator=(const ProgramLesson&) = delete;

  const Lesson& lesson() const { return lesson_; }

 private:
  Document document_;
  std::deque<std::string> texts_;  // that lesson_ points into
  std::vector<Parameter> parameters_;
  std::vector<const char*> tokens_;
  Lesson lesson_;
};

// The settings of a run as program() of a block takes them.
std::map<std::string, std::string> values_of(const Document& document, const Settings& settings);
// The value that the program of a lesson marks `#: inputs`, under these settings.
Tensor default_inputs(const Document& document, const std::map<std::string, std::string>& values);

// Tells a lesson's steps by running its program. Remarks, if not null, are filled.
void tell(Narrator& narrator, const Settings& settings, const Document& document, Remarks* remarks = nullptr);
// Runs a lesson that is a file for what it brings to light beside its steps.
void remark(const Lesson& lesson, const Settings& settings, Remarks& remarks);

}  // namespace glassgrad::learn
