#include "apps/terminal/line.h"

#include <algorithm>

#include "apps/cli/text_width.h"

namespace glassgrad {
namespace {

constexpr const char* kEnd = "\033[0m";

const char* escape(Style style, Palette palette) {
  if (palette == Palette::None) return "";
  const bool colours = palette == Palette::Colours;
  switch (style) {
    case Style::Plain:
      return "";
    case Style::Bold:
      return "\033[1m";
    case Style::Underline:
      return "\033[4m";
    case Style::Faint:
      return colours ? "\033[2m" : "";
    case Style::Reverse:
    case Style::Cursor:
      return "\033[7m";
    case Style::Heat1:
      return colours ? "\033[48;5;17;38;5;255m" : "";
    case Style::Heat2:
      return colours ? "\033[48;5;60;38;5;255m" : "";
    case Style::Heat3:
      return colours ? "\033[48;5;144;38;5;16m" : "";
    case Style::Heat4:
      return colours ? "\033[48;5;227;38;5;16m" : "";
  }
  return "";
}

}  // namespace

std::string plain_text(const Line& line) {
  std::string text;
  for (const Span& span : line) text += span.text;
  return text;
}

std::string paint(const Line& line, size_t columns, Palette palette) {
  std::string painted;
  size_t taken = 0;
  for (const Span& span : line) {
    const std::string_view begin = escape(span.style, palette);
    painted += begin;
    for (std::string_view rest = span.text; !rest.empty();) {
      const Character c = take_character(rest);
      taken += c.columns;
      if (taken > columns) break;
      painted += c.is_text ? c.bytes : "?";
    }
    if (!begin.empty()) painted += kEnd;
    if (taken > columns) break;
  }
  return painted;
}

void highlight(Line& line, const std::string& words) {
  Line marked;
  for (const Span& span : line) {
    const std::string text = lower(span.text);
    size_t from = 0;
    for (size_t at; (at = text.find(lower(words), from)) != std::string::npos; from = at + words.size()) {
      marked.push_back({span.text.substr(from, at - from), span.style});
      marked.push_back({span.text.substr(at, words.size()), Style::Reverse});
    }
    marked.push_back({span.text.substr(from), span.style});
  }
  line = std::move(marked);
}

}  // namespace glassgrad
