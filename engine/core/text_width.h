// Text measured in columns of the screen: an accent takes none, a Chinese character two.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace glassgrad {

// A character that was taken off the front of UTF-8 text.
struct Character {
  std::string_view bytes;
  size_t columns = 0;
  // false: a control character, a character that turns or breaks the line, or bytes that are not UTF-8.
  bool is_text = true;
};
Character take_character(std::string_view& text);

// Columns that the text takes; a control character or a byte that is not UTF-8 counts as one, like a "?".
size_t columns_of(std::string_view text);

// The text if it takes at most `columns`, else its beginning and "..", cut at a space if one is near.
std::string cut(std::string_view text, size_t columns);
// Pads the text with spaces after it or before it to `columns`; cuts a longer text.
std::string left_aligned(std::string_view text, size_t columns);
std::string right_aligned(std::string_view text, size_t columns);

// Fills words into lines of at most `columns`, each after `margin` spaces. Breaks a word that is longer than
// a line.
std::vector<std::string> filled(std::string_view text, size_t margin, size_t columns);
// Breaks a line of code or of numbers after the last space that fits on the screen, and keeps all spaces. A
// word longer than the screen is broken at the screen's edge.
std::vector<std::string> broken(std::string_view line, size_t columns);

}  // namespace glassgrad
