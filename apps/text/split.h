// Splits a text into pieces, from left to right. The pieces one after the other are the text.
#pragma once
#include <cstddef>
#include <string_view>

namespace glassgrad {

// Each function takes a place in the text, at < text.size(), and returns the end of the piece that starts
// there.

// One byte.
size_t byte_end(std::string_view text, size_t at);
// One code point; a byte that is no part of valid UTF-8 is a piece of its own.
size_t char_end(std::string_view text, size_t at);
// A word with the space before it, a number, a run of punctuation, an ending like 's, or white space: what
// GPT-2's pattern matches,
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// An invalid byte counts as punctuation.
size_t word_end(std::string_view text, size_t at);

}  // namespace glassgrad
