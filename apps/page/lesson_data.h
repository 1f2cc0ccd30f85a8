// A run of a lesson for the explorer's page: one JSON object, DATA in docs/explorer.md. Needs no files and no
// terminal, because the page's own engine makes the same object after a change.
#pragma once
#include <string>

#include "apps/lesson/settings.h"
#include "apps/page/tensor_data.h"

namespace glassgrad::explorer {

struct Run {
  const learn::Recording& forward;             // recorded with its calls
  const learn::Recording* backward = nullptr;  // its backward steps; null: none are shown
  const learn::Settings* settings = nullptr;   // null for a trained model, which has none
  std::vector<std::string> set = {};           // numbers that were changed, as `learn --set` takes them
  TensorTextCache* text_cache = nullptr;       // of earlier runs of the lesson; null: nothing is reused
  int64_t most_cells = kMostCells;             // a tensor with more is folded
};

// Returns DATA without "picture", "questions", "cells" and "file".
Json data_json(const Run& run);
// Returns {"numbers", "backward", "loss"}: the backward side of data_json.
Json backward_json(const learn::Recording& forward, const learn::Recording& backward,
                   int64_t most_cells = kMostCells);

// Returns "step:tensor" on the other side for a tensor: its gradient, or the tensor whose gradient it is.
// Empty if there is none.
std::string other_side(const learn::Step& step, const learn::Entry& entry, const learn::Recording* other);

}  // namespace glassgrad::explorer
