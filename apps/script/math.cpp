// The module math.
#include <cmath>
#include <numbers>
#include <numeric>

#include "apps/script/number.h"
#include "apps/script/types.h"

namespace glassgrad::script {
namespace {

double number(Interpreter& in, const Value& x) { return float_of(in, x); }

// A function of C's, and Python's errors where it has no value.
Value checked(double y, double x) {
  if (std::isnan(y) && !std::isnan(x)) raise("ValueError", "math domain error");
  if (std::isinf(y) && std::isfinite(x)) raise("OverflowError", "math range error");
  return Value::of(y);
}
template <double (*f)(double)>
Value of(Interpreter& in, Given a) {
  const double x = number(in, a[0]);
  return checked(f(x), x);
}
// As it is: where it is infinite, there it has no value.
template <double (*f)(double)>
Value of_positive(Interpreter& in, Given a) {
  const double x = number(in, a[0]);
  if (x <= 0) raise("ValueError", "math domain error");
  return Value::of(f(x));
}

Value log(Interpreter& in, Given a) {
  const double x = number(in, a[0]);
  const double base = a[1] ? number(in, a[1]) : 1;
  if (x <= 0 || base <= 0) raise("ValueError", "math domain error");
  if (!a[1]) return Value::of(std::log(x));
  if (base == 1) raise("ZeroDivisionError", "division by zero");
  return Value::of(std::log(x) / std::log(base));
}

template <double (*f)(double), char up>
Value to_whole(Interpreter& in, Given a) {
  if (is_whole(a[0])) return Value::of(a[0].whole());
  constexpr const char* method = up == 'u' ? "__ceil__" : up == 'd' ? "__floor__" : "__trunc__";
  if (const Value v = call_own(in, a[0], method)) return v;
  if (up == 't' && !a[0].is_float())
    raise("TypeError", "type {} doesn't define __trunc__ method", type_name(a[0]));
  return Value::of(to_int(f(number(in, a[0]))));
}

Value power(Interpreter& in, Given a) {
  const double x = number(in, a[0]), y = number(in, a[1]), z = std::pow(x, y);
  if (std::isnan(z) && !std::isnan(x) && !std::isnan(y)) raise("ValueError", "math domain error");
  if (std::isinf(z) && std::isfinite(x) && std::isfinite(y)) {
    if (x == 0) raise("ValueError", "math domain error");
    raise("OverflowError", "math range error");
  }
  return Value::of(z);
}

// The exact sum, rounded once: partial sums that do not overlap (Shewchuk).
Value exact_sum(Interpreter& in, Given a) {
  std::vector<double> parts;
  double special = 0;
  in.each(a[0], [&](const Value& item) {
    double x = number(in, item);
    if (!std::isfinite(x)) {
      special += x;
      return;
    }
    size_t n = 0;
    for (double y : parts) {
      if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
      const double high = x + y, low = y - (high - x);
      if (low != 0) parts[n++] = low;
      x = high;
    }
    if (std::isinf(x)) raise("OverflowError", "intermediate overflow in fsum");
    parts.resize(n);
    parts.push_back(x);
  });
  if (special != 0 || std::isnan(special)) {
    if (std::isnan(special)) raise("ValueError", "-inf + inf in fsum");
    return Value::of(special);
  }
  double high = 0, low = 0;
  size_t n = parts.size();
  if (n) high = parts[--n];
  while (n) {
    const double x = high, y = parts[--n];
    high = x + y;
    low = y - (high - x);
    if (low != 0) break;
  }
  // Half-way cases round to even by what is left.
  if (n && ((low < 0 && parts[n - 1] < 0) || (low > 0 && parts[n - 1] > 0))) {
    const double y = low * 2, x = high + y;
    if (y == x - high) high = x;
  }
  return Value::of(high);
}

Value product(Interpreter& in, Given a) {
  Value out = a[1] ? a[1] : Value::of(int64_t{1});
  in.each(a[0], [&](const Value& x) { out = in.binary(BinaryOp::Mul, out, x); });
  return out;
}

Value factorial(Interpreter& in, Given a) {
  const int64_t n = index_of(in, a[0]);
  if (n < 0) raise("ValueError", "factorial() not defined for negative values");
  int64_t out = 1;
  for (int64_t k = 2; k <= n; ++k) out = multiply(out, k);
  return Value::of(out);
}

Value comb(Interpreter& in, Given a) {
  const int64_t n = index_of(in, a[0]);
  int64_t k = index_of(in, a[1]);
  if (n < 0) raise("ValueError", "n must be a non-negative integer");
  if (k < 0) raise("ValueError", "k must be a non-negative integer");
  if (k > n) return Value::of(int64_t{0});
  k = std::min(k, n - k);
  Wide out = 1;
  for (int64_t j = 1; j <= k; ++j) {
    out = out * (n - k + j) / j;
    if (out > INT64_MAX) too_large();
  }
  return Value::of(static_cast<int64_t>(out));
}

Value perm(Interpreter& in, Given a) {
  if (!a[1] || a[1].is_none()) return factorial(in, a);
  const int64_t n = index_of(in, a[0]), k = index_of(in, a[1]);
  if (n < 0) raise("ValueError", "n must be a non-negative integer");
  if (k < 0) raise("ValueError", "k must be a non-negative integer");
  int64_t out = k > n ? 0 : 1;
  for (int64_t j = 0; j < k && out; ++j) out = multiply(out, n - j);
  return Value::of(out);
}

uint64_t size_of(int64_t x) { return x < 0 ? -static_cast<uint64_t>(x) : static_cast<uint64_t>(x); }

Value gcd(Interpreter& in, Given a) {
  uint64_t out = 0;
  for (const Value& x : a) out = std::gcd(out, size_of(index_of(in, x)));
  if (out > INT64_MAX) too_large();
  return Value::of(static_cast<int64_t>(out));
}

Value lcm(Interpreter& in, Given a) {
  int64_t out = 1;
  for (const Value& x : a) {
    const auto n = static_cast<int64_t>(size_of(index_of(in, x)));
    if (n == 0) return Value::of(int64_t{0});
    out = multiply(out / std::gcd(out, n), n);
  }
  return Value::of(out);
}

Value whole_root(Interpreter& in, Given a) {
  const int64_t n = index_of(in, a[0]);
  if (n < 0) raise("ValueError", "isqrt() argument must be nonnegative");
  auto x = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  while (static_cast<Wide>(x) * x > n) --x;
  while (static_cast<Wide>(x + 1) * (x + 1) <= n) ++x;
  return Value::of(x);
}

Value hypotenuse(Interpreter& in, Given a) {
  if (a.size() == 2) return Value::of(std::hypot(number(in, a[0]), number(in, a[1])));
  double out = 0;
  for (const Value& x : a) out = std::hypot(out, number(in, x));
  return Value::of(out);
}

Value is_close(Interpreter& in, Given a) {
  const double x = number(in, a[0]), y = number(in, a[1]);
  const double relative = a[2] ? number(in, a[2]) : 1e-9, absolute = a[3] ? number(in, a[3]) : 0;
  if (relative < 0 || absolute < 0) raise("ValueError", "tolerances must be non-negative");
  if (x == y) return Value::of(true);
  if (std::isinf(x) || std::isinf(y)) return Value::of(false);
  const double d = std::fabs(x - y);
  return Value::of(d <= std::fabs(relative * y) || d <= std::fabs(relative * x) || d <= absolute);
}

Value remainder(Interpreter& in, Given a) {
  const double x = number(in, a[0]), y = number(in, a[1]), z = std::fmod(x, y);
  if (std::isnan(z) && !std::isnan(x) && !std::isnan(y)) raise("ValueError", "math domain error");
  return Value::of(z);
}

template <bool (*f)(double)>
Value asks(Interpreter& in, Given a) {
  return Value::of(f(number(in, a[0])));
}

constexpr Row kMath[] = {
    {"sqrt", 1, 1, of<std::sqrt>},
    {"cbrt", 1, 1, of<std::cbrt>},
    {"exp", 1, 1, of<std::exp>},
    {"exp2", 1, 1, of<std::exp2>},
    {"expm1", 1, 1, of<std::expm1>},
    {"log", 1, 2, log},
    {"log2", 1, 1, of_positive<std::log2>},
    {"log10", 1, 1, of_positive<std::log10>},
    {"log1p", 1, 1, of<std::log1p>},
    {"sin", 1, 1, of<std::sin>},
    {"cos", 1, 1, of<std::cos>},
    {"tan", 1, 1, of<std::tan>},
    {"asin", 1, 1, of<std::asin>},
    {"acos", 1, 1, of<std::acos>},
    {"atan", 1, 1, of<std::atan>},
    {"sinh", 1, 1, of<std::sinh>},
    {"cosh", 1, 1, of<std::cosh>},
    {"tanh", 1, 1, of<std::tanh>},
    {"asinh", 1, 1, of<std::asinh>},
    {"acosh", 1, 1, of<std::acosh>},
    {"atanh", 1, 1, of<std::atanh>},
    {"erf", 1, 1, of<std::erf>},
    {"erfc", 1, 1, of<std::erfc>},
    {"gamma", 1, 1, of<std::tgamma>},
    {"lgamma", 1, 1, of<std::lgamma>},
    {"fabs", 1, 1, of<std::fabs>},
    {"floor", 1, 1, to_whole<std::floor, 'd'>},
    {"ceil", 1, 1, to_whole<std::ceil, 'u'>},
    {"trunc", 1, 1, to_whole<std::trunc, 't'>},
    {"pow", 2, 2, power},
    {"fmod", 2, 2, remainder},
    {"fsum", 1, 1, exact_sum},
    {"prod", 1, 1, product, "- start"},
    {"factorial", 1, 1, factorial},
    {"comb", 2, 2, comb},
    {"perm", 1, 2, perm},
    {"gcd", 0, -1, gcd},
    {"lcm", 0, -1, lcm},
    {"isqrt", 1, 1, whole_root},
    {"hypot", 0, -1, hypotenuse},
    {"isclose", 2, 2, is_close, "a b rel_tol abs_tol"},
    {"atan2", 2, 2,
     [](Interpreter& in, Given a) { return Value::of(std::atan2(number(in, a[0]), number(in, a[1]))); }},
    {"copysign", 2, 2,
     [](Interpreter& in, Given a) { return Value::of(std::copysign(number(in, a[0]), number(in, a[1]))); }},
    {"degrees", 1, 1,
     [](Interpreter& in, Given a) { return Value::of(number(in, a[0]) * (180 / std::numbers::pi)); }},
    {"radians", 1, 1,
     [](Interpreter& in, Given a) { return Value::of(number(in, a[0]) * (std::numbers::pi / 180)); }},
    {"isnan", 1, 1, asks<std::isnan>},
    {"isinf", 1, 1, asks<std::isinf>},
    {"isfinite", 1, 1, asks<std::isfinite>}};

}  // namespace

Value make_math(Interpreter&) {
  const Value made = make<Namespace>("math");
  Dict& names = *made.as<Namespace>()->attributes.as<Dict>();
  for (const Row& row : kMath) names.set(row.name, function(row, "math."));
  names.set("pi", Value::of(std::numbers::pi));
  names.set("e", Value::of(std::numbers::e));
  names.set("tau", Value::of(2 * std::numbers::pi));
  names.set("inf", Value::of(HUGE_VAL));
  names.set("nan", Value::of(std::nan("")));
  return made;
}

}  // namespace glassgrad::script
