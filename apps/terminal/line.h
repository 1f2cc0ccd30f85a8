// Lines for a screen: text with what it should look like where the terminal can.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "apps/terminal/terminal.h"

namespace glassgrad {

// Cursor: what the keys move, at most one a page. Above0 … Above4, Below0 … Below4: how far a number is from
// 0, teal above it and orange below; 0 colours the letters alone, the others are backgrounds that differ in
// how strong the colour is, not in how bright, so that they read on dark terminals and on light ones. Masked:
// what a mask has taken out.
enum class Style : uint8_t {
  Plain,
  Bold,
  Underline,
  Faint,
  Reverse,
  Cursor,
  Masked,
  Above0,
  Above1,
  Above2,
  Above3,
  Above4,
  Below0,
  Below1,
  Below2,
  Below3,
  Below4,
};

struct Span {
  std::string text;
  Style style = Style::Plain;
  bool is_mark = false;  // says what a colour says: blanks where there are colours
};
using Line = std::vector<Span>;

std::string plain_text(const Line& line);

// The beginning of the line that `columns` hold, with escapes for its styles as far as the palette goes.
// What is no text is shown as "?".
std::string paint(const Line& line, size_t columns, Palette palette);

// Lets every occurrence of `words`, upper or lower case, stand out.
void highlight(Line& line, const std::string& words);

}  // namespace glassgrad
