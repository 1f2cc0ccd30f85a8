// Text for a terminal: lower case, and a form that cannot move the cursor. Widths:
// engine/core/text_width.h.
#pragma once
#include <string>
#include <string_view>

#include "engine/core/text_width.h"

namespace glassgrad {

// Returns the text with ASCII letters in lower case, for comparisons.
std::string lower(std::string_view text);

// Returns the text with "?" for each character that is no text: nothing in it moves the cursor. Output::write
// and complain apply it to everything that comes from a file or an argument. Code that puts a name into a
// line calls it too, because a name may hold line feeds.
std::string printable(std::string_view text);
// Returns how many bytes at the text's end begin a character that is incomplete: 0 to 3.
size_t unfinished(std::string_view text);

}  // namespace glassgrad
