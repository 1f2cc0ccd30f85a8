#include "apps/cli/text_width.h"

#include <algorithm>

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
    const auto byte = static_cast<unsigned char>(text[text.size() - n]);
    if (byte < 0x80) return 0;
    if (byte >= 0xc2) return byte < 0xf5 && n < (byte < 0xe0 ? 2u : byte < 0xf0 ? 3u : 4u) ? n : 0;
  }
  return 0;
}

}  // namespace glassgrad
