// Inputs that grow: each kind of file, and of text that is typed, in the shapes that readers have been slow
// for.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace growing {

struct Shape {
  std::string target;  // of tests/fuzz/targets.h
  std::string name;
  std::function<std::string(size_t n)> input;  // grows as n does
};

std::vector<Shape> shapes();

}  // namespace growing
