// Breaks a line of code that is too long for the screen.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace glassgrad {

// One part of a broken line. Joined without their margins, the parts are the line.
struct CodePart {
  size_t margin = 0;  // spaces before the text
  std::string text;
};
// Breaks the line like broken(), but not within a string if it can break before the string. Later parts are
// indented eight columns deeper than the line, so that they do not look like lines of their own.
std::vector<CodePart> broken_code(std::string_view line, size_t columns);

}  // namespace glassgrad
