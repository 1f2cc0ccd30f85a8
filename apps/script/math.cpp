// The module math.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "apps/script/number.h"
#include "apps/script/types.h"

namespace glassgrad::script {
namespace {

// Turns a C function's result into Python's errors: NaN is a domain error; infinity for a finite x is too
// large (exp(1000)), or a domain error at a pole (atanh(1)).
enum class Infinite : bool { TooLarge, Pole };
Value checked(double y, double x, Infinite infinite = Infinite::TooLarge) {
  if (std::isnan(y) && !std::isnan(x)) raise("ValueError", "math domain error");
  if (std::isinf(y) && std::isfinite(x)) {
    if (infinite == Infinite::Pole) raise("ValueError", "math domain error");
    raise("OverflowError", "math range error");
  }
  return Value::of(y);
}
template <double (*f)(double), Infinite infinite = Infinite::Pole>
Value of(Interpreter&, BuiltinArgs a) {
  const double x = float_of(a[0]);
  return checked(f(x), x, infinite);
}
template <double (*f)(double)>
constexpr auto growing = of<f, Infinite::TooLarge>;
template <double (*f)(double)>
Value logarithm(Interpreter&, BuiltinArgs a) {
  const double x = float_of(a[0]);
  if (x <= 0) raise("ValueError", "math domain error");
  if (a.size() < 2 || !a[1]) return Value::of(f(x));
  const double base = float_of(a[1]);
  if (base <= 0) raise("ValueError", "math domain error");
  if (base == 1) raise("ZeroDivisionError", "division by zero");
  return Value::of(f(x) / f(base));
}

template <double (*f)(double)>
Value to_whole(Interpreter&, BuiltinArgs a) {
  return Value::of(is_whole(a[0]) ? a[0].whole() : to_int(f(float_of(a[0]))));
}

Value power(Interpreter&, BuiltinArgs a) {
  const double x = float_of(a[0]), y = float_of(a[1]);
  if (x == 0 && y < 0 && std::isfinite(y)) raise("ValueError", "math domain error");
  return checked(std::pow(x, y), std::isfinite(x) ? y : x);
}

Value remainder_of_division(Interpreter&, BuiltinArgs a) {
  const double x = float_of(a[0]), y = float_of(a[1]);
  return checked(std::fmod(x, y), std::isnan(y) ? y : x);
}

template <double (*f)(double, double)>
Value of_two(Interpreter&, BuiltinArgs a) {
  const double x = float_of(a[0]);
  return Value::of(f(x, float_of(a[1])));
}

Value degrees(Interpreter&, BuiltinArgs a) { return Value::of(float_of(a[0]) * (180 / std::numbers::pi)); }
Value radians(Interpreter&, BuiltinArgs a) { return Value::of(float_of(a[0]) * (std::numbers::pi / 180)); }

// math.fsum: the exact sum, rounded once (Shewchuk). `parts` are floats that do not overlap, smallest first.
Value exact_sum(Interpreter& in, BuiltinArgs a) {
  std::vector<double> parts;
  double special = 0;  // the sum of infinities and NaNs
  in.each(a[0], [&](const Value& item) {
    double x = float_of(item);
    if (!std::isfinite(x)) {
      if (std::isinf(x) && std::isinf(special) && x != special) raise("ValueError", "-inf + inf in fsum");
      special += x;
      return;
    }
    size_t kept = 0;
    for (double y : parts) {
      if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
      const double high = x + y, low = y - (high - x);
      if (low != 0) parts[kept++] = low;
      x = high;
    }
    if (std::isinf(x)) raise("OverflowError", "intermediate overflow in fsum");
    parts.resize(kept);
    if (x != 0) parts.push_back(x);
  });
  if (special != 0) return Value::of(special);
  double high = 0, low = 0;
  size_t k = parts.size();
  while (k > 0 && low == 0) {
    const double x = high, y = parts[--k];
    high = x + y;
    low = y - (high - x);
  }
  // Halfway between two floats: the remaining parts decide the rounding.
  if (k > 0 && ((low < 0 && parts[k - 1] < 0) || (low > 0 && parts[k - 1] > 0))) {
    const double up = high + low * 2;
    if (low * 2 == up - high) high = up;
  }
  return Value::of(high);
}

int64_t common_divisor(int64_t a, int64_t b) {
  if (a == INT64_MIN || b == INT64_MIN) too_large();
  return std::gcd(a, b);
}
Value divisor(Interpreter&, BuiltinArgs a) {
  int64_t out = 0;
  for (const Value& x : a) out = common_divisor(out, index_of(x));
  return Value::of(out);
}
Value multiple(Interpreter&, BuiltinArgs a) {
  int64_t out = 1;
  for (const Value& x : a) {
    const int64_t n = index_of(x), d = common_divisor(out, n);
    out = d ? std::abs(multiply(out / d, n)) : 0;
  }
  return Value::of(out);
}

Value root_of_whole(Interpreter&, BuiltinArgs a) {
  const int64_t n = index_of(a[0]);
  if (n < 0) raise("ValueError", "isqrt() argument must be nonnegative");
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  while (root > 0 && root > n / root) --root;
  while ((root + 1) <= n / (root + 1)) ++root;
  return Value::of(root);
}

// n (n - 1) …, k factors; comb divides the product by k!.
int64_t chosen(BuiltinArgs a, bool in_order) {
  const int64_t n = index_of(a[0]), k = !a[1] || a[1].is_none() ? n : index_of(a[1]);
  if (n < 0) raise("ValueError", "n must be a non-negative integer");
  if (k < 0) raise("ValueError", "k must be a non-negative integer");
  if (k > n) return 0;
  int64_t out = 1;
  for (int64_t i = 0, last = in_order ? k : std::min(k, n - k); i < last; ++i) {
    if (in_order) {
      out = multiply(out, n - i);
      continue;
    }
    const int64_t d = std::gcd(out, i + 1);  // divide before the product grows
    out = multiply(out / d, (n - i) / ((i + 1) / d));
  }
  return out;
}

Value product(Interpreter& in, BuiltinArgs a) {
  Value out = Value::of(int64_t{1});
  in.each(a[0], [&](const Value& x) { out = in.binary(BinaryOp::Mul, out, x); });
  return out;
}

Value factorial(Interpreter&, BuiltinArgs a) {
  const int64_t n = index_of(a[0]);
  if (n < 0) raise("ValueError", "factorial() not defined for negative values");
  int64_t out = 1;
  for (int64_t k = 2; k <= n; ++k) out = multiply(out, k);
  return Value::of(out);
}

Value is_close(Interpreter&, BuiltinArgs a) {
  const double x = float_of(a[0]), y = float_of(a[1]), d = std::fabs(x - y);
  const double relative = a[2] ? float_of(a[2]) : 1e-9, absolute = a[3] ? float_of(a[3]) : 0;
  if (x == y || std::isinf(x) || std::isinf(y)) return Value::of(x == y);
  return Value::of(d <= relative * std::max(std::fabs(x), std::fabs(y)) || d <= absolute);
}

template <bool (*f)(double)>
Value asks(Interpreter&, BuiltinArgs a) {
  return Value::of(f(float_of(a[0])));
}

constexpr BuiltinDef kMath[] = {
    {"sqrt", 1, 1, of<std::sqrt>},
    {"exp", 1, 1, growing<std::exp>},
    {"exp2", 1, 1, growing<std::exp2>},
    {"cbrt", 1, 1, of<std::cbrt>},
    {"expm1", 1, 1, growing<std::expm1>},
    {"log", 1, 2, logarithm<std::log>},
    {"log2", 1, 1, logarithm<std::log2>},
    {"log10", 1, 1, logarithm<std::log10>},
    {"log1p", 1, 1, of<std::log1p>},
    {"sin", 1, 1, of<std::sin>},
    {"cos", 1, 1, of<std::cos>},
    {"tan", 1, 1, of<std::tan>},
    {"asin", 1, 1, of<std::asin>},
    {"acos", 1, 1, of<std::acos>},
    {"atan", 1, 1, of<std::atan>},
    {"atan2", 2, 2, of_two<std::atan2>},
    {"asinh", 1, 1, of<std::asinh>},
    {"acosh", 1, 1, of<std::acosh>},
    {"atanh", 1, 1, of<std::atanh>},
    {"degrees", 1, 1, degrees},
    {"radians", 1, 1, radians},
    {"sinh", 1, 1, growing<std::sinh>},
    {"cosh", 1, 1, growing<std::cosh>},
    {"tanh", 1, 1, of<std::tanh>},
    {"erf", 1, 1, of<std::erf>},
    {"erfc", 1, 1, of<std::erfc>},
    {"fabs", 1, 1, of<std::fabs>},
    {"floor", 1, 1, to_whole<std::floor>},
    {"ceil", 1, 1, to_whole<std::ceil>},
    {"trunc", 1, 1, to_whole<std::trunc>},
    {"pow", 2, 2, power},
    {"fmod", 2, 2, remainder_of_division},
    {"copysign", 2, 2, of_two<std::copysign>},
    {"prod", 1, 1, product},
    {"fsum", 1, 1, exact_sum},
    {"gcd", 0, -1, divisor},
    {"lcm", 0, -1, multiple},
    {"isqrt", 1, 1, root_of_whole},
    {"comb", 2, 2, [](Interpreter&, BuiltinArgs a) { return Value::of(chosen(a, false)); }},
    {"perm", 1, 2, [](Interpreter&, BuiltinArgs a) { return Value::of(chosen(a, true)); }},
    {"factorial", 1, 1, factorial},
    {"isclose", 2, 2, is_close, "a b rel_tol abs_tol"},
    {"isnan", 1, 1, asks<std::isnan>},
    {"isinf", 1, 1, asks<std::isinf>},
    {"isfinite", 1, 1, asks<std::isfinite>}};

}  // namespace

Value make_math(Interpreter&) {
  const Value made = make<Namespace>("math");
  Dict& names = *made.as<Namespace>()->attributes.as<Dict>();
  for (const BuiltinDef& row : kMath) names.set(row.name, function(row, "math."));
  names.set("pi", Value::of(std::numbers::pi));
  names.set("e", Value::of(std::numbers::e));
  names.set("tau", Value::of(2 * std::numbers::pi));
  names.set("inf", Value::of(HUGE_VAL));
  names.set("nan", Value::of(std::nan("")));
  return made;
}

}  // namespace glassgrad::script
