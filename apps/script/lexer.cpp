#include "apps/script/lexer.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "apps/text/unicode.h"

namespace glassgrad::script {
namespace {

constexpr std::string_view kKeywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "for",      "finally",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
// Longest first: the first match wins.
constexpr std::string_view kOperators[] = {
    "**=", "//=", ">>=", "<<=", "...", "->", ":=", "+=", "-=", "*=", "/=", "%=", "@=", "&=", "|=", "^=",
    "==",  "!=",  "<=",  ">=",  "**",  "//", "<<", ">>", "+",  "-",  "*",  "/",  "%",  "@",  "&",  "|",
    "^",   "~",   "<",   ">",   "(",   ")",  "[",  "]",  "{",  "}",  ",",  ":",  ".",  ";",  "="};

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
char closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

}  // namespace

class Lexer {
 public:
  explicit Lexer(Source& source) : source_(source), text_(source.text_), line_(source.first_line_) {}

  void run() {
    while (true) {
      if (!modes_.empty() && modes_.back().text) {
        string_text();
        continue;
      }
      if (at_line_start_ && open_.empty()) indentation();
      at_line_start_ = false;
      while (at_ < text_.size() && (here() == ' ' || here() == '\t' || here() == '\f')) ++at_;
      if (here() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      if (at_ == text_.size()) break;
      token();
    }
    begin();
    if (!open_.empty()) {
      source_.unclosed = open_.back();
    } else {
      if (!source_.tokens.empty() && source_.tokens.back().kind != Token::Newline &&
          source_.tokens.back().kind != Token::Dedent)
        emit(Token::Newline);
      for (; indents_.size() > 1; indents_.pop_back()) emit(Token::Dedent);
    }
    emit(Token::End);
  }

 private:
  // An f-string, or a field in it; `text`: inside the string's text, not inside a field.
  struct Mode {
    bool text, specification, raw;
    char quote;
    size_t quotes;  // 1 or 3
    size_t level;   // open brackets inside
    Span start;
  };
  char here(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  int column() const { return static_cast<int>(at_ - line_start_); }

  // ---- places and tokens
  void begin() {
    start_ = at_;
    where_ = {line_, column(), line_, column()};
  }
  void emit(Token::Kind kind) {
    where_.end_line = line_;
    where_.end_column = column();
    source_.tokens.push_back({kind, where_, text_.substr(start_, at_ - start_)});
  }
  // Skips a line feed.
  void next_line() {
    ++at_;
    ++line_;
    line_start_ = at_;
  }
  [[noreturn]] void fail(std::string text, SyntaxError::Type type = SyntaxError::Syntax,
                         std::string hint = "") {
    source_.fail(where_.line, where_.column, std::move(text), type, std::move(hint));
  }
  [[noreturn]] void fail_here(std::string text, SyntaxError::Type type = SyntaxError::Syntax) {
    source_.fail(line_, column(), std::move(text), type);
  }

  // ---- lines
  void indentation() {
    const size_t first = at_;
    while (here() == ' ') ++at_;
    const auto now = static_cast<int>(at_ - first);
    if (at_ == text_.size() || here() == '#' || here() == '\n') return;
    begin();
    if (here() == '\t')
      fail("tabs as indentation are not supported", SyntaxError::Unsupported, "use four spaces");
    if (now > indents_.back()) {
      if (indents_.size() >= size_t{kMaxIndentation})
        fail("too many levels of indentation", SyntaxError::Indentation);
      indents_.push_back(now);
      return emit(Token::Indent);
    }
    for (; now < indents_.back(); indents_.pop_back()) emit(Token::Dedent);
    if (now != indents_.back())
      fail("unindent does not match any outer indentation level", SyntaxError::Indentation);
  }

  // ---- one token
  void token() {
    begin();
    const char c = here();
    if (c == '\n') {
      const bool ends = open_.empty() && !source_.tokens.empty() && !blank(source_.tokens.back().kind);
      if (ends) {
        ++at_;
        emit(Token::Newline);
        --at_;
      }
      next_line();
      at_line_start_ = true;
    } else if (c == '\\') {
      ++at_;
      if (at_ == text_.size()) fail_here("unexpected EOF while parsing");
      if (here() != '\n') fail_here("unexpected character after line continuation character");
      next_line();
      if (at_ == text_.size()) fail_here("unexpected EOF while parsing");
    } else if (digit(c) || (c == '.' && digit(here(1)))) {
      number();
    } else if (c == '"' || c == '\'') {
      string(0);
    } else if (letter(c) || static_cast<unsigned char>(c) >= 0x80) {
      name();
    } else {
      op();
    }
  }
  static bool blank(Token::Kind last) {
    return last == Token::Newline || last == Token::Indent || last == Token::Dedent;
  }

  // The bytes of the character here if a name may have it, else 0 for ASCII; throws for other characters.
  size_t name_character() {
    if (letter(here()) || digit(here())) return 1;
    if (static_cast<unsigned char>(here()) < 0x80) return 0;
    const CodePoint c = code_point(text_, at_);
    const CharClass of = char_class(c.value);
    if (of == CharClass::Letter || of == CharClass::Number) return c.length;
    const bool hidden = of == CharClass::Space || (c.value >= 0x200b && c.value <= 0x200f);
    fail_here(hidden
                  ? fmt::format("invalid non-printable character U+{:04X}", c.value)
                  : fmt::format("invalid character '{}' (U+{:04X})", text_.substr(at_, c.length), c.value));
  }

  void name() {
    while (const size_t length = name_character()) at_ += length;
    const std::string_view word = text_.substr(start_, at_ - start_);
    if (here() == '"' || here() == '\'') {
      std::string prefix;
      for (const char c : word) prefix += static_cast<char>(c | 0x20);
      for (const std::string_view known : {"r", "u", "b", "f", "br", "rb", "fr", "rf"})
        if (prefix == known && !(word.size() > 2)) return string(word.size());
    }
    emit(std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords) ? Token::Keyword
                                                                                            : Token::Name);
  }

  void op() {
    const char c = here();
    Mode* const field = !modes_.empty() && open_.size() == modes_.back().level ? &modes_.back() : nullptr;
    if (field && (c == ':' || (c == '!' && here(1) != '='))) {
      ++at_;
      emit(Token::Op);
      if (c == ':') {
        Mode inside = *field;
        inside.text = inside.specification = true;
        modes_.push_back(inside);
      }
      return;
    }
    const auto* const found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                           [&](std::string_view x) { return x[0] == c && starts(x); });
    if (found == std::end(kOperators)) fail("invalid syntax");
    at_ += found->size();
    if (c == '(' || c == '[' || c == '{') {
      emit(Token::Op);
      open();
    } else if (c == ')' || c == ']' || c == '}') {
      close(c, field);
      emit(Token::Op);
    } else {
      emit(Token::Op);
    }
  }

