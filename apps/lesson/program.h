// A lesson from a file. Its program runs on the engine, statement by statement, and its steps show the values
// that the statements made.
#pragma once
#include <deque>
#include <string>

#include "apps/lesson/document.h"
#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

class DocumentLesson {
 public:
  // own: the file is the reader's, not one of the program's lessons.
  explicit DocumentLesson(Document document, bool own = false);
  DocumentLesson(const DocumentLesson&) = delete;
  DocumentLesson& operator=(const DocumentLesson&) = delete;

  const Lesson& lesson() const { return lesson_; }

 private:
  Document document_;
  std::deque<std::string> texts_;  // texts that lesson_ points into
  std::vector<SettingSpec> setting_specs_;
  std::vector<const char*> tokens_;
  Lesson lesson_;
};

// Returns the settings of a run in the form that FencedCode::program() takes.
std::map<std::string, std::string> values_of(const Document& document, const Settings& settings);
// Returns the value that the program of a lesson marks `#: inputs`, under these settings.
Tensor default_inputs(const Document& document, const std::map<std::string, std::string>& values);

// Builds a lesson's steps by running its program. Fills the findings unless they are null.
void tell(StepBuilder& builder, const Settings& settings, const Document& document,
          LessonFindings* findings = nullptr);
// Runs a lesson that is a file to fill the findings.
void collect_findings(const Lesson& lesson, const Settings& settings, LessonFindings& findings);

}  // namespace glassgrad::learn
