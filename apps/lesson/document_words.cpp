#include "apps/lesson/document_words.h"

#include <algorithm>

#include "apps/cli/text_width.h"
#include "engine/core/error.h"

namespace glassgrad::learn {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name(std::string_view text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), is_word);
}
// heads.0.keys, attn_scores#1, weight.grad[0]
bool is_value_name(std::string_view text) {
  if (const size_t sign = text.find_first_of("#["); sign != std::string_view::npos)
    text = text.substr(0, sign);
  return !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_') &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_word(c) || c == '.'; });
}
bool is_address(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::islower(static_cast<unsigned char>(c)) || std::isdigit(static_cast<unsigned char>(c)) ||
           c == '-' || c == '.';
  });
}
std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}
std::vector<std::string> parts_of(std::string_view text, std::string_view between) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(between, at), text.size());
    if (const std::string_view part = trimmed(text.substr(at, end - at)); !part.empty())
      parts.emplace_back(part);
    at = end + between.size();
  }
  return parts;
}
bool starts_directive(std::string_view line) {
  return line.starts_with("show: ") || line.starts_with("view: ") || line.starts_with("hide: ") ||
         line.starts_with("loss: ");
}

bool is_of_exercise(std::string_view line) {
  return line.starts_with("hint: ") || line.starts_with("mistake: ") || line.starts_with("expect: ");
}

// Reads "(query, key) sums"; returns no words if the text is not of this form.
AxisWords axes_in(std::string_view text) {
  AxisWords axes;
  text = trimmed(text);
  if (text.ends_with(" sums")) axes.sums = true, text = trimmed(text.substr(0, text.size() - 5));
  if (text.size() < 3 || text.front() != '(' || text.back() != ')') return {};
  for (std::string& word : parts_of(text.substr(1, text.size() - 2), ",")) {
    if (!std::all_of(word.begin(), word.end(), is_word)) return {};
    axes.words.push_back(std::move(word));
  }
  return axes.words.empty() ? AxisWords() : axes;
}

// Returns where a line's comment begins; npos if it has none.
size_t comment_of(std::string_view line) {
  char quote = 0;
  for (size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (quote) {
      if (c == '\\')
        ++k;
      else if (c == quote)
        quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      return k;
    }
  }
  return std::string_view::npos;
}

// Returns the ranges of the numbers in a line that are not part of a name.
std::vector<std::pair<size_t, size_t>> numbers_in(std::string_view line) {
  std::vector<std::pair<size_t, size_t>> all;
  for (size_t at = 0; at < line.size(); ++at) {
    const bool begins = std::isdigit(static_cast<unsigned char>(line[at])) &&
                        (at == 0 || (!is_word(line[at - 1]) && line[at - 1] != '.'));
    if (!begins) continue;
    size_t end = at;
    while (end < line.size() &&
           (is_word(line[end]) || line[end] == '.' ||
            ((line[end] == '-' || line[end] == '+') && (line[end - 1] == 'e' || line[end - 1] == 'E'))))
      ++end;
    const bool negative =
        at > 0 && line[at - 1] == '-' &&
        (at == 1 || std::string_view("(=,[ :").find(line[at - 2]) != std::string_view::npos);
    all.emplace_back(negative ? at - 1 : at, end);
    at = end;
  }
  return all;
}

bool change_by_diff(std::vector<std::string>& lines, const std::vector<std::string>& diff) {
  for (auto at = diff.begin(); at != diff.end();) {
    std::vector<std::string> before, after;
    for (; at != diff.end() && !at->empty(); ++at) {
      if (at->front() != '+') before.push_back(at->substr(1));
      if (at->front() != '-') after.push_back(at->substr(1));
    }
    if (at != diff.end()) ++at;
    const auto found = std::search(lines.begin(), lines.end(), before.begin(), before.end());
    if (before.empty() || found == lines.end() ||
        std::search(found + 1, lines.end(), before.begin(), before.end()) != lines.end())
      return false;
    lines.insert(lines.erase(found, found + ptrdiff_t(before.size())), after.begin(), after.end());
  }
  return true;
}

void check_size(std::string_view text, const std::string& file) {
  check(text.size() <= kMostOfLesson, "{}: a lesson has at most {} bytes, and this file has {}", file,
        kMostOfLesson, text.size());
}

// Refuses characters that would move a terminal's cursor. Tabs are refused elsewhere.
void check_text(std::string_view line, const std::string& file, size_t number) {
  for (std::string_view rest = line; !rest.empty();) {
    const size_t end = std::min(rest.find('\t'), rest.size());
    check(printable(rest.substr(0, end)) == rest.substr(0, end),
          "{}:{}: there is a control character here, or bytes that are no UTF-8", file, number);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace glassgrad::learn
