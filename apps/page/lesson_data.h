// A run of a lesson as the explorer's page has it: one JSON object, DATA in docs/explorer.md. Nothing here
// knows of files or terminals: the page's own engine makes the same object when a number was changed.
#pragma once
#include <string>

#include "apps/lesson/settings.h"
#include "apps/page/tensor_data.h"

namespace glassgrad::explorer {

struct Run {
  const learn::Recording& forward;             // has kept its calls
  const learn::Recording* backward = nullptr;  // its backward steps; null: none are shown
  const learn::Settings* settings = nullptr;   // null: there are none, it is a trained model
  std::vector<std::string> set = {};           // numbers that were changed, as `learn --set` takes them
  Contents* contents = nullptr;                // of runs like this one; null: nothing is kept
  int64_t most_cells = kMostCells;             // of a tensor that is not folded
};

// DATA without "graph", "questions", "cells" and "file".
Json data_json(const Run& run);
// {"numbers", "backward", "loss"}: what data_json has of the backward side.
Json backward_json(const learn::Recording& forward, const learn::Recording& backward,
                   int64_t most_cells = kMostCells);

// "step:tensor" of the gradient that a tensor of one side has on the other, or whose gradient it is; empty:
// there is none.
std::string other_side(const learn::Step& step, const learn::Entry& entry, const learn::Recording* other);

}  // namespace glassgrad::explorer
