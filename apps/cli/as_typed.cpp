#include "apps/cli/as_typed.h"

#include <fmt/core.h>

#include "apps/cli/text_width.h"

namespace glassgrad {
namespace {

// Quotes the value with escapes, like $'\x1b', so that a terminal gets no control characters.
std::string in_escapes(std::string_view value) {
  std::string text;
  for (const char c : value)
    text += c >= ' ' && c <= '~' && c != '\'' && c != '\\'
                ? std::string(1, c)
                : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return fmt::format("$'{}'", text);
}

}  // namespace

std::string as_typed(const std::string& flag, std::string_view value) {
  if (printable(value) != value) return fmt::format(" {} {}", flag, in_escapes(value));
  std::string quoted = "'";
  for (const char c : value) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  quoted += "'";
  const bool plain = quoted.find_first_of(" \"`$&|;<>()*?[]#~!\\") == quoted.npos && quoted.size() > 2;
  return fmt::format(" {} {}", flag, plain ? std::string(value) : quoted);
}

}  // namespace glassgrad
