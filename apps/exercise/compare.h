// Compares what two runs of an exercise have bound.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/exercise/trial.h"

namespace glassgrad::exercise {

struct Cells {
  std::vector<char> differs;
  int64_t count = 0, nans = 0, first = -1;
};

// The first thing that is not as it should be.
struct Difference {
  size_t at = 0;               // in what the right run binds
  Bound yours;                 // of the kind "nothing": it is not there
  std::optional<Cells> cells;  // of two tensors of one shape and dtype
};

struct Comparing {
  bool nan_is_nan = false;
  bool begun = false;  // an exception has ended `yours`: only what it bound before counts
};

// Numbers are equal up to rounding. None: all is as it should be.
std::optional<Difference> compare(const Trial& right, const Trial& yours, const Comparing& how = {});

// Do both go the same way, right or wrong, and make the same numbers up to rounding?
bool alike(const Trial& a, const Trial& b);

// Of a right run: what the answer and the lines behind it made, "scores agrees in all 36 numbers": names, and
// how many numbers their tensors have. From four names on only how many there are.
std::string agreed_text(const Trial& right);

// Has the program stopped behind the answer, at a line that cannot go on with what the answer made?
inline bool stopped_behind(const Trial& trial) { return trial.end == Trial::Raised && trial.line == 0; }

}  // namespace glassgrad::exercise
