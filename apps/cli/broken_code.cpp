#include "apps/cli/broken_code.h"

#include <algorithm>

#include "apps/cli/text_width.h"

namespace glassgrad {
namespace {

// Returns, for each byte of a line of Python, whether it is part of a string.
std::vector<bool> in_strings(std::string_view line) {
  std::vector<bool> inside(line.size());
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    inside[i] = quote != 0;
    if (quote && line[i] == '\\' && i + 1 < line.size())
      inside[++i] = true;
    else if (line[i] == quote)
      quote = 0;
    else if (!quote && (line[i] == '"' || line[i] == '\''))
      quote = line[i];
  }
  return inside;
}

}  // namespace

std::vector<CodePart> broken_code(std::string_view line, size_t columns) {
  constexpr size_t kDeeper = 8, kLeastRoom = 20;
  constexpr size_t kLongest = 16;  // bytes in one column: a letter and its accents
  std::vector<CodePart> code;
  const std::vector<bool> inside = in_strings(line);
  size_t margin = 0;
  for (size_t start = 0; start < line.size() || code.empty();) {
    std::string part = broken(line.substr(start, columns * kLongest), columns - margin).front();
    // Prefer a shorter part to a part that ends within a string.
    if (start + part.size() < line.size())
      for (size_t end = start + part.size(); end > start + kLeastRoom; --end)
        if (line[end - 1] == ' ' && !inside[end - 1]) {
          part = line.substr(start, end - start);
          break;
        }
    start += part.size();
    code.push_back({margin, std::move(part)});
    if (margin == 0) margin = std::min(line.find_first_not_of(' '), line.size()) + kDeeper;
    if (margin + kLeastRoom > columns) margin = 0;
  }
  return code;
}

}  // namespace glassgrad
