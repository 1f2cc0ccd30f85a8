// The lines of a whole screen, as the bytes that show them at once.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/terminal/line.h"

namespace glassgrad {

// As many lines as the screen has, from the top; the cursor is seen only where one is given, counted from 1.
struct Cursor {
  size_t line, column;
};
std::string painted(const std::vector<Line>& lines, const Output::Screen& screen, Palette palette,
                    std::optional<Cursor> cursor = {});

}  // namespace glassgrad
