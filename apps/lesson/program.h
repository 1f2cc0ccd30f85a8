// A lesson that is a file: its program runs on the engine, statement by statement, and its steps show what
// the statements made.
#pragma once
#include <deque>
#include <memory>
#include <string>

#include "apps/lesson/document.h"
#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

class ProgramLesson {
 public:
  explicit ProgramLesson(Document document);
  ProgramLesson(const ProgramLesson&) = delete;
  ProgramLesson& operator=(const ProgramLesson&) = delete;

  const Lesson& lesson() const { return lesson_; }
  const Document& document() const { return document_; }
  // The settings of a run as program() of a block takes them.
  std::map<std::string, std::string> values(const Settings& settings) const;
  // What does not hold in the lesson as it is: claims, axes. "journey.md:25: …", a line each.
  std::vector<std::string> problems() const;
  // So many sentences stand under a claim.
  size_t claims() const;

 private:
  Document document_;
  std::deque<std::string> texts_;  // that lesson_ points into
  std::vector<Parameter> parameters_;
  std::vector<const char*> tokens_;
  Lesson lesson_;
};

// The value that the program of a lesson marks `#: inputs`, under these settings.
Tensor default_inputs(const Document& document, const std::map<std::string, std::string>& values);

// Tells a lesson's steps by running its program. `broken`, if not null, gets the claims that do not hold.
void tell(Narrator& narrator, const Settings& settings, const ProgramLesson& lesson,
          std::vector<std::string>* broken = nullptr);

}  // namespace glassgrad::learn
