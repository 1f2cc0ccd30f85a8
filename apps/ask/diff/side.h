// What `diff` compares: the tensors that a lesson shows or a class names, in the order of the run.
#pragma once
#include <string>
#include <vector>

#include "engine/tensor.h"

namespace glassgrad::diff {

struct Value {
  std::string step, name;  // step: of a lesson
  std::string meaning;     // meaning.h
  Tensor x;
  std::string address() const { return step.empty() ? name : step + ":" + name; }
};

struct Side {
  std::string title;  // as it was asked for
  std::vector<Value> values;
};

// Both runs.
struct Sides {
  Side left, right;
  std::vector<std::string> notes;  // sentences: what was made equal for the comparison
};

}  // namespace glassgrad::diff
