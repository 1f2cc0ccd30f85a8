// Answers from a file, STEP:TENSOR[i,j]=VALUE a line; empty lines are left out, and what follows a # that
// begins a line or a word.
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
// Error: the file and the line: not of this form, no such tensor or cell, no number, asked twice; a file
// without answers.
std::vector<GivenAnswer> load_answers(const Recording& recording, const std::string& path);

}  // namespace glassgrad::learn
