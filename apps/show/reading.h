// Markdown for reading in a terminal: no marks, no links but their names, tables drawn.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "apps/terminal/line.h"

namespace glassgrad::learn {

// Headings are underlined, by characters too; a table that is too wide becomes a list of its rows; lines of
// code stay whole.
std::vector<Line> reading_lines(std::string_view markdown, size_t columns);

}  // namespace glassgrad::learn
