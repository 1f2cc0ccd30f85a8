// GPT-2's byte alphabet: one printable character for each byte, so that any bytes can stand in a text file.
// The bytes of printable Latin-1 (! … ~, ¡ … ¬, ® … ÿ) are the character of that number; the other 68, in
// their order, are U+0100, U+0101, …: a space is Ġ, a line feed Ċ.
#pragma once
#include <string>
#include <string_view>

namespace glassgrad {

std::string to_byte_alphabet(std::string_view bytes);
// ValueError, which begins with `where`: a character that stands for no byte.
std::string from_byte_alphabet(std::string_view text, std::string_view where);

}  // namespace glassgrad
