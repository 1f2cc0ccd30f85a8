#include "apps/script/format.h"

#include <cmath>

#include "apps/script/letters.h"
#include "apps/script/number.h"
#include "apps/text/unicode.h"

namespace glassgrad::script {
namespace {

// [[fill]align][sign][z][#][0][width][grouping][.precision][type]
struct Specification {
  std::string fill = " ";
  char align = 0, sign = 0, grouping = 0, type = 0;
  bool alternate = false, zero = false, no_negative_zero = false;
  int width = -1, precision = -1;
};

constexpr std::string_view kAligns = "<>=^";

int digits(std::string_view& text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return -1;
  int64_t n = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    n = n * 10 + (text[0] - '0');
    if (n > INT32_MAX) raise("ValueError", "Too many decimal digits in format string");
    text.remove_prefix(1);
  }
  return static_cast<int>(n);
}

Specification parse(std::string_view text, const Value& x) {
  Specification s;
  const std::string_view whole = text;
  const auto skip = [&](char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
  };
  size_t first = 0;
  if (!text.empty()) first = code_point(text, 0).length;
  if (text.size() > first && kAligns.find(text[first]) != kAligns.npos) {
    s.fill = text.substr(0, first);
    s.align = text[first];
    text.remove_prefix(first + 1);
  } else if (!text.empty() && kAligns.find(text[0]) != kAligns.npos) {
    s.align = text[0];
    text.remove_prefix(1);
  }
  const bool filled = s.align && text.data() - whole.data() > 1;
  if (!text.empty() && std::string_view("+- ").find(text[0]) != std::string_view::npos)
    s.sign = text[0], text.remove_prefix(1);
  s.no_negative_zero = skip('z');
  s.alternate = skip('#');
  if (!filled && text.starts_with('0')) {
    s.fill = "0";
    s.zero = true;
    if (!s.align && !x.as<Str>()) s.align = '=';
    text.remove_prefix(1);
  }
  s.width = digits(text);
  if (skip(',')) s.grouping = ',';
  if (skip('_')) {
    if (s.grouping) raise("ValueError", "Cannot specify both ',' and '_'.");
    s.grouping = '_';
  }
  if (text.starts_with(',')) {
    if (s.grouping == '_') raise("ValueError", "Cannot specify both ',' and '_'.");
    raise("ValueError", "Cannot specify ',' with ','.");
  }
  if (skip('.') && (s.precision = digits(text)) < 0)
    raise("ValueError", "Format specifier missing precision");
  if (text.size() > 1)
    raise("ValueError", "Invalid format specifier '{}' for object of type '{}'", whole, type_name(x));
  if (!text.empty()) s.type = text[0];
  const bool groups = s.type == 0 || std::string_view("deEfFgG%").find(s.type) != std::string_view::npos ||
                      (s.grouping == '_' && std::string_view("boxX").find(s.type) != std::string_view::npos);
  if (s.grouping && !groups) raise("ValueError", "Cannot specify '{}' with '{}'.", s.grouping, s.type);
  Heap::current().check(static_cast<size_t>(std::max(s.width, 0)) +
                        static_cast<size_t>(std::max(s.precision, 0)));
  return s;
}

std::string repeat(const std::string& x, int64_t n) {
  std::string out;
  for (; n > 0; --n) out += x;
  return out;
}

// `inner` (with = between what comes before it and itself) in a field of the width.
std::string aligned(const Specification& s, char otherwise, const std::string& before,
                    const std::string& inner, int64_t length) {
  const int64_t space = s.width - length;
  if (space <= 0) return before + inner;
  switch (s.align ? s.align : otherwise) {
    case '<':
      return before + inner + repeat(s.fill, space);
    case '^':
      return repeat(s.fill, space / 2) + before + inner + repeat(s.fill, space - space / 2);
    case '=':
      return before + repeat(s.fill, space) + inner;
    default:
      return repeat(s.fill, space) + before + inner;
  }
}

// Digits in groups, with zeros before them up to a width.
std::string grouped(const std::string& digits, char separator, size_t group, int64_t width) {
  std::string out;
  size_t n = 0;
  for (size_t k = digits.size(); k > 0 || static_cast<int64_t>(out.size()) < width; ++n) {
    if (n && n % group == 0) out += separator;
    out += k > 0 ? digits[--k] : '0';
  }
  return {out.rbegin(), out.rend()};
}

// A number of a sign, what stands before its digits ("0x"), digits, and the rest (".5e+10").
std::string number(const Specification& s, bool negative, const std::string& prefix,
                   const std::string& digits, const std::string& rest, size_t group = 3) {
  const std::string before = (negative ? "-" : s.sign == '+' ? "+" : s.sign == ' ' ? " " : "") + prefix;
  std::string inner = digits;
  if (s.grouping) {
    const bool zeros = s.fill == "0" && (s.align == '=' || !s.align);
    const auto others = static_cast<int64_t>(before.size() + rest.size());
    inner = grouped(digits, s.grouping, group, zeros ? s.width - others : 0);
  }
  inner += rest;
  return aligned(s, '>', before, inner, static_cast<int64_t>(before.size() + inner.size()));
}

[[noreturn]] void unknown_code(char type, const Value& x) {
  const auto c = static_cast<unsigned char>(type);
  if (c > 32 && c < 128)
    raise("ValueError", "Unknown format code '{}' for object of type '{}'", type, type_name(x));
  raise("ValueError", "Unknown format code '\\x{:x}' for object of type '{}'", c, type_name(x));
}

std::string of_text(const Str& x, const Specification& s, const Value& value) {
  if (s.sign)
    raise("ValueError", s.sign == ' ' ? "Space not allowed in string format specifier"
                                      : "Sign not allowed in string format specifier");
  if (s.no_negative_zero)
    raise("ValueError", "Negative zero coercion (z) not allowed in string format specifier");
  if (s.alternate) raise("ValueError", "Alternate form (#) not allowed in string format specifier");
  if (s.type && s.type != 's') unknown_code(s.type, value);
  if (s.grouping) raise("ValueError", "Cannot specify '{}' with 's'.", s.grouping);
  if (s.align == '=') raise("ValueError", "'=' alignment not allowed in string format specifier");
  if (s.precision < 0 || s.precision >= x.length) return aligned(s, '<', "", x.text, x.length);
  return aligned(s, '<', "", part_of(x, {0, s.precision, 1, s.precision}), s.precision);
}

std::string of_float(double x, const Specification& s, const Value& value) {
  if (s.type && std::string_view("eEfFgGn%").find(s.type) == std::string_view::npos)
    unknown_code(s.type, value);
  std::string text;
  const char type = s.type == '%' ? 'f' : s.type == 'n' ? 'g' : s.type;
  if (s.type == '%') x *= 100;
  const double size = std::fabs(x);
  if (!std::isfinite(x)) {
    text = std::isnan(x) ? "nan" : "inf";
    if (type == 'E' || type == 'F' || type == 'G')
      for (char& c : text) c = static_cast<char>(c - 32);
  } else if (!type && s.precision < 0) {
    text = repr(size);
  } else {
    const int precision = s.precision < 0 ? 6 : s.precision;
    const std::string pattern = std::string(s.alternate ? "%#" : "%") + ".*" + (type ? type : 'g');
    const auto print = [&](int p, const std::string& with) {
      const int n = std::snprintf(nullptr, 0, with.c_str(), p, size);
      std::string out(static_cast<size_t>(n) + 1, '\0');
      std::snprintf(out.data(), out.size(), with.c_str(), p, size);
      out.pop_back();
      return out;
    };
    text = print(precision, pattern);
    if (!type) {  // as g, but it looks like a float
      const std::string e = print(std::max(precision, 1) - 1, "%.*e");
      const int exponent = std::atoi(e.c_str() + e.find('e') + 1);
      if (exponent == std::max(precision, 1) - 1) {  // the last that g writes without an exponent
        text = e;
        const size_t at = text.find('e');
        size_t last = at;
        while (text.find('.') != text.npos && (text[last - 1] == '0' || text[last - 1] == '.') && last > 1)
          if (text[--last] == '.') break;
        text.erase(last, at - last);
      } else if (text.find_first_of(".e") == text.npos) {
        text += ".0";
      }
    }
  }
  const bool nothing = s.no_negative_zero && text.find_first_of("123456789in") == text.npos;
  const size_t end = text.find_first_not_of("0123456789");
  const std::string whole = text.substr(0, end), rest = end == text.npos ? "" : text.substr(end);
  if (whole.empty()) {  // inf, nan: no groups
    Specification plain = s;
    plain.grouping = 0;
    return number(plain, std::signbit(x) && !std::isnan(x), "", rest, s.type == '%' ? "%" : "");
  }
  return number(s, std::signbit(x) && !nothing, "", whole, rest + (s.type == '%' ? "%" : ""));
}

std::string of_int(const Value& value, const Specification& s) {
  const int64_t x = value.whole();
  if (s.type && std::string_view("eEfFgG%").find(s.type) != std::string_view::npos)
    return of_float(static_cast<double>(x), s, value);
  if (s.type && std::string_view("bcdnoxX").find(s.type) == std::string_view::npos)
    unknown_code(s.type, value);
  if (s.precision >= 0) raise("ValueError", "Precision not allowed in integer format specifier");
  if (s.no_negative_zero)
    raise("ValueError", "Negative zero coercion (z) not allowed in integer format specifier");
  int base = 10;
  std::string prefix;
  switch (s.type) {
    case 'b':
      base = 2, prefix = "0b";
      break;
    case 'o':
      base = 8, prefix = "0o";
      break;
    case 'x':
      base = 16, prefix = "0x";
      break;
    case 'X':
      base = 16, prefix = "0X";
      break;
    case 'c':
      if (s.sign) raise("ValueError", "Sign not allowed with integer format specifier 'c'");
      if (x < 0 || x > 0x10FFFF) raise("OverflowError", "%c arg not in range(0x110000)");
      return aligned(s, '<', "", utf8(static_cast<uint32_t>(x)), 1);
  }
  std::string text = in_base(x, base);
  if (x < 0) text.erase(0, 1);
  if (s.type == 'X')
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return number(s, x < 0, s.alternate ? prefix : "", text, "", base == 10 ? 3 : 4);
}

}  // namespace

