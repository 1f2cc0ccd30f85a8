#include "apps/cli/text_width.h"

#include <algorithm>

#include "engine/core/utf8.h"

namespace glassgrad {

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const auto other =
        std::find_if(text.begin(), text.end(), [](char c) { return c < 0x20 || c > 0x7e; });  // or no ASCII
    shown.append(text.begin(), other);
    text.remove_prefix(size_t(other - text.begin()));
    if (text.empty()) break;
    const Character c = take_character(text);
    shown += c.is_text ? c.bytes : "?";
  }
  return shown;
}

size_t unfinished(std::string_view text) {
  for (size_t n = 1; n <= 3 && n <= text.size(); ++n) {
    const char byte = text[text.size() - n];
    if (!is_continuation(byte)) return n < utf8_length(byte) ? n : 0;
  }
  return 0;
}

}  // namespace glassgrad
