// Runs a course for its page: JSON texts out, so that a WebAssembly module can pass them on. An error is
// returned as {"error": text}.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "apps/exercise/course.h"

namespace glassgrad::explorer {

class ExerciseEngine {
 public:
  // Reads the course's file, which the page carries. Returns {}.
  std::string read(std::string_view file, std::string_view text);
  // Returns the VERDICT of exercise::json_of, with "mistake" and "hint" as WORDS and without "error".
  std::string check(std::string_view exercise, std::string_view text, std::string_view seed) const;
  // Reads a learner's file. Returns {"file": its text as the program writes it, "answers": {EXERCISE:
  // {"text", "solved"}}}.
  std::string answers(std::string_view file) const;
  // Runs the whole program with the solved answers of a learner's file. Returns {"printed"}.
  std::string ending(std::string_view file) const;

 private:
  const exercise::Course& course() const;

  std::unique_ptr<const exercise::Course> course_;
};

}  // namespace glassgrad::explorer