std::string format_value(const Value& x, std::string_view specification) {
  const Specification s = parse(specification, x);
  if (const Str* text = x.as<Str>()) return of_text(*text, s, x);
  return x.is_float() ? of_float(x.real(), s, x) : of_int(x, s);
}

// ---- "…" % …

namespace {

struct Percent {
  Interpreter& in;
  const std::string& s;
  const Value& values;
  size_t at = 0, used = 0;
  bool keyed = false;

  Value take() {
    const Tuple* const all = values.as<Tuple>();
    if (all ? used >= all->items.size() : used > 0)
      raise("TypeError", "not enough arguments for format string");
    ++used;
    return all ? all->items[used - 1] : values;
  }

  int star_or_digits() {
    if (at < s.size() && s[at] == '*') {
      ++at;
      const Value v = take();
      if (!is_whole(v)) raise("TypeError", "* wants int");
      return static_cast<int>(std::clamp<int64_t>(v.whole(), -(1 << 30), 1 << 30));
    }
    std::string_view rest = std::string_view(s).substr(at);
    const int n = digits(rest);
    at = s.size() - rest.size();
    return n;
  }

  std::string one() {
    Value v;
    if (at < s.size() && s[at] == '(') {
      size_t end = at, depth = 0;
      do {
        if (end == s.size()) raise("ValueError", "incomplete format key");
        depth += s[end] == '(';
        depth -= s[end] == ')';
        ++end;
      } while (depth);
      if (!values.as<Dict>() && !values.as<Instance>()) raise("TypeError", "format requires a mapping");
      v = in.item(values, str(s.substr(at + 1, end - at - 2)));
      keyed = true;
      at = end;
    }
    Specification f;
    bool left = false, zero = false;
    for (; at < s.size() && std::string_view("-+ #0").find(s[at]) != std::string_view::npos; ++at) {
      if (s[at] == '-')
        left = true;
      else if (s[at] == '0')
        zero = true;
      else if (s[at] == '#')
        f.alternate = true;
      else if (f.sign != '+')
        f.sign = s[at];
    }
    f.width = star_or_digits();
    if (f.width < -1) left = true, f.width = -f.width;
    if (at < s.size() && s[at] == '.') {
      ++at;
      f.precision = std::max(star_or_digits(), 0);
    }
    while (at < s.size() && std::string_view("hlL").find(s[at]) != std::string_view::npos) ++at;
    if (at == s.size()) raise("ValueError", "incomplete format");
    const char type = s[at++];
    if (type == '%') return "%";
    if (!v) v = take();
    Heap::current().check(static_cast<size_t>(std::max(f.width, 0)) +
                          static_cast<size_t>(std::max(f.precision, 0)));
    f.align = left ? '<' : 0;
    if (std::string_view("srac").find(type) != std::string_view::npos) return text_of(v, type, f);
    f.type = type;
    if (zero && !left) f.fill = "0", f.align = '=';
    if (std::string_view("eEfFgG").find(type) != std::string_view::npos)
      return of_float(float_of(in, v), f, v);
    if (std::string_view("diuoxX").find(type) == std::string_view::npos)
      raise("ValueError", "unsupported format character '{}' (0x{:x}) at index {}", type,
            static_cast<unsigned char>(type), at - 1);
    return whole_of(v, type, f);
  }

