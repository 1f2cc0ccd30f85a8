#include <fmt/core.h>

#include <charconv>
#include <cstdlib>

#include "apps/script/parser.h"

namespace glassgrad::script {
namespace {

void append_utf8(std::string& to, uint32_t c) {
  const auto tail = [&](int shift) { to += static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
  if (c < 0x80) {
    to += static_cast<char>(c);
  } else if (c < 0x800) {
    to += static_cast<char>(0xc0 | c >> 6), tail(0);
  } else if (c < 0x10000) {
    to += static_cast<char>(0xe0 | c >> 12), tail(6), tail(0);
  } else {
    to += static_cast<char>(0xf0 | c >> 18), tail(12), tail(6), tail(0);
  }
}

}  // namespace

ExprPtr Parser::number() {
  const Token& t = token();
  std::string digits;
  for (const char c : t.text)
    if (c != '_') digits += c;
  next();
  const char second = static_cast<char>(digits.size() > 1 ? digits[1] | 0x20 : 0);
  const int base = digits[0] != '0' ? 10 : second == 'x' ? 16 : second == 'o' ? 8 : second == 'b' ? 2 : 10;
  if (base == 10 && digits.find_first_of(".eE") != std::string::npos)
    return constant(t.where, Value::of(std::strtod(digits.c_str(), nullptr)));
  int64_t value = 0;
  const char* const first = digits.data() + (base == 10 ? 0 : 2);
  const auto [stopped, error] = std::from_chars(first, digits.data() + digits.size(), value, base);
  if (error != std::errc())
    refuse(t.where, "integers beyond 64 bits are not supported", "write it as a float: 1e20");
  return constant(t.where, Value::of(value));
}

ExprPtr Parser::strings() {
  ExprPtr x = node(Expr::FString, token().where);
  std::string text;  // since the last field
  bool formatted = false;
  while (at(Token::String) || at(Token::FStart)) {
    const Token& t = token();
    const size_t quote = t.text.find_first_of("\"'");
    const bool raw = t.text.substr(0, quote).find_first_of("rR") != std::string_view::npos;
    next();
    if (t.kind == Token::String) {
      const size_t quotes = t.text.size() - quote >= 6 && t.text[quote + 1] == t.text[quote] &&
                                    t.text[quote + 2] == t.text[quote]
                                ? 3
                                : 1;
      decode(t.text.substr(quote + quotes, t.text.size() - quote - 2 * quotes), raw, t.where, text);
    } else {
      formatted = true;
      for (; !at(Token::FEnd); part(*x, text, raw, false)) {
      }
      next();
    }
  }
  if (!formatted) return constant(x->where, str(std::move(text)));
  flush(*x, text);
  return done(std::move(x));
}

void Parser::flush(Expr& x, std::string& text) {
  if (text.empty()) return;
  x.items.push_back(constant(x.where, str(std::move(text))));
  text.clear();
}

void Parser::part(Expr& x, std::string& text, bool raw, bool specification) {
  const Token& t = token();
  if (t.kind == Token::FText) {
    next();
    if (specification) return decode(t.text, raw, t.where, text);
    std::string single;  // {{ is {
    for (size_t i = 0; i < t.text.size(); ++i) {
      single += t.text[i];
      if ((t.text[i] == '{' || t.text[i] == '}') && i + 1 < t.text.size() && t.text[i + 1] == t.text[i]) ++i;
    }
    return decode(single, raw, t.where, text);
  }
  expect("{");
  ++brackets_;
  const Level level(*this);
  for (const char* const mark : {"}", "!", ":", "="})
    if (at(mark)) fail(token().where, fmt::format("f-string: valid expression required before '{}'", mark));
  if (at("lambda")) fail(token().where, "f-string: lambda expressions are not allowed without parentheses");
  ExprPtr field = node(Expr::Formatted, t.where);
  field->left = expressions();
  const char* expected = "'=', or '!', or ':', or '}'";
  bool debug = false;
  if (eat("=")) {
    debug = true;
    expected = "'!', or ':', or '}'";
    text += std::string_view(t.text.data() + 1, static_cast<size_t>(token().text.data() - t.text.data()) - 1);
  }
  if (eat("!")) {
    if (at("}") || at(":")) fail(token().where, "f-string: missing conversion character");
    if (!at(Token::Name) && !at(Token::Keyword))
      fail(token().where, "f-string: invalid conversion character");
    field->text = token().text;
    if (field->text != "r" && field->text != "s" && field->text != "a")
      fail(
          token().where,
          fmt::format("f-string: invalid conversion character '{}': expected 's', 'r', or 'a'", field->text));
    next();
    expected = "':' or '}'";
  }
  flush(x, text);
  if (at(":")) {
    field->right = node(Expr::FString, token().where);
    next();
    std::string inside;
    while (!at("}")) part(*field->right, inside, raw, true);
    flush(*field->right, inside);
    field->right = done(std::move(field->right));
  } else if (debug && field->text.empty()) {
    field->text = "r";
  }
  if (!at("}")) fail(token().where, fmt::format("f-string: expecting {}", expected));
  close("}");
  x.items.push_back(done(std::move(field)));
}

void Parser::decode(std::string_view text, bool raw, const Span& where, std::string& to) const {
  if (raw) {
    to += text;
    return;
  }
  constexpr std::string_view kNames = "\\'\"abfnrtv", kMeanings = "\\'\"\a\b\f\n\r\t\v";
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t start = i;
    if (text[i] != '\\' || i + 1 == text.size()) {
      to += text[i];
      continue;
    }
    const char c = text[++i];
    const auto number = [&](size_t length, int base) {
      uint32_t value = 0;
      const char* const first = text.data() + i;
      const char* const last = text.data() + std::min(i + length, text.size());
      const auto [stopped, error] = std::from_chars(first, last, value, base);
      i = static_cast<size_t>(stopped - text.data()) - 1;
      if (base == 16 && (error != std::errc() || stopped != first + length))
        fail(
            where,
            fmt::format(
                "(unicode error) 'unicodeescape' codec can't decode bytes in position {}-{}: truncated \\{} escape",
                start, error != std::errc() ? start + 1 : i,
                c == 'x'   ? "xXX"
                : c == 'u' ? "uXXXX"
                           : "UXXXXXXXX"));
      if (value > 0x10ffff)
        fail(
            where,
            fmt::format(
                "(unicode error) 'unicodeescape' codec can't decode bytes in position {}-{}: illegal Unicode character",
                start, i));
      if (value >= 0xd800 && value < 0xe000)
        refuse(where, "halves of a surrogate pair are not supported", "write the character itself");
      append_utf8(to, value);
    };
    if (const size_t known = kNames.find(c); known != std::string_view::npos) {
      to += kMeanings[known];
    } else if (c >= '0' && c <= '7') {
      number(3, 8);
    } else if (c == 'x' || c == 'u' || c == 'U') {
      ++i;
      number(c == 'x' ? 2 : c == 'u' ? 4 : 8, 16);
    } else if (c == 'N') {
      refuse(where, "names of characters (\\N{...}) are not supported",
             "write the character itself, or its number as \\u03b1");
    } else if (c != '\n') {
      to += '\\';
      to += c;
    }
  }
}

}  // namespace glassgrad::script
