// Compares the values that two runs of an exercise have bound.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/exercise/answer_run.h"

namespace glassgrad::exercise {

struct DifferingCells {
  std::vector<char> differs;
  int64_t count = 0, nans = 0, first = -1;
};

// The first value of a run that differs from the right run.
struct Difference {
  size_t at = 0;                        // index in the right run's `bound`
  BoundValue yours;                     // kind "nothing": the value is missing
  std::optional<DifferingCells> cells;  // for two tensors with the same shape and dtype
};

struct CompareOptions {
  bool nan_is_nan = false;
  bool begun = false;  // an exception has ended `yours`: compare only values that it bound before
};

// Returns the first difference beyond rounding, or nothing.
std::optional<Difference> compare(const AnswerRun& right, const AnswerRun& yours,
                                  const CompareOptions& how = {});

// True if both runs end in the same way, right or wrong, with the same numbers up to rounding.
bool alike(const AnswerRun& a, const AnswerRun& b);

// Describes the values that the answer and later lines of a right run made: "scores agrees in all 36
// numbers". Counts the names instead if there are four or more.
std::string agreed_text(const AnswerRun& right);

// True if an exception stopped the program after the answer, at a line that uses the answer's values.
inline bool stopped_behind(const AnswerRun& trial) {
  return trial.end == AnswerRun::Raised && trial.line == 0;
}

}  // namespace glassgrad::exercise
