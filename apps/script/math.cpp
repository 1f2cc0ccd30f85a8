// The module math.
#include <cmath>
#include <numbers>
#include <numeric>

#include "apps/script/number.h"
#include "apps/script/types.h"

namespace glassgrad::script {
namespace {

// A function of C's, and Python's errors where it has no value.
Value checked(double y, double x) {
  if (std::isnan(y) && !std::isnan(x)) raise("ValueError", "math domain error");
  if (std::isinf(y) && std::isfinite(x)) raise("OverflowError", "math range error");
  return Value::of(y);
}
template <double (*f)(double)>
Value of(Interpreter&, Given a) {
  const double x = float_of(a[0]);
  return checked(f(x), x);
}
template <double (*f)(double)>
Value logarithm(Interpreter&, Given a) {
  const double x = float_of(a[0]);
  if (x <= 0) raise("ValueError", "math domain error");
  if (a.size() < 2 || !a[1]) return Value::of(f(x));
  const double base = float_of(a[1]);
  if (base <= 0) raise("ValueError", "math domain error");
  if (base == 1) raise("ZeroDivisionError", "division by zero");
  return Value::of(f(x) / f(base));
}

template <double (*f)(double)>
Value to_whole(Interpreter&, Given a) {
  return Value::of(is_whole(a[0]) ? a[0].whole() : to_int(f(float_of(a[0]))));
}

Value power(Interpreter&, Given a) {
  const double x = float_of(a[0]), y = float_of(a[1]);
  if (x == 0 && y < 0 && std::isfinite(y)) raise("ValueError", "math domain error");
  return checked(std::pow(x, y), std::isfinite(x) ? y : x);
}

Value product(Interpreter& in, Given a) {
  Value out = Value::of(int64_t{1});
  in.each(a[0], [&](const Value& x) { out = in.binary(BinaryOp::Mul, out, x); });
  return out;
}

Value factorial(Interpreter&, Given a) {
  const int64_t n = index_of(a[0]);
  if (n < 0) raise("ValueError", "factorial() not defined for negative values");
  int64_t out = 1;
  for (int64_t k = 2; k <= n; ++k) out = multiply(out, k);
  return Value::of(out);
}

Value is_close(Interpreter&, Given a) {
  const double x = float_of(a[0]), y = float_of(a[1]), d = std::fabs(x - y);
  const double relative = a[2] ? float_of(a[2]) : 1e-9, absolute = a[3] ? float_of(a[3]) : 0;
  if (x == y || std::isinf(x) || std::isinf(y)) return Value::of(x == y);
  return Value::of(d <= relative * std::max(std::fabs(x), std::fabs(y)) || d <= absolute);
}

template <bool (*f)(double)>
Value asks(Interpreter&, Given a) {
  return Value::of(f(float_of(a[0])));
}

constexpr Row kMath[] = {{"sqrt", 1, 1, of<std::sqrt>},
                         {"exp", 1, 1, of<std::exp>},
                         {"expm1", 1, 1, of<std::expm1>},
                         {"log", 1, 2, logarithm<std::log>},
                         {"log2", 1, 1, logarithm<std::log2>},
                         {"log10", 1, 1, logarithm<std::log10>},
                         {"log1p", 1, 1, of<std::log1p>},
                         {"sin", 1, 1, of<std::sin>},
                         {"cos", 1, 1, of<std::cos>},
                         {"tan", 1, 1, of<std::tan>},
                         {"atan", 1, 1, of<std::atan>},
                         {"sinh", 1, 1, of<std::sinh>},
                         {"cosh", 1, 1, of<std::cosh>},
                         {"tanh", 1, 1, of<std::tanh>},
                         {"erf", 1, 1, of<std::erf>},
                         {"fabs", 1, 1, of<std::fabs>},
                         {"floor", 1, 1, to_whole<std::floor>},
                         {"ceil", 1, 1, to_whole<std::ceil>},
                         {"pow", 2, 2, power},
                         {"prod", 1, 1, product},
                         {"factorial", 1, 1, factorial},
                         {"isclose", 2, 2, is_close, "a b rel_tol abs_tol"},
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
