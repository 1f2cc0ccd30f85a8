// Bytes as text that a terminal can show.
#pragma once
#include <string>
#include <string_view>

namespace glassgrad {

// A space becomes ␣, a line feed \n, other control characters, unusual spaces and marks that change the
// direction of writing \x1b or \u00a0, a byte of invalid UTF-8 \xff, a backslash two; the rest stays.
std::string visible(std::string_view bytes);

}  // namespace glassgrad
