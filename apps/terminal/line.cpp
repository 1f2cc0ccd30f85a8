#include "apps/terminal/line.h"

#include <algorithm>

#include "apps/cli/text_width.h"

namespace glassgrad {
namespace {

constexpr const char* kEnd = "\033[0m";

// Returns the escape sequence of a colour, for terminals with true colours or with 256 colours.
const char* escape_of_colour(Style style, bool is_true) {
  switch (style) {
    case Style::Masked:
      return is_true ? "\033[38;2;128;128;128m" : "\033[38;5;244m";
    case Style::Above0:
      return is_true ? "\033[38;2;0;133;127m" : "\033[38;5;30m";
    case Style::Above1:
      return is_true ? "\033[48;2;146;184;180;38;2;0;0;0m" : "\033[48;5;109;38;5;16m";
    case Style::Above2:
      return is_true ? "\033[48;2;112;186;179;38;2;0;0;0m" : "\033[48;5;73;38;5;16m";
    case Style::Above3:
      return is_true ? "\033[48;2;70;190;180;38;2;0;0;0m" : "\033[48;5;37;38;5;16m";
    case Style::Above4:
      return is_true ? "\033[48;2;0;200;185;38;2;0;0;0m" : "\033[48;5;44;38;5;16m";
    case Style::Below0:
      return is_true ? "\033[38;2;176;96;16m" : "\033[38;5;130m";
    case Style::Below1:
      return is_true ? "\033[48;2;200;172;140;38;2;0;0;0m" : "\033[48;5;180;38;5;16m";
    case Style::Below2:
      return is_true ? "\033[48;2;212;164;104;38;2;0;0;0m" : "\033[48;5;179;38;5;16m";
    case Style::Below3:
      return is_true ? "\033[48;2;224;154;62;38;2;0;0;0m" : "\033[48;5;172;38;5;16m";
    case Style::Below4:
      return is_true ? "\033[48;2;240;146;10;38;2;0;0;0m" : "\033[48;5;208;38;5;16m";
    default:
      return "";
  }
}

const char* escape(Style style, Palette palette) {
  if (palette == Palette::None) return "";
  const bool colours = has_colours(palette);
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
    default:
      return colours ? escape_of_colour(style, palette == Palette::TrueColours) : "";
  }
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
      if (span.is_mark && has_colours(palette))
        painted.append(c.columns, ' ');
      else
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
      marked.push_back({span.text.substr(from, at - from), span.style, span.is_mark});
      marked.push_back({span.text.substr(at, words.size()), Style::Reverse});
    }
    marked.push_back({span.text.substr(from), span.style, span.is_mark});
  }
  line = std::move(marked);
}

}  // namespace glassgrad
