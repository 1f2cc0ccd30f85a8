// A line of code on a screen that is too narrow for it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace glassgrad {

// Without their margins the parts are the line.
struct CodePart {
  size_t margin = 0;  // spaces before the text
  std::string text;
};
// The line as broken() breaks it, but not within a string if there is a place before it. What goes on stands
// eight columns deeper than the line begins, so that it looks like no line of its own.
std::vector<CodePart> broken_code(std::string_view line, size_t columns);

}  // namespace glassgrad
