// Characters as bytes.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace glassgrad {

// How many bytes a UTF-8 character has that begins with this one; 0: none begins so.
size_t utf8_length(char first);
// The bytes of the UTF-8 character at the front of a text that is not empty, and its code point; 0 if there
// is none: cut short, longer than it needs to be, a surrogate, above U+10FFFF.
size_t utf8_length(std::string_view text, char32_t& code);

// Does the byte go on with a UTF-8 character, and begin none?
inline bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }
// How many UTF-8 characters begin in the text.
inline size_t count_characters(std::string_view text) {
  size_t n = 0;
  for (const char byte : text) n += !is_continuation(byte);
  return n;
}

// Adds a code point's bytes.
void append_utf8(std::string& text, char32_t code);

// The text without blanks, tabs and carriage returns at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace glassgrad
