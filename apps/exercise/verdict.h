// Checks an answer: runs it in place of the blank and compares every tensor with the solution's.
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "apps/exercise/course.h"
#include "apps/lesson/run.h"

namespace glassgrad::exercise {

// One matrix of a tensor, for display beside the other run's tensor. Long dimensions are cut.
struct Matrix {
  std::string shape, dtype;  // "(6, 2)", "float32"
  std::string place;         // index of the matrix if the tensor has several: "[0, 1]"; else empty
  struct Cell {
    std::string text;      // "0.4306"; "..." for cells that are left out
    bool differs = false;  // from the other tensor's number
  };
  std::vector<std::vector<Cell>> rows;
};

struct Verdict {
  enum Kind : uint8_t {
    Right,    // all tensors and numbers are equal
    Wrong,    // a tensor or number differs or is missing
    Failed,   // the answer does not run: an exception, or a syntax error
    Stopped,  // the answer took too long or too much memory, or was stopped from outside
    Empty,    // nothing but comments
  };
  Kind kind = Empty;
  // The full message: "weights differs in 4 of 36 cells." The other fields are its parts.
  std::string sentence;
  std::string name;  // the first tensor that differs: "weights", "self.W_query.weight"
  std::string call;  // the function that binds the name: "MultiHeadAttention.forward"
  std::optional<Matrix> right, yours;
  std::string mistake;   // "One way to get this: …"; empty: no classic mistake computes the same
  std::string error;     // the last line of the traceback: "RuntimeError: …"
  std::string printed;   // the beginning of the answer's output
  std::string hint;      // how to fix the error, if known
  std::string own_line;  // the line with the error
  int line = 0;          // its number in the answer, from 1; 0: outside the answer
  int column = 0;        // from 1; 0: unknown
  bool second = false;   // the first run was right; the second run, with different numbers and sizes, was not
  // If Right: "scores agrees in all 36 numbers, and again in a second run with different numbers."
  std::string agreed;
  std::string seed;  // the seed of the run
};

using learn::Limits;
inline constexpr Limits kLimitsOfAnswers{.steps = 2'000'000, .bytes = 64 << 20, .seconds = 10};

// Judges the text as an answer to the exercise. Whatever the text is, the call returns, does not hang and
// leaves nothing behind. Throws only learn::Cancelled, if a CancelScope requests it.
Verdict check(const Course& course, const Exercise& exercise, std::string_view text, uint64_t seed = 123,
              const Limits& limits = kLimitsOfAnswers);

// A value that the learner's line can use, because it exists before the blank.
struct AvailableValue {
  std::string text;    // "queries (6, 2)", "p = 0.5"
  std::string values;  // of a tensor, in PyTorch's print
};
std::vector<AvailableValue> available_values(const Course& course, const Exercise& exercise,
                                             uint64_t seed = 123);

// program returns the text of the whole program with these answers, one per exercise (empty: the solution).
// run_ending runs it and passes on the ending's output piece by piece; throws Error if the program fails.
std::string program(const Course& course, std::span<const std::string> answers);
void run_ending(const Course& course, std::span<const std::string> answers, uint64_t seed,
                const std::function<void(std::string_view)>& print);

// Returns {"right": bool, "kind": …} and the fields that are set, most of them under the names above.
nlohmann::ordered_json json_of(const Verdict& verdict);

}  // namespace glassgrad::exercise
