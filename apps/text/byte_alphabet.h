// GPT-2's byte alphabet: one printable character for each byte, so that a text file can hold any bytes. The
// bytes of printable Latin-1 (! … ~, ¡ … ¬, ® … ÿ) are the character of the same number; the other 68 are, in
// their order, U+0100, U+0101, …: a space is Ġ, a line feed Ċ.
#pragma once
#include <string>
#include <string_view>

namespace glassgrad {

std::string to_byte_alphabet(std::string_view bytes);
// Throws ValueError, which begins with `where`, for a character that stands for no byte.
std::string from_byte_alphabet(std::string_view text, std::string_view where);

}  // namespace glassgrad
