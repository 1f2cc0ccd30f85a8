// One run of a course up to an exercise, with an answer in the blank, and the values that the run binds.
#pragma once
#include <string>
#include <vector>

#include "apps/exercise/verdict.h"
#include "engine/tensor.h"

namespace glassgrad::exercise {

// The value that a name was bound to.
struct BoundValue {
  std::string call, name;  // "MultiHeadAttention.forward", "weights"; call is empty at the program's top
  std::string kind;        // "a tensor", "a float", "nothing"
  Tensor value;            // a tensor or number, copied when it was bound
  std::string text;        // if it is a str
  bool is_number = false;
  bool before = false;  // bound by a line of the block above the blank
  // The next three are set for values that names hold when the program ends.
  bool at_end = false;
  bool untouched = false;  // the same as when the blank began
  bool needed = false;     // later lines read this value
};

struct AnswerRun {
  enum End : uint8_t { Whole, Raised, OutOfTime, OutOfMemory } end = Whole;
  std::vector<BoundValue> bound;      // in the order of the program
  std::vector<AvailableValue> given;  // if AnswerRunOptions::gives
  std::string printed;                // the beginning of what the answer printed
  // If Raised:
  std::string error, hint;
  std::string text_of_line;  // the program's line that raised the exception
  int line = 0, column = 0;  // in the answer, from 1; 0: outside the answer
};

// How a run of the answer differs from the course's own run.
struct AnswerRunOptions {
  uint64_t seed = 0;
  bool second = false;  // use the course's second sizes
  bool gives = false;   // fill AnswerRun::given
};

// Runs the exercise with these lines in its blank. Throws Cancelled.
AnswerRun run_answer(const Course& course, const Exercise& exercise, std::span<const std::string> answer,
                     const AnswerRunOptions& options, const Limits& limits);
// Runs the exercise with its solution. Values in Exercise::expected come from their expressions.
AnswerRun run_solution(const Course& course, const Exercise& exercise, const AnswerRunOptions& options);

std::string shape_text(const Dims& shape);  // "(6, 2)"

// Runs all exercises with these answers, then the ending.
AnswerRun run_to_the_end(const Course& course, std::span<const std::string> answers,
                         const AnswerRunOptions& options, const Limits& limits,
                         const std::function<void(std::string_view)>& print);

}  // namespace glassgrad::exercise
