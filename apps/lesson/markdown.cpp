#include "apps/lesson/markdown.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace glassgrad::learn {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Returns the number of opening brackets minus closing ones.
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
  if (name.size() < 2 || !is_letter(name[0]) || rest.size() < 2) return false;  // "e.g." is no code
  return rest[0] == '(' || rest[0] == '[' || rest[0] == '=' ||
         (rest[0] == '.' && (is_letter(rest[1]) || is_digit(rest[1])));
}

// Return where the code in a word begins and ends: in ("W_query", the code is W_query.
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

// Returns where the code that begins at `begin` ends; 0 if there is no code. A call may span several words.
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

// Escapes the start of a sentence that Markdown would read as a list, a heading or a quotation.
std::string not_a_mark(std::string line) {
  const size_t digits = size_t(std::find_if_not(line.begin(), line.end(), is_digit) - line.begin());
  const bool numbered = digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')');
  if (numbered && (digits + 1 == line.size() || line[digits + 1] == ' '))
    line.insert(digits, 1, '\\');
  else if (!line.empty() && std::string_view("#>+-=").find(line[0]) != std::string_view::npos)
    line.insert(0, 1, '\\');
  return line;
}

// Returns where the mark that was opened before `at` is closed; npos if it is not. Skips code and escapes.
size_t closing(std::string_view text, size_t at, std::string_view mark) {
  for (; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '`') {
      at = std::min(text.find('`', at + 1), text.size());
    } else if (text.substr(at).starts_with(mark)) {
      if (text[at - 1] != ' ') return at;
      at += mark.size() - 1;
    }
  }
  return text.npos;
}

bool is_mark(char c) { return std::ispunct(static_cast<unsigned char>(c)) != 0; }

class WordReader {
 public:
  explicit WordReader(std::string_view text) : text_(text) {}

  std::vector<MarkedWords> read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\' && at_ + 1 < text_.size() && is_mark(text_[at_ + 1])) {
        plain_ += text_[at_ + 1];
        at_ += 2;
      } else if (!(c == '`' && code()) &&
                 !(c == '*' && (marked("**", MarkedWords::Bold) || marked("*", MarkedWords::Term))) &&
                 !(c == '[' && link())) {
        plain_ += c;
        ++at_;
      }
    }
    end_plain();
    return std::move(words_);
  }

 private:
  void end_plain() {
    if (!plain_.empty()) words_.push_back({MarkedWords::Plain, std::exchange(plain_, {}), {}});
  }

  bool code() {
    const size_t end = text_.find('`', at_ + 1);
    if (end == text_.npos || end == at_ + 1) return false;
    end_plain();
    words_.push_back({MarkedWords::Code, std::string(text_.substr(at_ + 1, end - at_ - 1)), {}});
    at_ = end + 1;
    return true;
  }

  bool marked(std::string_view mark, MarkedWords::Kind kind) {
    const size_t begin = at_ + mark.size();
    if (!text_.substr(at_).starts_with(mark) || begin >= text_.size() || text_[begin] == ' ') return false;
    const size_t end = closing(text_, begin + (text_[begin] != '`'), mark);
    if (end == text_.npos) return false;
    add(text_.substr(begin, end - begin), kind, {});
    at_ = end + mark.size();
    return true;
  }

  bool link() {
    const size_t end = closing(text_, at_ + 1, "](");
    const size_t last = end == text_.npos ? end : text_.find(')', end);
    if (last == text_.npos) return false;
    add(text_.substr(at_ + 1, end - at_ - 1), MarkedWords::Plain,
        std::string(text_.substr(end + 2, last - end - 2)));
    at_ = last + 1;
    return true;
  }

  // Adds the words between marks, which may hold other marks.
  void add(std::string_view inside, MarkedWords::Kind kind, const std::string& link) {
    end_plain();
    for (MarkedWords& w : WordReader(inside).read()) {
      if (w.kind == MarkedWords::Plain) w.kind = kind;
      if (!link.empty()) w.link = link;
      words_.push_back(std::move(w));
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string plain_;
  std::vector<MarkedWords> words_;
};

std::string marked(const MarkedWords& w) {
  switch (w.kind) {
    case MarkedWords::Plain:
      return escaped(w.text);
    case MarkedWords::Term:
      return "*" + escaped(w.text) + "*";
    case MarkedWords::Bold:
      return "**" + escaped(w.text) + "**";
    case MarkedWords::Code:
      return "`" + w.text + "`";
  }
  return {};
}

}  // namespace

std::vector<MarkedWords> split_markdown(std::string_view markdown) { return WordReader(markdown).read(); }

std::string plain_words(std::string_view markdown) {
  std::string text;
  for (const MarkedWords& w : split_markdown(markdown)) text += w.text;
  return text;
}

std::vector<std::string> plain_words(std::span<const std::string> sentences) {
  std::vector<std::string> all;
  for (const std::string& s : sentences) all.push_back(plain_words(s));
  return all;
}

std::string normal_markdown(std::string_view sentence) {
  const bool is_point = sentence.starts_with(kPoint);
  if (is_point) sentence.remove_prefix(kPoint.size());
  std::string line, link;
  const auto end_link = [&] {
    if (!link.empty()) line += "](" + std::exchange(link, {}) + ")";
  };
  for (const MarkedWords& w : split_markdown(sentence)) {
    if (w.link != link) {
      end_link();
      if (!w.link.empty()) line += "[";
      link = w.link;
    }
    line += marked(w);
  }
  end_link();
  return is_point ? std::string(kPoint) + line : not_a_mark(std::move(line));
}

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
    end = std::min(end + 1, sentence.size());  // including the space
    line += escaped(sentence.substr(begin, end - begin));
    begin = end;
  }
  return not_a_mark(std::move(line));
}

}  // namespace glassgrad::learn
