// Lines for a screen: text with what it should look like where the terminal can.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "apps/terminal/terminal.h"

namespace glassgrad {

// Heat1 … Heat4: backgrounds from dark blue to yellow, which differ in brightness too. Cursor: what the keys
// move, at most one a page.
enum class Style : uint8_t { Plain, Bold, Underline, Faint, Reverse, Cursor, Heat1, Heat2, Heat3, Heat4 };

struct Span {
  std::string text;
  Style style = Style::Plain;
};
using Line = std::vector<Span>;

std::string plain_text(const Line& line);

// The beginning of the line that `columns` hold, with escapes for its styles as far as the palette goes.
// What is no text is shown as "?".
std::string paint(const Line& line, size_t columns, Palette palette);

// Lets every occurrence of `words`, upper or lower case, stand out.
void highlight(Line& line, const std::string& words);

}  // namespace glassgrad
