#include "expression.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "../core/error.h"
#include "../cpu/kernels.h"

namespace glassgrad {
namespace {

thread_local DType constants_as = float32;

constexpr std::string_view kNames[] = {
#define SCALAR(name, ...) #name,
#include "../numbers/scalar.def"
};

[[noreturn]] void fail_on_dtypes(std::string_view op, const std::vector<Expr>& inputs) {
  std::string text = "no arithmetic for " + std::string(op) + " of";
  for (const Expr& e : inputs) text += std::string(" ") + scalar_type_name(e.dtype());
  throw std::logic_error(text);
}

Scalar computed(ScalarFunction f, const std::vector<Expr>& inputs) {
  Scalar in[3], out{.dtype = inputs[0].dtype()};
  for (size_t i = 0; i < inputs.size(); ++i) {
    in[i] = inputs[i].value();
    if (in[i].dtype != out.dtype) fail_on_dtypes(kNames[size_t(f)], inputs);
  }
  if (!kernels().scalar(f, out.dtype, in, out)) fail_on_dtypes(kNames[size_t(f)], inputs);
  return out;
}

// Returns x as an integer of this dtype stores it: narrow ones keep the low bits.
int64_t whole_of(int64_t x, DType dtype) {
  if (dtype == boolean) return x != 0;
  if (is_narrow(dtype)) every_type(dtype, [&](auto zero) { x = int64_t(decltype(zero)(x)); });
  return x;
}

Expr truth_of(std::string_view op, std::vector<Expr> inputs, bool holds) {
  return Expr(ExprNode{.op = op, .inputs = std::move(inputs), .value = {.dtype = boolean, .whole = holds}});
}

template <class Compare>
Expr compared(std::string_view op, const Expr& a, const Expr& b, Compare holds) {
  if (a.dtype() != b.dtype()) fail_on_dtypes(op, {a, b});
  return truth_of(op, {a, b},
                  is_floating(a.dtype()) ? holds(a.value().real, b.value().real)
                                         : holds(a.value().whole, b.value().whole));
}

bool holds(const Expr& e) { return is_true(e.value()); }

// f(f(f(first, second), third), …), or `none` without terms. Rounds each result to kept_in if that is narrow.
Expr folded(std::string_view op, ScalarFunction f, std::vector<Expr> terms, const Scalar& none,
            DType kept_in = float64) {
  Scalar result = terms.empty() ? none : terms[0].value();
  for (size_t i = 1; i < terms.size(); ++i) {
    const Scalar in[3] = {result, terms[i].value(), {}};
    kernels().scalar(f, result.dtype, in, result);
    if (is_narrow(kept_in)) result = cast(cast(number(result), kept_in), result.dtype).value();
  }
  return Expr(ExprNode{.op = op, .inputs = std::move(terms), .value = result});
}

Expr extreme(std::string_view op, ScalarFunction f, std::vector<Expr> terms) {
  if (terms.empty()) fail_on_dtypes(op, terms);
  return folded(op, f, std::move(terms), {});
}

}  // namespace

// ---- leaves
Expr::Expr(double constant) : Expr(number(scalar_of(constant, constants_as))) {}

Expr Expr::called(std::string label) const {
  ExprNode node = *node_;
  node.label = std::move(label);
  return Expr(std::move(node));
}

Expr Expr::with_value(const Scalar& value) const {
  ExprNode node = *node_;
  node.value = value;
  return Expr(std::move(node));
}

ConstantsAs::ConstantsAs(DType dtype) : ForScope(constants_as, dtype) {}

Expr number(const Scalar& value) { return Expr(ExprNode{.op = "number", .value = value}); }
Expr number(int64_t value) { return number(Scalar{.dtype = int64, .whole = value}); }
Expr draw(const Scalar& value, std::string how) {
  return Expr(ExprNode{.op = "draw", .value = value, .label = std::move(how)});
}

// ---- functions
Expr apply(ScalarFunction f, std::vector<Expr> operands) {
  const Scalar value = computed(f, operands);
  return Expr(ExprNode{.op = kNames[size_t(f)], .inputs = std::move(operands), .value = value});
}

Expr operator==(const Expr& a, const Expr& b) { return compared("eq", a, b, std::equal_to<>()); }
Expr operator!=(const Expr& a, const Expr& b) { return compared("ne", a, b, std::not_equal_to<>()); }
Expr operator<(const Expr& a, const Expr& b) { return compared("lt", a, b, std::less<>()); }
Expr operator<=(const Expr& a, const Expr& b) { return compared("le", a, b, std::less_equal<>()); }
Expr operator>(const Expr& a, const Expr& b) { return compared("gt", a, b, std::greater<>()); }
Expr operator>=(const Expr& a, const Expr& b) { return compared("ge", a, b, std::greater_equal<>()); }
Expr operator&&(const Expr& a, const Expr& b) { return truth_of("and", {a, b}, holds(a) && holds(b)); }
Expr operator||(const Expr& a, const Expr& b) { return truth_of("or", {a, b}, holds(a) || holds(b)); }
Expr operator!(const Expr& a) { return truth_of("not", {a}, !holds(a)); }
Expr is_infinite(const Expr& a) { return truth_of("isinf", {a}, std::isinf(to_double(a.value()))); }
Expr where(const Expr& condition, const Expr& a, const Expr& b) {
  if (a.dtype() != b.dtype()) fail_on_dtypes("where", {a, b});
  const Scalar value = is_true(condition.value()) ? a.value() : b.value();
  return Expr(ExprNode{.op = "where", .inputs = {condition, a, b}, .value = value});
}
Expr cast(const Expr& a, DType dtype) {
  if (a.dtype() == dtype) return a;
  const bool widens = a->op == "cast" && a.dtype() == computed_in(dtype);
  if (widens && a->inputs[0].dtype() == dtype) return a->inputs[0];  // undoes the widening
  Scalar value{.dtype = dtype};
  if (is_floating(dtype) || is_floating(a.dtype()))
    value = scalar_of(to_double(a.value()), dtype);
  else
    value.whole = whole_of(a.value().whole, dtype);
  return Expr(ExprNode{.op = "cast", .inputs = {a}, .value = value});
}

Expr sum(std::vector<Expr> terms, DType kept_in) {
  return folded("sum", ScalarFunction::add, std::move(terms), scalar_of(0, constants_as), kept_in);
}
Expr prod(std::vector<Expr> terms, DType kept_in) {
  return folded("prod", ScalarFunction::mul, std::move(terms), scalar_of(1, constants_as), kept_in);
}

Expr all(std::vector<Expr> terms) {
  const bool is = std::all_of(terms.begin(), terms.end(), holds);
  return truth_of("all", std::move(terms), is);
}
Expr any(std::vector<Expr> terms) {
  const bool is = std::any_of(terms.begin(), terms.end(), holds);
  return truth_of("any", std::move(terms), is);
}

Expr pick(const Expr& element, const std::vector<Expr>& which) {
  std::vector<Expr> inputs = {element};
  inputs.insert(inputs.end(), which.begin(), which.end());
  return Expr(ExprNode{.op = "pick", .inputs = std::move(inputs), .value = element.value()});
}
Expr found(std::string how, std::vector<Expr> terms, const Scalar& value) {
  return Expr(ExprNode{.op = "found", .inputs = std::move(terms), .value = value, .label = std::move(how)});
}

Expr dot(const std::vector<Expr>& a, const std::vector<Expr>& b, bool fused) {
  std::vector<Expr> products;
  for (size_t k = 0; k < a.size(); ++k) products.push_back(a[k] * b[k]);
  const DType dtype = a.empty() ? constants_as : a[0].dtype();
  if (!fused || !is_floating(dtype)) return sum(std::move(products));
  Scalar total{.dtype = dtype};
  for (size_t k = 0; k < a.size(); ++k) {
    const Scalar in[3] = {a[k].value(), b[k].value(), total};
    kernels().scalar(ScalarFunction::fma, dtype, in, total);
  }
  return Expr(ExprNode{.op = "dot", .inputs = std::move(products), .value = total});
}

Expr max(std::vector<Expr> terms) { return extreme("max", ScalarFunction::max, std::move(terms)); }
Expr min(std::vector<Expr> terms) { return extreme("min", ScalarFunction::min, std::move(terms)); }

// ---- numbers
bool same_bits(const Scalar& a, const Scalar& b) {
  if (a.dtype != b.dtype) return false;
  if (!is_floating(a.dtype)) return a.whole == b.whole;
  return (std::isnan(a.real) && std::isnan(b.real)) ||
         __builtin_bit_cast(uint64_t, a.real) == __builtin_bit_cast(uint64_t, b.real);
}
bool is_true(const Scalar& x) { return is_floating(x.dtype) ? x.real != 0 : x.whole != 0; }
double to_double(const Scalar& x) { return is_floating(x.dtype) ? x.real : double(x.whole); }
Scalar scalar_of(double x, DType dtype) {
  Scalar y{.dtype = dtype};
  if (is_floating(dtype))
    every_float(dtype, [&](auto zero) { y.real = double(decltype(zero)(x)); });
  else
    y.whole = whole_of(dtype == boolean ? x != 0 : int64_t(x), dtype);
  return y;
}

}  // namespace glassgrad
