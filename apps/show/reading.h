// Markdown for reading in a terminal: no marks, links only by their names, tables drawn.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "apps/terminal/line.h"

namespace glassgrad::learn {

// Headings are also underlined with characters; a table that is too wide becomes a list of its rows; lines of
// code are not wrapped.
std::vector<Line> reading_lines(std::string_view markdown, size_t columns);

}  // namespace glassgrad::learn
