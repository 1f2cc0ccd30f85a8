#include "text_width.h"

#include <locale.h>

#include <algorithm>
#include <cwchar>
#include <utility>

#include "utf8.h"

namespace glassgrad {
namespace {

// Returns the width of a character in UTF-8, whatever the program's locale is.
int width_of(wchar_t c) {
  static const locale_t utf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
  if (utf8 == locale_t{}) return c < 0x20 ? -1 : 1;
  const locale_t before = ::uselocale(utf8);
  const int width = ::wcwidth(c);
  ::uselocale(before);
  return width;
}

// True for control characters, line and paragraph separators, and characters that change the direction of
// writing.
bool moves_the_cursor(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

Character take_character(std::string_view& text) {
  char32_t code = 0;
  const size_t length = utf8_length(text, code);
  const int width = length ? width_of(static_cast<wchar_t>(code)) : -1;
  const bool is_text = length > 0 && !moves_the_cursor(code);
  const Character c{.bytes = text.substr(0, std::max<size_t>(length, 1)),
                    .columns = width < 0 || !is_text ? 1 : static_cast<size_t>(width),
                    .is_text = is_text};
  text.remove_prefix(c.bytes.size());
  return c;
}

size_t columns_of(std::string_view text) {
  size_t columns = 0;
  while (!text.empty()) columns += take_character(text).columns;
  return columns;
}

namespace {

// Returns the longest prefix that takes at most `columns`, including the accents that follow it.
std::string_view beginning(std::string_view text, size_t columns) {
  std::string_view rest = text;
  size_t taken = 0, end = 0;
  while (!rest.empty()) {
    taken += take_character(rest).columns;
    if (taken > columns) break;
    end = text.size() - rest.size();
  }
  return text.substr(0, end);
}

}  // namespace

std::string cut(std::string_view text, size_t columns) {
  constexpr std::string_view kMark = "..";
  if (columns_of(text) <= columns) return std::string(text);
  if (columns <= kMark.size()) return std::string(columns, '.');
  std::string_view begins = beginning(text, columns - kMark.size());
  const size_t space = begins.rfind(' ');
  if (space != begins.npos && space >= begins.size() / 2) begins = begins.substr(0, space + 1);
  return std::string(begins) + std::string(kMark);
}

std::string left_aligned(std::string_view text, size_t columns) {
  const std::string shown = cut(text, columns);
  return shown + std::string(columns - columns_of(shown), ' ');
}
std::string right_aligned(std::string_view text, size_t columns) {
  const std::string shown = cut(text, columns);
  return std::string(columns - columns_of(shown), ' ') + shown;
}

std::vector<std::string> filled(std::string_view text, size_t margin, size_t columns) {
  const size_t room = std::max(columns, margin + 1) - margin;
  std::vector<std::string> lines;
  std::string line;
  const auto end_line = [&] { lines.push_back(std::string(margin, ' ') + std::exchange(line, {})); };
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    for (const std::string& part : broken(word, room)) {
      if (!line.empty() && columns_of(line) + 1 + columns_of(part) > room) end_line();
      if (!line.empty()) line += ' ';
      line += part;
    }
  }
  if (!line.empty() || lines.empty()) end_line();
  return lines;
}

std::vector<std::string> broken(std::string_view line, size_t columns) {
  std::vector<std::string> lines;
  do {
    std::string_view part = beginning(line, columns);
    if (part.empty() && !line.empty()) {  // a character wider than the screen
      std::string_view rest = line;
      part = take_character(rest).bytes;
    }
    const size_t space = part.size() < line.size() ? part.rfind(' ') : part.npos;
    if (space != part.npos && space > part.find_first_not_of(' ') && line[part.size()] != ' ')
      part = part.substr(0, space + 1);
    lines.emplace_back(part);
    line.remove_prefix(part.size());
  } while (!line.empty());
  return lines;
}

}  // namespace glassgrad
