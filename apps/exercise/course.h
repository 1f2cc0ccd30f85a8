// A course of exercises: a lesson's file (docs/lesson-format.md) whose program grows by blanks, of which a
// learner writes one after the other.
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
  std::string sentence;            // what was done: "You summed over the queries: dim=0 instead of dim=-1."
  std::vector<std::string> lines;  // in place of the blank
  int line = 0;                    // of the first in the file
};

struct Exercise {
  std::string id, title;
  std::vector<std::string> prose;  // a paragraph each, in the words of Markdown
  std::vector<std::string> setup;  // not shown: what it starts from
  // What is shown: the lines before the blank, the right ones, those after it. The right ones stand at the
  // left edge; in the program they are indented by so many spaces.
  std::vector<std::string> before, solution, after;
  size_t indent = 0;
  std::array<std::string, 3> hints;
  std::vector<Mistake> mistakes;
  // What takes the place of values of the solution: (name, expression), such as ("grad_a", "a.grad").
  std::vector<std::pair<std::string, std::string>> expected;
  int line = 0, block_line = 0;  // in the file

  // Those and the answer's, as a program has them.
  std::vector<std::string> with(std::span<const std::string> answer) const;
};

struct Course {
  std::string file, id;    // "attention.md", "attention"
  std::string written;     // the file's text
  std::string title;       // "Attention in twelve lines"
  std::string understand;  // "You will understand …"
  int minutes = 0;
  learn::Group group = learn::Group::Own;
  int place = 0;  // in its group
  std::vector<learn::DocumentSize> sizes;
  std::vector<std::string> opening;  // runs before all
  std::vector<Exercise> exercises;
  std::vector<std::string> ending;  // runs after all, with the learner's lines, and prints; empty: nothing
  std::string ending_title;
  std::vector<std::string> ending_prose;  // as an exercise's

  const Exercise* find(std::string_view id_or_number) const;  // "softmax", "3"; null: there is none
  size_t index(const Exercise& exercise) const { return static_cast<size_t>(&exercise - exercises.data()); }
};

// The exercises are the document's steps with a blank. Lines of steps without one run before the next
// exercise, and behind the last one they end the course. Error `attention.md:25: …`: it has no blank, or an
// exercise lacks something.
Course course_of(const learn::Document& document);

// Those of the program, in the order in which they are listed. A page has none: it reads the one it carries.
std::span<const Course* const> courses();
const Course* course_called(std::string_view id);  // null: there is none

// Lines of a learner's text: without what is all to the left of them, without empty ones around them.
std::vector<std::string> lines_of(std::string_view text);
std::string text_of(std::span<const std::string> lines);  // each ends with a line feed

}  // namespace glassgrad::exercise
