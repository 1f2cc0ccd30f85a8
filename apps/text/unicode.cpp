#include "unicode.h"

#include <algorithm>
#include <iterator>

#include "engine/core/utf8.h"
#include "unicode_table.h"

namespace glassgrad {

CodePoint code_point(std::string_view text, size_t at) {
  char32_t code = 0;
  const size_t length = utf8_length(text.substr(at), code);
  return length ? CodePoint{code, length, true} : CodePoint{static_cast<unsigned char>(text[at]), 1, false};
}

CharClass char_class(uint32_t code_point) {
  if (code_point > 0x10ffff) return CharClass::Other;
  const auto after = std::upper_bound(std::begin(kClassRuns), std::end(kClassRuns), code_point,
                                      [](uint32_t c, const ClassRun& run) { return c < run.first; });
  return std::prev(after)->of;
}

}  // namespace glassgrad
