// UTF-8: characters as bytes.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace glassgrad {

// Returns the number of bytes of a UTF-8 character that begins with `first`; 0 if no character does.
size_t utf8_length(char first);
// Returns the number of bytes of the UTF-8 character at the front of a text that is not empty, and sets its
// code point; 0 if it is not valid: cut short, overlong, a surrogate, or above U+10FFFF.
size_t utf8_length(std::string_view text, char32_t& code);

// True if the byte continues a UTF-8 character.
inline bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }
// The number of UTF-8 characters that begin in the text.
inline size_t count_characters(std::string_view text) {
  size_t n = 0;
  for (const char byte : text) n += !is_continuation(byte);
  return n;
}

// Appends a code point's bytes.
void append_utf8(std::string& text, char32_t code);

// The text without spaces, tabs and carriage returns at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace glassgrad
