// A course as its page runs it: JSON texts out, so that a WebAssembly module can hand them through. What goes
// wrong is told as {"error": text}.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "apps/exercise/course.h"

namespace glassgrad::explorer {

class Exercises {
 public:
  // The course's file, which the page carries. {}
  std::string read(std::string_view file, std::string_view text);
  // VERDICT as exercise::json_of has it, with "mistake" and "hint" as WORDS and without "error".
  std::string check(std::string_view exercise, std::string_view text, std::string_view seed) const;
  // Of a learner's file: {"file": its text as the program writes it, "answers": {EXERCISE: {"text",
  // "solved"}}}.
  std::string answers(std::string_view file) const;
  // What the whole program prints with the solved answers of that file: {"printed"}.
  std::string ending(std::string_view file) const;

 private:
  const exercise::Course& course() const;

  std::unique_ptr<const exercise::Course> course_;
};

}  // namespace glassgrad::explorer
