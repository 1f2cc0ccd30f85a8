#include "apps/script/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace glassgrad::script {
namespace {

[[noreturn]] void divided_by_zero(const char* text) { raise("ZeroDivisionError", std::string(text)); }

int64_t power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  while (true) {
    if (exponent & 1) result = multiply(result, base);
    if ((exponent >>= 1) == 0) return result;
    if (base == 0 || base == 1) return result * base;  // also for a huge exponent
    if (base == -1)
      base = 1;
    else
      base = multiply(base, base);
  }
}

double power(double a, double b) {
  if (a == 0 && b < 0) divided_by_zero("0.0 cannot be raised to a negative power");
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b))
    raise("ValueError",
          "a negative number to a fractional power is complex, and there are no complex numbers here");
  const double x = std::pow(a, b);
  if (std::isinf(x) && std::isfinite(a) && std::isfinite(b))
    raise("OverflowError", "(34, 'Numerical result out of range')");
  return x;
}

std::pair<double, double> floor_divide(double a, double b) {
  double rest = std::fmod(a, b), quotient = (a - rest) / b;
  if (rest != 0) {
    if ((b < 0) != (rest < 0)) {
      rest += b;
      quotient -= 1;
    }
  } else {
    rest = std::copysign(0.0, b);
  }
  if (quotient == 0) return {std::copysign(0.0, a / b), rest};
  const double floor = std::floor(quotient);
  return {quotient - floor > 0.5 ? floor + 1 : floor, rest};
}

Value whole_arithmetic(BinaryOp op, int64_t a, int64_t b) {
  int64_t x = 0;
  switch (op) {
    case BinaryOp::Add:
      return Value::of(add(a, b));
    case BinaryOp::Sub:
      if (__builtin_sub_overflow(a, b, &x)) too_large();
      return Value::of(x);
    case BinaryOp::Mul:
      return Value::of(multiply(a, b));
    case BinaryOp::Div: {
      if (b == 0) divided_by_zero("division by zero");
      constexpr int64_t exact = int64_t{1}
                                << 53;  // larger ints: long double has 64 bits, so only one rounding is left
      if (std::abs(a / 2) < exact / 2 && std::abs(b / 2) < exact / 2)
        return Value::of(static_cast<double>(a) / static_cast<double>(b));
      return Value::of(static_cast<double>(static_cast<long double>(a) / static_cast<long double>(b)));
    }
    case BinaryOp::FloorDiv:
    case BinaryOp::Mod: {
      if (b == 0)
        divided_by_zero(op == BinaryOp::Mod ? "integer modulo by zero"
                                            : "integer division or modulo by zero");
      if (b == -1) {
        if (op == BinaryOp::Mod) return Value::of(int64_t{0});
        if (__builtin_sub_overflow(int64_t{0}, a, &x)) too_large();
        return Value::of(x);
      }
      const int64_t rest = a % b, down = rest != 0 && (rest < 0) != (b < 0);
      return Value::of(op == BinaryOp::Mod ? rest + (down ? b : 0) : a / b - down);
    }
    case BinaryOp::Pow:
      if (b < 0) {
        if (a == 0) divided_by_zero("0.0 cannot be raised to a negative power");
        return Value::of(power(static_cast<double>(a), static_cast<double>(b)));
      }
      return Value::of(power(a, b));
    case BinaryOp::BitAnd:
      return Value::of(a & b);
    case BinaryOp::BitOr:
      return Value::of(a | b);
    case BinaryOp::BitXor:
      return Value::of(a ^ b);
    case BinaryOp::Shl:
      if (b < 0) raise("ValueError", "negative shift count");
      if (a == 0) return Value::of(a);
      if (b > 62) too_large();
      return Value::of(multiply(a, int64_t{1} << b));
    case BinaryOp::Shr:
      if (b < 0) raise("ValueError", "negative shift count");
      return Value::of(a >> std::min<int64_t>(b, 63));
    case BinaryOp::MatMul:
      break;
  }
  return {};
}

}  // namespace

void too_large() { raise("OverflowError", "the result is too large: integers have 64 bits here"); }

int64_t add(int64_t a, int64_t b) {
  int64_t x = 0;
  if (__builtin_add_overflow(a, b, &x)) too_large();
  return x;
}

