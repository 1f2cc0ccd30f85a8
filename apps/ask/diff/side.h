// The tensors that `diff` compares: those that a lesson shows or a class names, in the order of the run.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/tensor.h"

namespace glassgrad::diff {

struct Value {
  std::string step, name;  // step: only for a lesson
  std::string meaning;     // meaning_of
  Tensor x;
  std::vector<std::string> rows = {}, columns = {};  // their tokens, if they are tokens
  std::string address() const { return step.empty() ? name : step + ":" + name; }
};

struct Side {
  std::string title;  // as it was requested
  std::vector<Value> values;
};

// Both runs.
struct Sides {
  Side left, right;
  std::vector<std::string> notes;  // sentences: things that were made equal for the comparison
};

// Runs two lessons, or one lesson with different settings. Each argument is a lesson with flags after it:
// "journey --seed 2". The right lesson reads the inputs of the left one, unless it was given its own file, or
// both are the same lesson and the left one was given no file. Throws UsageError for a lesson or flag that
// does not exist, or inputs that the right lesson cannot read.
Sides run_lessons(const std::string& left, const std::string& right);

// Runs two classes with the same weights. Each argument is the name of a class (apps/ask/classes.h). Both
// read the same sentence, and the right class gets the weights of the left one by their meaning. Weights that
// only one of them has are set so that they have no effect, if possible: a bias to 0, output weights to the
// identity matrix. Throws UsageError for a class that does not exist, or if one reads vectors and the other
// token numbers.
Sides run_classes(const std::string& left, const std::string& right);

// Returns the meaning of a tensor, whatever a source calls it: "queries" for "Q" and "query". A name that is
// in no list is its own meaning. `step` distinguishes tensors to which a source gives the same name: its
// "attention_weights" may still be scores.
std::string meaning_of(std::string_view name, std::string_view step = {});

}  // namespace glassgrad::diff
