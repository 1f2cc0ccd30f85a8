#include "visible.h"

#include <fmt/core.h>

#include <iterator>

#include "unicode.h"

namespace glassgrad {
namespace {

// Characters without a width: joiners, marks of direction, the byte order mark.
bool is_invisible(uint32_t c) {
  return c == 0xad || c == 0x61c || (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

std::string shown(const CodePoint& c, std::string_view bytes) {
  if (!c.valid) return fmt::format("\\x{:02x}", c.value);
  switch (c.value) {
    case ' ':
      return "␣";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\\':
      return "\\\\";
  }
  if (c.value < 0x20 || c.value == 0x7f) return fmt::format("\\x{:02x}", c.value);
  const bool control = c.value >= 0x80 && c.value < 0xa0;
  if (control || is_invisible(c.value) || char_class(c.value) == CharClass::Space)
    return fmt::format("\\u{:04x}", c.value);
  return std::string(bytes);
}

}  // namespace

std::string visible(std::string_view bytes) {
  std::string text;
  for (size_t at = 0; at < bytes.size();) {
    const CodePoint c = code_point(bytes, at);
    text += shown(c, bytes.substr(at, c.length));
    at += c.length;
  }
  return text;
}

}  // namespace glassgrad
