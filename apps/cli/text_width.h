// Text on its way to a terminal: measured in columns, and with nothing in it that moves the cursor.
#pragma once
#include <string>
#include <string_view>

#include "engine/explain/text_width.h"

namespace glassgrad {

// ASCII letters as small ones, for comparing.
std::string lower(std::string_view text);

// The text with "?" for what is no text: nothing in it moves the cursor. All that comes from a file or an
// argument passes here on its way to a terminal: Output::write and complain see to it. Whoever puts a name
// into a line calls it too, for a name may hold line feeds.
std::string printable(std::string_view text);
// The bytes at the text's end that begin a character which is not whole yet: 0 to 3.
size_t unfinished(std::string_view text);

}  // namespace glassgrad
