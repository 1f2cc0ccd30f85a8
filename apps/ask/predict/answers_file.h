// Answers from a file, STEP:TENSOR[i,j]=VALUE a line. Skips empty lines, and everything after a # that begins
// a line or a word.
#pragma once
#include <string>
#include <vector>

#include "apps/ask/predict/quantity.h"

namespace glassgrad::learn {

struct GivenAnswer {
  Quantity asked;
  std::string answer;  // as it is written
  size_t line = 0;
};
// Throws Error with the file and the line if a line is not of this form, its tensor or cell does not exist,
// it has no number, or it answers a question a second time. Also throws for a file without answers.
std::vector<GivenAnswer> load_answers(const Recording& recording, const std::string& path);

}  // namespace glassgrad::learn