int64_t multiply(int64_t a, int64_t b) {
  int64_t x = 0;
  if (__builtin_mul_overflow(a, b, &x)) too_large();
  return x;
}

Value arithmetic(BinaryOp op, const Value& a, const Value& b) {
  if (is_whole(a) && is_whole(b)) {
    const Value x = whole_arithmetic(op, a.whole(), b.whole());
    const bool bits = op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor;
    return bits && a.is_bool() && b.is_bool() ? Value::of(x.whole() != 0) : x;
  }
  const double x = as_double(a), y = as_double(b);
  switch (op) {
    case BinaryOp::Add:
      return Value::of(x + y);
    case BinaryOp::Sub:
      return Value::of(x - y);
    case BinaryOp::Mul:
      return Value::of(x * y);
    case BinaryOp::Div:
      if (y == 0)
        divided_by_zero(a.is_float() || b.is_float() ? "float division by zero" : "division by zero");
      return Value::of(x / y);
    case BinaryOp::FloorDiv:
      if (y == 0) divided_by_zero("float floor division by zero");
      return Value::of(floor_divide(x, y).first);
    case BinaryOp::Mod:
      if (y == 0) divided_by_zero("float modulo by zero");
      return Value::of(floor_divide(x, y).second);
    case BinaryOp::Pow:
      return Value::of(power(x, y));
    default:
      return {};
  }
}

bool less(const Value& a, const Value& b) {
  if (is_whole(a) && is_whole(b)) return a.whole() < b.whole();
  if (a.is_float() && b.is_float()) return a.real() < b.real();
  // An int and a float: compare as doubles, and exactly if those are equal.
  const double x = as_double(a), y = as_double(b);
  if (x != y || std::isinf(x)) return x < y;
  if (x == 0x1p63) return is_whole(a);  // the int has been rounded up to it
  const auto n = static_cast<int64_t>(x);
  return is_whole(a) ? a.whole() < n : n < b.whole();
}

bool same_number(const Value& a, const Value& b) {
  if (is_whole(a) && is_whole(b)) return a.whole() == b.whole();
  if (a.is_float() && b.is_float()) return a.real() == b.real();
  const double x = a.is_float() ? a.real() : b.real();
  const int64_t n = a.is_float() ? b.whole() : a.whole();
  return x >= -0x1p63 && x < 0x1p63 && x == std::floor(x) && static_cast<int64_t>(x) == n;
}

std::string repr(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", x);  // the shortest text that reads as x, as in CPython
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

namespace {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n\r\f\v");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n\r\f\v") - first + 1);
}

}  // namespace

std::optional<int64_t> parse_int(std::string_view text) {
  text = trimmed(text);
  const bool sign = text.starts_with('-') || text.starts_with('+');
  std::string digits;
  for (const char c : text.substr(sign))
    if (c != '_') digits += c;
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) return {};
  if (text[0] == '-') digits.insert(0, 1, '-');
  int64_t x = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), x).ec != std::errc()) too_large();
  return x;
}

std::optional<double> parse_float(std::string_view text) {
  const std::string plain(trimmed(text));
  if (plain.empty() || plain.find_first_not_of("0123456789.eE+-infatyINFATY") != plain.npos) return {};
  char* end = nullptr;
  const double x = std::strtod(plain.c_str(), &end);
  return end == plain.c_str() + plain.size() ? std::optional(x) : std::nullopt;
}

double round_to(double x, int64_t digits) {
  if (!std::isfinite(x) || x == 0 || digits > 323) return x;
  if (digits >= 0) {
    const double y = std::strtod(fmt::format("{:.{}f}", x, static_cast<int>(digits)).c_str(), nullptr);
    if (std::isinf(y)) raise("OverflowError", "rounded value too large to represent");
    return y;
  }
  if (digits < -308) return std::copysign(0.0, x);
  const double unit = std::pow(10.0, static_cast<double>(-digits));
  return std::copysign(std::nearbyint(std::fabs(x) / unit) * unit, x);
}

int64_t to_int(double x) {
  if (std::isnan(x)) raise("ValueError", "cannot convert float NaN to integer");
  if (std::isinf(x)) raise("OverflowError", "cannot convert float infinity to integer");
  if (x < -0x1p63 || x >= 0x1p63) too_large();
  return static_cast<int64_t>(x);
}

}  // namespace glassgrad::script
