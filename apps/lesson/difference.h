// The differences between two recordings of a lesson: step by step, tensor by tensor, cell by cell.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/lesson/recording.h"

namespace glassgrad::learn {

struct Address;

// The difference of a tensor.
struct Difference {
  std::vector<bool> cells;           // which cells differ, in logical order; all if it is new or reshaped
  int64_t count = 0;                 // how many differ
  std::optional<Dims> shape_before;  // if the shape was different
  bool is_new = false;               // there was no tensor of that name before
  // The cell with the largest |now - before|, if the shapes are the same; differences with inf or nan count
  // as infinite; the first of equal ones is taken.
  Dims largest;
  std::string before, now;  // the numbers in that cell
  double size = 0;
};

// The differences of a whole recording.
struct Differences {
  std::vector<std::string> set;   // what was changed by hand: "masked-scores:masked[2,1] 0.1703 -> 0.9000"
  std::vector<std::string> gone;  // tensors, STEP:TENSOR, and steps that no longer exist
  size_t steps_alike = 0;
  std::string first_step;  // id of the first step that differs; empty: none
  std::string largest;     // STEP:TENSOR[i,j] of the largest difference not set by hand; empty: none
  std::string before, now;
};

// Returns two numbers as digits() writes them or, if these texts are equal, with enough digits to tell them
// apart.
std::pair<std::string, std::string> told_apart(const Scalar& before, const Scalar& now);

// Returns null if the shapes and the numbers are the same; nan equals nan.
std::shared_ptr<const Difference> difference(const Value& before, const Value& now);

// Notes in every entry of `now` how it differs from the entry of the same name and step of `before`, and in
// `now` a summary of all differences. set: what was changed by hand; is_set: a number was.
void note_differences(const Recording& before, Recording& now, std::vector<std::string> set,
                      const std::function<bool(const Address&)>& is_set);

// Returns "3 of 36 cells, largest masked[2,1] 0.1703 -> 0.9000", "all 36 cells, …", "its shape was (6, 6)",
// "it is new". The entry has a difference.
std::string difference_text(const Entry& entry);
// Returns "4 steps change, most masked-softmax:exps[2,1] 1.1280 -> 1.4241; r takes it back", "As it was."
std::string brief_differences(const Recording& recording);
// Returns a sentence for each change; empty for a recording that was not compared.
std::vector<std::string> differences_text(const Recording& recording);

}  // namespace glassgrad::learn
