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
  // Of a file's text; what stands under no exercise of the course is left out. Error: too large, no UTF-8 or
  // control characters, or without one heading that the course knows.
  Answers(const Course& course, std::string_view text);

  // As it was typed; empty: there is none.
  const std::string& of(const Exercise& exercise) const;
  bool is_solved(const Exercise& exercise) const;
  void set(const Exercise& exercise, std::string text, bool solved);
  size_t solved() const;
  const Exercise* first_open() const;           // the first that is not solved; null: all are
  std::vector<std::string> right_ones() const;  // by exercise; of one that is not solved, an empty text

  std::string text() const;

 private:
  struct Answer {
    std::string text;
    bool solved = false;
  };
  const Course* course_;
  std::map<std::string, Answer, std::less<>> answers_;  // by exercise
};

}  // namespace glassgrad::exercise
