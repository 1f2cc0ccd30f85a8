// One run of a course up to an exercise, with some answer in its blank, and what it binds on the way.
#pragma once
#include <string>
#include <vector>

#include "apps/exercise/verdict.h"
#include "engine/tensor.h"

namespace glassgrad::exercise {

// What a name was bound to.
struct Bound {
  std::string call, name;  // "MultiHeadAttention.forward", "weights"; call is empty at the program's top
  std::string kind;        // "a tensor", "a float", "nothing"
  Tensor value;            // of a tensor or number, as it was
  std::string text;        // of a str
  bool is_number = false;
  bool before = false;  // bound by a line of the block above the blank
  // Set for what the program's names hold at its end:
  bool at_end = false;
  bool untouched = false;  // as it was when the blank began
  bool needed = false;     // something reads it later, as it is
};

struct Trial {
  enum End : uint8_t { Whole, Raised, OutOfTime, OutOfMemory } end = Whole;
  std::vector<Bound> bound;  // in the order of the program
  std::vector<Given> given;  // if the setting wants it
  std::string printed;       // the beginning of what the answer printed
  // Of Raised:
  std::string error, hint;
  std::string text_of_line;  // the program's line in which it was raised
  int line = 0, column = 0;  // of the answer, from 1; 0: not in it
};

// With what numbers.
struct Setting {
  uint64_t seed = 0;
  bool second = false;  // sizes
  bool gives = false;   // Trial::given is wanted
};

// The exercise with these lines in its blank. Cancelled.
Trial attempt(const Course& course, const Exercise& exercise, std::span<const std::string> answer,
              const Setting& setting, const Limits& limits);
// The same with the solution; values that the exercise says how to get otherwise are those.
Trial right_one(const Course& course, const Exercise& exercise, const Setting& setting);

std::string shape_text(const Dims& shape);  // "(6, 2)"

// All exercises with these answers, then the ending.
Trial run_to_the_end(const Course& course, std::span<const std::string> answers, const Setting& setting,
                     const Limits& limits, const std::function<void(std::string_view)>& print);

}  // namespace glassgrad::exercise
