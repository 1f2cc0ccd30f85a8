// Inputs that grow: every kind of file and of typed text, in shapes that have been slow to read.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace growing {

struct GrowingInput {
  std::string target;  // in tests/fuzz/targets.h
  std::string name;
  std::function<std::string(size_t n)> input;  // its size grows with n
};

std::vector<GrowingInput> growing_inputs();

}  // namespace growing
