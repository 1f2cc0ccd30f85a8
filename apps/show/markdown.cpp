#include "apps/show/markdown.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace glassgrad::learn {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Opening brackets less closing ones.
std::ptrdiff_t open_brackets(std::string_view text) {
  const auto count = [&](std::string_view these) {
    return std::count_if(text.begin(), text.end(), [&](char c) { return these.find(c) != these.npos; });
  };
  return count("([") - count(")]");
}

bool is_code(std::string_view word) {
  if (word.find('`') != word.npos) return false;
  if (word.find('_') != word.npos) return true;
  if (word.size() > 1 && word[0] == '.' && is_letter(word[1])) return true;  // .T
  const auto end =
      std::find_if(word.begin(), word.end(), [](char c) { return !is_letter(c) && !is_digit(c); });
  const std::string_view name = word.substr(0, size_t(end - word.begin())), rest = word.substr(name.size());
  if (name.size() < 2 || !is_letter(name[0]) || rest.size() < 2) return false;  // "e.g." is none
  return rest[0] == '(' || rest[0] == '[' || rest[0] == '=' ||
         (rest[0] == '.' && (is_letter(rest[1]) || is_digit(rest[1])));
}

// What stands before and after the code in a word: ("W_query", gives (" and ",.
size_t before_code(std::string_view word) { return std::min(word.find_first_not_of("(\"'"), word.size()); }
size_t after_code(std::string_view word) {
  size_t end = word.ends_with("'s") ? word.size() - 2 : word.size();
  while (end > 0) {
    const bool unmatched = word[end - 1] == ')' && open_brackets(word.substr(0, end)) < 0;
    if (!unmatched && std::string_view(".,;:?!\"'").find(word[end - 1]) == std::string_view::npos) break;
    --end;
  }
  return end;
}

// Where the code ends that begins at `begin`: a call may go on over several words. 0: it is none.
size_t end_of_code(std::string_view text, size_t begin) {
  size_t end = std::min(text.find(' ', begin), text.size());
  const auto core = [&] { return text.substr(begin, after_code(text.substr(begin, end - begin))); };
  if (!is_code(core())) return 0;
  while (open_brackets(text.substr(begin, end - begin)) > 0) {
    if (end == text.size()) return 0;
    end = std::min(text.find(' ', end + 1), text.size());
  }
  return core().find('`') == std::string_view::npos ? begin + core().size() : 0;
}

// A sentence that begins like a list, a heading or a quotation is none.
std::string not_a_mark(std::string line) {
  const size_t digits = size_t(std::find_if_not(line.begin(), line.end(), is_digit) - line.begin());
  const bool numbered = digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')');
  if (numbered && (digits + 1 == line.size() || line[digits + 1] == ' '))
    line.insert(digits, 1, '\\');
  else if (!line.empty() && std::string_view("#>+-=").find(line[0]) != std::string_view::npos)
    line.insert(0, 1, '\\');
  return line;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool link = text[i] == ']' && i + 1 < text.size() && (text[i + 1] == '(' || text[i + 1] == '[');
    if (link || std::string_view("\\`*_<|~$&").find(text[i]) != std::string_view::npos) result += '\\';
    result += text[i];
  }
  return result;
}

std::string prose(std::string_view sentence) {
  std::string line;
  size_t begin = 0;
  while (begin < sentence.size()) {
    size_t end = std::min(sentence.find(' ', begin), sentence.size());
    const size_t code = begin + before_code(sentence.substr(begin, end - begin));
    if (const size_t code_end = end_of_code(sentence, code); code_end > code) {
      line += escaped(sentence.substr(begin, code - begin));
      line.append("`").append(sentence.substr(code, code_end - code)).append("`");
      begin = code_end;
      end = std::min(sentence.find(' ', begin), sentence.size());
    }
    end = std::min(end + 1, sentence.size());  // with the space
    line += escaped(sentence.substr(begin, end - begin));
    begin = end;
  }
  return not_a_mark(std::move(line));
}

}  // namespace glassgrad::learn
