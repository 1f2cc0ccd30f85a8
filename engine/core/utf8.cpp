#include "utf8.h"

namespace glassgrad {

size_t utf8_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0;
}

size_t utf8_length(std::string_view text, char32_t& code) {
  const size_t length = utf8_length(text.front());
  if (length == 0 || length > text.size()) return 0;
  const auto first = static_cast<unsigned char>(text.front());
  code = length == 1 ? first : first & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return 0;
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return overlong || surrogate || code > 0x10ffff ? 0 : length;
}

void append_utf8(std::string& text, char32_t code) {
  const auto push = [&](char32_t byte) { text += static_cast<char>(byte); };
  const auto continuation = [&](int shift) { push(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return push(code);
  if (code < 0x800) {
    push(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    push(0xe0 | code >> 12);
    continuation(6);
  } else {
    push(0xf0 | code >> 18);
    continuation(12);
    continuation(6);
  }
  continuation(0);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace glassgrad
