// Is an answer right? It is run in the place of the blank, and every tensor compared with the right one.
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "apps/exercise/course.h"
#include "apps/lesson/run.h"

namespace glassgrad::exercise {

// A tensor as it is shown beside a different one: one matrix of it, its long dimensions cut.
struct Matrix {
  std::string shape, dtype;  // "(6, 2)", "float32"
  std::string place;         // of which matrix, where there are several: "[0, 1]"; else empty
  struct Cell {
    std::string text;      // "0.4306"; "..." where cells are left out
    bool differs = false;  // from the other tensor's
  };
  std::vector<std::vector<Cell>> rows;
};

struct Verdict {
  enum Kind : uint8_t {
    Right,    // all tensors and numbers are equal
    Wrong,    // one differs, or is not there
    Failed,   // it does not run: an exception, or no Python
    Stopped,  // it took too long or too much, or somebody has stopped it
    Empty,    // nothing but comments
  };
  Kind kind = Empty;
  // What to say, in full: "weights differs in 4 of 36 cells." The rest is what it is made of.
  std::string sentence;
  std::string name;  // of the first tensor that differs: "weights", "self.W_query.weight"
  std::string call;  // where it is a name of a function: "MultiHeadAttention.forward"
  std::optional<Matrix> right, yours;
  std::string mistake;   // "One way to get this: …"; empty: no classic mistake computes the same
  std::string error;     // the last line of the traceback: "RuntimeError: …"
  std::string printed;   // the beginning of what the answer has printed
  std::string hint;      // what to do about it, where that is known
  std::string own_line;  // the line that it stands in
  int line = 0;          // of the answer, from 1; 0: not in it
  int column = 0;        // from 1; 0: not known
  bool second = false;   // the first run was right, that with different numbers and sizes is not
  // Of Right: "scores agrees in all 36 numbers, and again in a second run with different numbers."
  std::string agreed;
  std::string seed;  // what it was run with
};

using learn::Limits;
inline constexpr Limits kLimitsOfAnswers{.steps = 2'000'000, .bytes = 64 << 20, .seconds = 10};

// The verdict on the text as the answer to the exercise. Nothing that the text does can throw, hang or leave
// anything behind, but learn::Cancelled, where a CancelScope says so.
Verdict check(const Course& course, const Exercise& exercise, std::string_view text, uint64_t seed = 123,
              const Limits& limits = kLimitsOfAnswers);

// Something that the learner's line can use: it exists before the blank.
struct Given {
  std::string text;    // "queries (6, 2)", "p = 0.5"
  std::string values;  // of a tensor, as PyTorch prints it
};
std::vector<Given> given(const Course& course, const Exercise& exercise, uint64_t seed = 123);

// The whole program with these answers, by exercise (an empty one: the solution), and what its ending
// prints, told piece by piece. Error: it fails.
std::string program(const Course& course, std::span<const std::string> answers);
void run_ending(const Course& course, std::span<const std::string> answers, uint64_t seed,
                const std::function<void(std::string_view)>& print);

// {"right": bool, "kind": …} and the fields that are there, by their names above.
nlohmann::ordered_json json_of(const Verdict& verdict);

}  // namespace glassgrad::exercise
