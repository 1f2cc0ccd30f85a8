// A learner's answers to a course, and the file that keeps them: Python with a heading for each exercise.
//
//   # glassgrad build attention
//
//   # == dot: The dot product [solved]
//   score = query @ key
#pragma once
#include <map>
#include <string>

#include "apps/exercise/course.h"

namespace glassgrad::exercise {

inline constexpr size_t kMostOfAnswers = 1 << 20;  // bytes of a file

class Answers {
 public:
  explicit Answers(const Course& course) : course_(&course) {}
  // Reads a file's text. Skips lines that are not under an exercise of the course. Throws Error if the text
  // is too large, is not UTF-8, has control characters, or has no heading of an exercise of the course.
  Answers(const Course& course, std::string_view text);

  // The answer as it was typed; empty: none.
  const std::string& of(const Exercise& exercise) const;
  bool is_solved(const Exercise& exercise) const;
  void set(const Exercise& exercise, std::string text, bool solved);
  size_t solved() const;
  const Exercise* first_open() const;           // the first exercise that is not solved, or null
  std::vector<std::string> right_ones() const;  // one text per exercise, empty if it is not solved

  std::string text() const;

 private:
  struct Answer {
    std::string text;
    bool solved = false;
  };
  const Course* course_;
  std::map<std::string, Answer, std::less<>> answers_;  // by the exercise's id
};

}  // namespace glassgrad::exercise