  void open() {
    if (open_.size() >= size_t{kMaxParentheses}) fail("too many nested parentheses");
    open_.push_back(source_.tokens.back());
  }

  void close(char c, const Mode* field) {
    if (field && c != '}') fail(fmt::format("f-string: unmatched '{}'", c));
    if (open_.empty()) fail(fmt::format("unmatched '{}'", c));
    const Token& from = open_.back();
    if (closing(from.text[0]) != c)
      fail(fmt::format("closing parenthesis '{}' does not match opening parenthesis '{}'{}", c, from.text,
                       from.where.line == line_ ? "" : fmt::format(" on line {}", from.where.line)));
    open_.pop_back();
    if (field) modes_.pop_back();
  }

  // Reads all characters of a number; the parser reads its value.
  void number() {
    const bool based = here() == '0' && letter(here(1)) && (here(1) | 0x20) != 'e';
    for (; letter(here()) || digit(here()) || here() == '.'; ++at_) {
      for (const char* const word : {"and", "else", "for", "if", "in", "is", "not", "or"})
        if (letter(here()) && starts(word)) return emit(Token::Number);  // 1if x else 2
      if (!based && (here() | 0x20) == 'e' && (here(1) == '+' || here(1) == '-')) ++at_;
    }
    emit(Token::Number);
  }

  // ---- strings
  void string(size_t prefix) {
    bool formatted = false, raw = false;
    for (const char c : text_.substr(start_, prefix)) {
      formatted |= (c | 0x20) == 'f';
      raw |= (c | 0x20) == 'r';
      if ((c | 0x20) == 'b')
        fail("bytes are not supported", SyntaxError::Unsupported, "use a string, or a list of numbers");
    }
    const char quote = here();
    const size_t quotes = here(1) == quote && here(2) == quote ? 3 : 1;
    at_ += quotes;
    if (formatted) {
      if (modes_.size() >= 300) fail("too many nested f-strings");
      emit(Token::FStart);
      modes_.push_back({true, false, raw, quote, quotes, 0, where_});
      return;
    }
    bool escaped = false;
    while (!ends(quote, quotes)) {
      if (at_ == text_.size() || (here() == '\n' && quotes == 1)) {
        if (!modes_.empty() && modes_.back().quote == quote && modes_.back().quotes == quotes)
          fail("f-string: expecting '}'");
        fail(fmt::format("unterminated {}string literal (detected at line {}){}",
                         quotes == 3 ? "triple-quoted " : "", line_at_end(),
                         escaped && quotes == 1 ? "; perhaps you escaped the end quote?" : ""));
      }
      if (here() == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        escaped |= here() == quote;
      }
      here() == '\n' ? next_line() : void(++at_);
    }
    at_ += quotes;
    emit(Token::String);
  }
  bool ends(char quote, size_t quotes) const {
    return here() == quote && (quotes == 1 || (here(1) == quote && here(2) == quote));
  }
  // The line of the text's last character.
  int line_at_end() const { return line_ - (at_ == text_.size() && line_start_ == at_ ? 1 : 0); }

