// Lines for a screen: text, with styles for the terminals that can show them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "apps/terminal/terminal.h"

namespace glassgrad {

// Cursor: the place that the keys move, at most one per page. Above0 … Above4, Below0 … Below4: how far a
// number is from 0, teal above it and orange below; 0 colours only the letters, the others are backgrounds
// that differ in saturation, not in brightness, so that they are readable on dark and on light terminals.
// Masked: a cell that a mask has removed.
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
  bool is_mark = false;  // says the same as a colour: blank if there are colours
};
using Line = std::vector<Span>;

std::string plain_text(const Line& line);

// Returns the beginning of the line that fits into `columns`, with escapes for the styles that the palette
// has. What is no text is shown as "?".
std::string paint(const Line& line, size_t columns, Palette palette);

// Highlights every occurrence of `words`, in upper or lower case.
void highlight(Line& line, const std::string& words);

}  // namespace glassgrad
