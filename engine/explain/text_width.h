// Text measured in columns of the screen: an accent takes none, a Chinese character two.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace glassgrad {

// A character taken off the front of UTF-8 text.
struct Character {
  std::string_view bytes;
  size_t columns = 0;
  // false: a control character, one that turns or breaks the line, bytes that are no UTF-8.
  bool is_text = true;
};
Character take_character(std::string_view& text);

// Columns that the text takes; a byte that is no UTF-8 and a control character count as one, as a "?".
size_t columns_of(std::string_view text);

// The text if it takes at most `columns`, else its beginning and "..", not inside a word that has a space
// near.
std::string cut(std::string_view text, size_t columns);
// The text and spaces after it or before it, `columns` in all; cut if it is longer.
std::string left_aligned(std::string_view text, size_t columns);
std::string right_aligned(std::string_view text, size_t columns);

// Words filled into lines of at most `columns`, each after `margin` spaces. A word that does not fit into a
// line is broken.
std::vector<std::string> filled(std::string_view text, size_t margin, size_t columns);
// A line of code or of numbers, spaces kept, broken behind the last space that the screen holds; a word that
// is longer than the screen is broken where it leaves the screen.
std::vector<std::string> broken(std::string_view line, size_t columns);

}  // namespace glassgrad
