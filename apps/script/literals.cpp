#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "apps/script/letters.h"
#include "apps/script/parser.h"

namespace glassgrad::script {
ExprPtr Parser::number() {
  const Token& t = token();
  std::string digits;
  for (const char c : t.text)
    if (c != '_') digits += c;
  if (t.text.find("__") != t.text.npos || t.text.back() == '_') fail(t.where, "invalid decimal literal");
  next();
  const char second = static_cast<char>(digits.size() > 1 && digits[0] == '0' ? digits[1] | 0x20 : 0);
  const int base = second == 'x' ? 16 : second == 'o' ? 8 : second == 'b' ? 2 : 10;
  const char *const first = digits.data() + (base == 10 ? 0 : 2), *const last = digits.data() + digits.size();
  if (base == 10 && digits.back() == 'j')
    refuse(t.where, "complex numbers are not supported",
           "keep the real and the imaginary part in a tensor of two columns");
  if (base == 10 && digits.find_first_of(".eE") != std::string::npos) {
    char* end = nullptr;
    const double value = std::strtod(first, &end);
    if (end != last) fail(t.where, "invalid decimal literal");
    return constant(t.where, Value::of(value));
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(first, last, value, base);
  if (error == std::errc::invalid_argument || end != last) fail(t.where, "invalid decimal literal");
  if (error != std::errc())
    refuse(t.where, "integers beyond 64 bits are not supported", "write it as a float: 1e20");
  if (base == 10 && digits[0] == '0' && value != 0)
    fail(t.where,
         "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers");
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
    std::string single;  // {{ means {
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
  field->left = expressions_or_yield();
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
    if (field->text != "r" && field->text != "s")
      refuse(token().where, fmt::format("the conversion !{} is not supported", field->text),
             "write !r or !s");
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
      if (value > 0x10ffff || (base == 16 && (error != std::errc() || stopped != first + length)))
        fail(where, fmt::format("(unicode error) '\\{}' is no character", c));
      if (value >= 0xd800 && value < 0xe000)
        refuse(where, "halves of a surrogate pair are not supported", "write the character itself");
      to += utf8(value);
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
