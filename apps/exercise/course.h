// A course of exercises: a lesson's file (docs/lesson-format.md) whose program has blanks. A learner fills
// them in one after the other.
#pragma once
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/lesson/document.h"

namespace glassgrad::exercise {

struct Mistake {
  std::string sentence;  // describes the mistake: "You summed over the queries: dim=0 instead of dim=-1."
  std::vector<std::string> lines;  // in place of the blank
  int line = 0;                    // the first line's number in the file
};

struct Exercise {
  std::string id, title;
  std::vector<std::string> prose;  // paragraphs in Markdown
  std::vector<std::string> setup;  // hidden lines that run first
  // The shown lines: before the blank, the blank's right lines, after the blank. `solution` is not indented;
  // in the program its lines are indented by `indent` spaces.
  std::vector<std::string> before, solution, after;
  size_t indent = 0;
  std::array<std::string, 3> hints;
  std::vector<Mistake> mistakes;
  // Expressions that replace values of the solution: (name, expression), such as ("grad_a", "a.grad").
  std::vector<std::pair<std::string, std::string>> expected;
  int line = 0, block_line = 0;  // in the file

  // Returns the lines of the program: before, the answer, after.
  std::vector<std::string> with(std::span<const std::string> answer) const;
};

struct Course {
  std::string file, id;    // "attention.md", "attention"
  std::string written;     // the file's text
  std::string title;       // "Attention in twelve lines"
  std::string understand;  // "You will understand …"
  int minutes = 0;
  learn::Group group = learn::Group::Own;
  int place = 0;  // order in its group
  std::vector<learn::DocumentSize> sizes;
  std::vector<std::string> opening;  // runs first
  std::vector<Exercise> exercises;
  std::vector<std::string> ending;  // runs last, after the learner's lines, and prints; may be empty
  std::string ending_title;
  std::vector<std::string> ending_prose;  // paragraphs in Markdown

  const Exercise* find(std::string_view id_or_number) const;  // "softmax", "3"; null if unknown
  size_t index(const Exercise& exercise) const { return static_cast<size_t>(&exercise - exercises.data()); }
};

// Makes each step of the document with a blank an exercise. Lines of steps without a blank run before the
// next exercise; after the last exercise they are the course's ending. Throws Error `attention.md:25: …` if
// there is no blank, or if an exercise is incomplete.
Course course_of(const learn::Document& document);

// The built-in courses, in the order of the list. The web page's build has none; a page contains its own
// course.
std::span<const Course* const> courses();
const Course* course_called(std::string_view id);  // null if unknown

// Splits a learner's text into lines, without common indentation and without empty lines at both ends.
std::vector<std::string> lines_of(std::string_view text);
std::string text_of(std::span<const std::string> lines);  // each ends with a line feed

}  // namespace glassgrad::exercise