  std::string text_of(const Value& v, char type, Specification f) {
    f.sign = 0;
    f.alternate = false;
    if (!f.align) f.align = '>';
    std::string text;
    if (type == 'c') {
      if (is_whole(v))
        text = utf8(static_cast<uint32_t>(v.whole()));
      else if (v.as<Str>() && v.as<Str>()->length == 1)
        text = v.as<Str>()->text;
      else
        raise("TypeError", "%c requires int or char");
      f.precision = -1;
    } else {
      text = type == 's' ? in.str(v) : type == 'r' ? in.repr(v) : ascii(in.repr(v));
    }
    const Value made = str(std::move(text));
    return of_text(*made.as<Str>(), f, made);
  }

  std::string whole_of(const Value& v, char type, Specification f) {
    const bool decimal = type == 'd' || type == 'i' || type == 'u';
    Value x = v;
    if (decimal && v.is_float())
      x = Value::of(to_int(v.real()));
    else if (!is_whole(v) && v.as<TensorObject>())
      x = tensors().number(v);
    if (!is_whole(x))
      raise("TypeError", "%{} format: {} is required, not {}", type, decimal ? "a real number" : "an integer",
            type_name(v));
    if (decimal) f.type = 'd';
    const int precision = std::exchange(f.precision, -1);
    if (precision < 0) return of_int(x, f);
    Specification inner = f;  // at least so many digits
    inner.width = precision + (x.whole() < 0 || f.sign) + (f.alternate && !decimal ? 2 : 0);
    inner.fill = "0";
    inner.align = '=';
    const Value text = str(of_int(x, inner));
    f.sign = f.type = 0;
    f.alternate = false;
    if (f.align != '<') f.align = '>', f.fill = " ";
    return of_text(*text.as<Str>(), f, text);
  }
};

}  // namespace

std::string percent(Interpreter& in, const std::string& s, const Value& values) {
  Percent p{in, s, values};
  std::string out;
  while (p.at < s.size()) {
    if (s[p.at] != '%') {
      out += s[p.at++];
      continue;
    }
    ++p.at;
    out += p.one();
  }
  const Tuple* const all = values.as<Tuple>();
  const bool mapping = values.as<Dict>() || values.as<List>() || own_method(values, "__getitem__");
  if (all ? p.used < all->items.size() : !p.used && !p.keyed && !mapping)
    raise("TypeError", "not all arguments converted during string formatting");
  return out;
}

}  // namespace glassgrad::script
