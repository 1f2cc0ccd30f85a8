// Unicode as far as tokens need it: reading UTF-8, and which characters are letters, numbers and white space.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace glassgrad {

// One step through a text of any bytes: a code point, or one byte that is no part of valid UTF-8.
struct CodePoint {
  uint32_t value;  // the byte's value if not valid
  size_t length;   // bytes it takes, 1 … 4
  bool valid;
};
// Returns what starts at text[at], at < text.size(). Valid is what RFC 3629 allows: no overlong form, no
// surrogate, nothing above U+10FFFF.
CodePoint code_point(std::string_view text, size_t at);

// Letter: general category L*. Number: N*. Space: the property White_Space. Unassigned: Cn, which splits like
// Other.
enum class CharClass : uint8_t { Other, Letter, Number, Space, Unassigned };
// Returns the class of any code point in the Unicode version that unicode_table.h names; Other above
// U+10FFFF.
CharClass char_class(uint32_t code_point);

}  // namespace glassgrad
