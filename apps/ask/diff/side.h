// What `diff` compares: the tensors that a lesson shows or a class names, in the order of the run.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/tensor.h"

namespace glassgrad::diff {

struct Value {
  std::string step, name;  // step: of a lesson
  std::string meaning;     // meaning_of
  Tensor x;
  std::vector<std::string> rows = {}, columns = {};  // the tokens that these are, if they are tokens
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

// Two lessons, or one with other settings. Each is a lesson, with flags after it: "journey --seed 2". The
// right one gets the inputs of the left one, unless it is the same lesson or has a file of its own.
// UsageError: no such lesson or flag; inputs that the right one cannot read.
Sides run_lessons(const std::string& left, const std::string& right);

// Two classes with the same weights. Each is the name of a class (apps/ask/classes.h). They read one
// sentence, and the right one gets the weights of the left one by what they mean; what only one of them has
// is made to do nothing, where that can be: a bias is 0, output weights are the unit matrix. UsageError: no
// such class; one reads vectors, one token numbers.
Sides run_classes(const std::string& left, const std::string& right);

// What a tensor means, whatever a source calls it: "queries" of "Q" and "query"; of a name that is in no
// list, the name itself. `step`, where there is one, tells apart what a source gives one name: its
// "attention_weights" may still be scores.
std::string meaning_of(std::string_view name, std::string_view step = {});

}  // namespace glassgrad::diff
