#include "unicode.h"

#include <algorithm>
#include <iterator>

#include "unicode_table.h"

namespace glassgrad {
namespace {

constexpr uint32_t kLast = 0x10ffff;

}  // namespace

CodePoint code_point(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) -> uint32_t { return static_cast<unsigned char>(text[at + i]); };
  const uint32_t first = byte(0);
  const CodePoint alone{first, 1, first < 0x80};
  const size_t length = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
  if (length == 1 || length > text.size() - at) return alone;
  uint32_t value = first & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return alone;
    value = value << 6 | (byte(i) & 0x3f);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  return overlong || surrogate || value > kLast ? alone : CodePoint{value, length, true};
}

CharClass char_class(uint32_t code_point) {
  if (code_point > kLast) return CharClass::Other;
  const auto after = std::upper_bound(std::begin(kClassRuns), std::end(kClassRuns), code_point,
                                      [](uint32_t c, const ClassRun& run) { return c < run.first; });
  return std::prev(after)->of;
}

}  // namespace glassgrad