  // Reads the text of an f-string or of a format specification, up to a field or its end.
  void string_text() {
    const Mode mode = modes_.back();
    begin();
    const auto emit_text = [&] {
      if (at_ > start_) emit(Token::FText);
      begin();
    };
    while (true) {
      if (at_ == text_.size() || (here() == '\n' && mode.quotes == 1)) {
        if (mode.specification) fail_here("f-string: expecting '}'");
        source_.fail(mode.start.line, mode.start.column,
                     fmt::format("unterminated {}f-string literal (detected at line {})",
                                 mode.quotes == 3 ? "triple-quoted " : "", line_at_end()));
      }
      if (ends(mode.quote, mode.quotes)) {
        emit_text();
        if (mode.specification) fail("f-string: expecting '}'");
        at_ += mode.quotes;
        emit(Token::FEnd);
        modes_.pop_back();
        return;
      }
      const char c = here();
      if ((c == '{' || c == '}') && here(1) == c && !mode.specification) {
        at_ += 2;
      } else if (c == '{') {
        emit_text();
        ++at_;
        emit(Token::Op);
        open();
        Mode field = mode;
        if (std::count_if(modes_.rbegin(), modes_.rend(), [&](const Mode& m) { return m.specification; }) > 2)
          fail("f-string: expressions nested too deeply");
        field.text = field.specification = false;
        field.level = open_.size();
        modes_.push_back(field);
        return;
      } else if (c == '}') {
        emit_text();
        if (!mode.specification) fail("f-string: single '}' is not allowed");
        modes_.pop_back();
        return;
      } else if (c == '\\' && !mode.raw && here(1) == 'N' && here(2) == '{') {
        at_ = std::min(text_.find('}', at_), text_.size() - 1) + 1;
      } else if (c == '\\' && here(1) != '{' && here(1) != '}' && at_ + 1 < text_.size()) {
        ++at_;
        here() == '\n' ? next_line() : void(++at_);
      } else {
        c == '\n' ? next_line() : void(++at_);
      }
    }
  }

  Source& source_;
  std::string_view text_;
  size_t at_ = 0, start_ = 0, line_start_ = 0;
  int line_;
  Span where_;
  bool at_line_start_ = true;
  std::vector<int> indents_{0};
  std::vector<Token> open_;  // open brackets
  std::vector<Mode> modes_;
};

Source::Source(std::string_view text, std::string file, int first_line)
    : file_(std::move(file)), first_line_(first_line) {
  if (text.size() > kMaxSource)
    throw SyntaxError(
        SyntaxError::Unsupported, file_, first_line, 1,
        fmt::format("a program of {} bytes is too long: {} are allowed", text.size(), kMaxSource),
        "split it");
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text_.reserve(text.size());
  lines_.push_back(0);
  for (size_t i = 0; i < text.size();) {
    const size_t from = i;
    while (i < text.size() && static_cast<signed char>(text[i]) >= ' ') ++i;  // fast path for ASCII
    text_ += text.substr(from, i - from);
    if (i == text.size()) break;
    const CodePoint c = code_point(text, i);
    const int column = static_cast<int>(text_.size() - lines_.back());
    const int line = first_line + static_cast<int>(lines_.size()) - 1;
    if (!c.valid) fail(line, column, fmt::format("byte {:#04x} is not valid UTF-8", c.value));
    if (c.value == 0) fail(line, column, "source code cannot contain null bytes");
    if (c.value == '\r') {  // a line ends in \n, \r\n or \r
      text_ += '\n';
      i += text.substr(i).starts_with("\r\n") ? 2 : 1;
    } else {
      text_ += text.substr(i, c.length);
      i += c.length;
    }
    if (text_.back() == '\n') lines_.push_back(text_.size());
  }
  Lexer(*this).run();
}

}  // namespace glassgrad::script
