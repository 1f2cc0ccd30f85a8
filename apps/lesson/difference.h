// How a recording differs from another of the same lesson: step by step, tensor by tensor, cell by cell.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/lesson/recording.h"

namespace glassgrad::learn {

struct Address;

// Of a tensor.
struct Difference {
  std::vector<bool> cells;           // which differ, in logical order; all of them if it is new or reshaped
  int64_t count = 0;                 // how many
  std::optional<Dims> shape_before;  // if that was another one
  bool is_new = false;               // there was no tensor of that name
  // Where it differs most, if tensors of one shape do: by |now - before|; inf and nan count as infinite, and
  // of equals the first counts.
  Dims largest;
  std::string before, now;  // the numbers there
  double size = 0;
};

// Of a whole recording.
struct Differences {
  std::vector<std::string> set;   // what was changed by hand: "masked-scores:masked[2,1] 0.1703 -> 0.9000"
  std::vector<std::string> gone;  // tensors, STEP:TENSOR, and steps that there are no longer
  size_t steps_alike = 0;
  std::string first_step;  // that differs, its id; empty: none
  std::string largest;     // STEP:TENSOR[i,j] of the largest difference that nobody has set; empty: none
  std::string before, now;
};

// Two numbers' texts as digits() writes them, or, where those are alike, so that they read back exactly.
std::pair<std::string, std::string> told_apart(const Scalar& before, const Scalar& now);

// none: the same shape and the same numbers; nan is nan.
std::shared_ptr<const Difference> difference(const Value& before, const Value& now);

// Notes in every entry of `now` how it differs from that of its name in the step of its id of `before`, and
// what there is to say about all of them. set: what was changed by hand; is_set: this number was.
void note_differences(const Recording& before, Recording& now, std::vector<std::string> set,
                      const std::function<bool(const Address&)>& is_set);

// "3 of 36 cells, largest masked[2,1] 0.1703 -> 0.9000", "all 36 cells, …", "its shape was (6, 6)", "it is
// new". The entry has a difference.
std::string difference_text(const Entry& entry);
// "4 steps change, most masked-softmax:exps[2,1] 1.1280 -> 1.4241; r takes it back", "As it was."
std::string brief_differences(const Recording& recording);
// What has changed in all, a sentence each; none for a recording that was compared with nothing.
std::vector<std::string> differences_text(const Recording& recording);

}  // namespace glassgrad::learn
