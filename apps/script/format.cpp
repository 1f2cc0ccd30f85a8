// Format specifications of f-strings: [[fill]align][sign][#][0][width][grouping][.precision][type].
#include "apps/script/format.h"

#include <algorithm>
#include <cmath>

#include "apps/script/letters.h"
#include "apps/script/number.h"
#include "apps/text/unicode.h"

namespace glassgrad::script {
namespace {

struct Specification {
  std::string fill = " ";
  char align = 0, sign = 0, grouping = 0, type = 0;
  bool alternate = false;
  int width = -1, precision = -1;
};

constexpr std::string_view kAligns = "<>=^";

int digits(std::string_view& text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return -1;
  int64_t n = 0;
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1)) {
    n = n * 10 + (text[0] - '0');
    if (n > INT32_MAX) raise("ValueError", "Too many decimal digits in format string");
  }
  return static_cast<int>(n);
}

Specification parse(std::string_view text, const Value& x) {
  Specification s;
  const std::string_view whole = text;
  // Takes the first character if it is one of `any`, else returns 0.
  const auto take = [&](std::string_view any) -> char {
    if (text.empty() || any.find(text[0]) == any.npos) return 0;
    const char c = text[0];
    text.remove_prefix(1);
    return c;
  };
  const size_t first = code_point(text, 0).length;
  const bool filled = text.size() > first && kAligns.find(text[first]) != kAligns.npos;
  if (filled) {
    s.fill = text.substr(0, first);
    text.remove_prefix(first);
  }
  s.align = take(kAligns);
  s.sign = take("+- ");
  s.alternate = take("#");
  if (!filled && take("0")) {
    s.fill = "0";
    if (!s.align && !x.as<Str>()) s.align = '=';
  }
  s.width = digits(text);
  s.grouping = take(",_");
  if (take(".") && (s.precision = digits(text)) < 0)
    raise("ValueError", "Format specifier missing precision");
  if (text.size() > 1)
    raise("ValueError", "Invalid format specifier '{}' for object of type '{}'", whole, type_name(x));
  if (!text.empty()) s.type = text[0];
  const std::string_view types = x.as<Str>() ? "s" : x.is_float() ? "eEfFgG%" : "dboxXeEfFgG%";
  if (s.type && types.find(s.type) == types.npos)
    raise("ValueError", "Unknown format code '{}' for object of type '{}'", s.type, type_name(x));
  Heap::current().check(static_cast<size_t>(std::max(s.width, 0)) +
                        static_cast<size_t>(std::max(s.precision, 0)));
  return s;
}

// Pads before + inner to the width; with = the padding goes between the two.
std::string aligned(const Specification& s, char otherwise, const std::string& before,
                    const std::string& inner, int64_t length) {
  const auto fill = [&](int64_t n) {
    std::string out;
    for (; n > 0; --n) out += s.fill;
    return out;
  };
  const int64_t space = s.width - length;
  switch (s.align ? s.align : otherwise) {
    case '<':
      return before + inner + fill(space);
    case '^':
      return fill(space / 2) + before + inner + fill(space - space / 2);
    case '=':
      return before + fill(space) + inner;
    default:
      return fill(space) + before + inner;
  }
}

// Groups digits, with leading zeros up to a width.
std::string grouped(const std::string& digits, char separator, size_t group, int64_t width) {
  std::string out;
  size_t n = 0;
  for (size_t k = digits.size(); k > 0 || static_cast<int64_t>(out.size()) < width; ++n) {
    if (n && n % group == 0) out += separator;
    out += k > 0 ? digits[--k] : '0';
  }
  return {out.rbegin(), out.rend()};
}

// A number from its sign, its prefix ("0x"), its digits and the rest (".5e+10").
std::string number(const Specification& s, bool negative, const std::string& prefix,
                   const std::string& digits, const std::string& rest, size_t group = 3) {
  const std::string before = (negative ? "-" : s.sign == '+' ? "+" : s.sign == ' ' ? " " : "") + prefix;
  std::string inner = digits;
  if (s.grouping && !digits.empty()) {
    const bool zeros = s.fill == "0" && s.align == '=';
    const auto others = static_cast<int64_t>(before.size() + rest.size());
    inner = grouped(digits, s.grouping, group, zeros ? s.width - others : 0);
  }
  inner += rest;
  return aligned(s, '>', before, inner, static_cast<int64_t>(before.size() + inner.size()));
}

std::string of_text(const Str& x, const Specification& s) {
  if (s.sign || s.alternate || s.grouping || s.align == '=')
    raise("ValueError", "a sign, '#', '=' or groups are for numbers, and this is a str");
  const int64_t length = s.precision < 0 ? x.length : std::min<int64_t>(s.precision, x.length);
  return aligned(s, '<', "", part_of(x, {0, length, 1, length}), length);
}

// Formats with a precision but no type: this many significant digits, and the text looks like a float.
std::string significant(double x, int digits) {
  digits = std::max(digits, 1);
  std::string text = fmt::format("{:.{}e}", x, digits - 1);
  const size_t e = text.find('e');
  const int exponent = std::atoi(text.c_str() + e + 1);
  const bool fixed = exponent >= -4 && exponent < digits - 1;
  const std::string tail = fixed ? "" : text.substr(e);
  text = fixed ? fmt::format("{:.{}f}", x, digits - 1 - exponent) : text.substr(0, e);
  if (text.find('.') != text.npos) text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') fixed ? text += '0' : (text.pop_back(), text);
  return text + tail;
}

std::string of_float(double x, const Specification& s) {
  const double size = std::fabs(x) * (s.type == '%' ? 100 : 1);
  const char type = s.type == '%' ? 'f' : s.type;
  std::string text;
  if (type)
    text = fmt::format(fmt::runtime(fmt::format("{{:{}.{}{}}}", s.alternate ? "#" : "",
                                                s.precision < 0 ? 6 : s.precision, type)),
                       size);
  else
    text = s.precision < 0 || !std::isfinite(x) ? repr(size) : significant(size, s.precision);
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  return number(s, std::signbit(x) && !std::isnan(x), "", text.substr(0, end),
                text.substr(end) + (s.type == '%' ? "%" : ""));
}

std::string of_int(int64_t x, const Specification& s) {
  if (s.precision >= 0) raise("ValueError", "Precision not allowed in integer format specifier");
  const uint64_t size = x < 0 ? -static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
  const bool decimal = !s.type || s.type == 'd';
  const std::string digits =
      decimal ? std::to_string(size) : fmt::format(fmt::runtime(std::string("{:") + s.type + "}"), size);
  return number(s, x < 0, s.alternate && !decimal ? std::string("0") + s.type : "", digits, "",
                decimal ? 3 : 4);
}

}  // namespace

std::string format_value(const Value& x, std::string_view specification) {
  const Specification s = parse(specification, x);
  if (const Str* text = x.as<Str>()) return of_text(*text, s);
  const bool real = s.type && std::string_view("eEfFgG%").find(s.type) != std::string_view::npos;
  return x.is_float() || real ? of_float(as_double(x), s) : of_int(x.whole(), s);
}

}  // namespace glassgrad::script
