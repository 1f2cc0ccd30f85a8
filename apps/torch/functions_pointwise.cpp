// Elementwise functions. Functions in numbers/pointwise.def are added from that table, with its formulas as
// their help.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/ops/promote.h"
#include "table.h"

namespace glassgrad::GG_HOST {

namespace {

using T = const Tensor&;

// Say what `out=` of a row of pointwise.def accepts, by the row's kind.
OutRule out_of(std::string_view kind, bool unary) {
  if (kind == "compare") return kAny;
  return unary && kind != "real" && kind != "floating" ? kFound : kUsual;
}

Rows listed() {
  Rows rows = {
#define UNARY(name, kind, node, value, dx)                                             \
  row(kBoth, #name "(Tensor input" GG_OUT ")", [](T x) { return glassgrad::name(x); }) \
      .help("y = " #value ".")                                                         \
      .in_place(kMethod)                                                               \
      .out(out_of(#kind, true)),
#define UNARY_PLAIN(name, kind, value) UNARY(name, kind, "", value, )
#define BINARY(name, kind, node, value, da, db)                                                              \
  row(kBoth, #name "(Tensor input, Tensor other" GG_OUT ")", [](T a, T b) { return glassgrad::name(a, b); }) \
      .help("y = " #value ", a the input, b the other; shapes broadcast.")                                   \
      .in_place(#kind == std::string_view("compare") ? unsigned{kMethod} : 0)                                \
      .out(out_of(#kind, false)),
#define BINARY_PLAIN(name, kind, value) BINARY(name, kind, "", value, , )
#include "engine/numbers/pointwise.def"
  };
  const auto named = [&](std::string_view name) -> Row& {
    return *std::find_if(rows.begin(), rows.end(), [&](const Row& r) {
      return r.signature.starts_with(name) && r.signature[name.size()] == '(';
    });
  };
#define UNARY_INPLACE(name) named(#name).in_place(0);  // the engine's own: functions_in_place.cpp
#define TORCH(name, says) named(#name).says;
#include "engine/numbers/pointwise.def"
  std::erase_if(rows, [](const Row& r) { return !r.places; });
  return rows;
}

// A float result of two Python numbers has the default dtype.
Tensor of_numbers(const Tensor& y, const Tensor& a, const Tensor& b) {
  return a->is_number && b->is_number && is_floating(y.dtype()) ? to(y, default_dtype()) : y;
}

bool has_wider_float(DType t) { return is_floating(t) && t != float64; }

// a + alpha·b. PyTorch rounds once; with a graph, the product is a separate op here.
Tensor add_scaled(const Tensor& a, const Tensor& b, const MaybeNumber& alpha) {
  if (!alpha || *alpha.value() == 1) return of_numbers(add(a, b), a, b);
  if (is_narrow(a.dtype()) && a.dtype() == b.dtype())
    return add(a, mul(b, rounded_factor(alpha.tensor(), a.dtype())));
  return a.dtype() == b.dtype() ? fused(b, alpha.tensor(), a) : add(a, mul(b, alpha.tensor()));
}
MaybeNumber negated(const MaybeNumber& alpha) {
  if (!alpha) return {Scalar{int64, 0, -1}};
  Scalar s = *alpha.scalar;
  s.real = -s.real, s.whole = -s.whole;
  return {s};
}
Tensor sub_scaled(const Tensor& a, const Tensor& b, const MaybeNumber& alpha) {
  if (!alpha || *alpha.value() == 1) return of_numbers(sub(a, b), a, b);
  return rename_node("SubBackward0", add_scaled(a, b, negated(alpha)));
}

Tensor divided(const Tensor& a, const Tensor& b, Text rounding) {
  if (rounding.empty() || rounding == "None") return of_numbers(div(a, b), a, b);
  check(rounding == "floor" || rounding == "trunc",
        "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'", rounding);
  const DType t = result_type({{&a, &b}});
  const auto quotient = [&] {
    if (rounding == "floor") return floor_divide(a, b);
    const Tensor y = trunc(div(a, b));
    return is_floating(t) ? y : to(y, t == boolean ? int64 : t);
  };
  if (!any_needs_grad({&a, &b})) return quotient();
  const Tensor y = quotient().detach();  // its gradient is 0, even where the quotient has none
  return rename_node(b->is_number ? "DivBackward3" : "DivBackward2", where(zeros_like(y, boolean), a + b, y));
}

Tensor rounded(const Tensor& x, int64_t decimals) {
  if (decimals == 0) return round(x);
  const double scale = std::pow(10.0, double(std::abs(decimals)));
  return rename_node("RoundBackward1", decimals > 0 ? round(x * scale) / scale : round(x / scale) * scale);
}

Tensor clamped_to(const Tensor& x, const MaybeNumber& min, const MaybeNumber& max) {
  return clamp(x, min.value(), max.value());
}
Tensor clamped(const Tensor& x, const Tensor& min, const Tensor& max) {
  check(bool(min) || bool(max), "torch.clamp: At least one of 'min' or 'max' must not be None");
  const Tensor least = min ? maximum(x, min) : x, value = max ? minimum(least, max) : least;
  if (!needs_grad(value)) return value;
  // The gradient goes to the operand that was chosen: to x if x equals a bound, and to no operand for NaN.
  const Tensor above = min ? x >= min : x == x, below = max ? x <= max : x == x;
  Tensor y = value.detach();
  if (min) y = where((x < min) & (max ? min < max : x == x), min, y);
  if (max) y = where(min ? (x > max) | (max < min) : x > max, max, y);
  return rename_node("ClampBackward0", where(value != value, value.detach(), where(above & below, x, y)));
}

// Halves are computed in float32 and rounded once, like PyTorch's single op.
bool all_halves(const Tensor& x, const Tensor& a, const Tensor& b) {
  const DType t = x.dtype();
  return is_narrow(t) && is_floating(t) && a.dtype() == t && b.dtype() == t;
}
template <class F>
Tensor rounded_once(const Tensor& x, const Tensor& a, const Tensor& b, F f) {
  return to(f(to(x, float32), to(a, float32), to(b, float32)), x.dtype());
}
Tensor added_product(const Tensor& x, const Tensor& a, const Tensor& b, const MaybeNumber& value) {
  if (all_halves(x, a, b))
    return rounded_once(x, a, b, [&](const auto&... wide) { return added_product(wide..., value); });
  return fused(value && *value.value() != 1 ? mul(a, value.tensor()) : a, b, x);
}
Tensor added_quotient(const Tensor& x, const Tensor& a, const Tensor& b, const MaybeNumber& value) {
  if (all_halves(x, a, b))
    return rounded_once(x, a, b, [&](const auto&... wide) { return added_quotient(wide..., value); });
  return add(x, div(value && *value.value() != 1 ? mul(a, value.tensor()) : a, b));
}
// PyTorch's node for a remainder shows whether the divisor was a tensor.
Tensor fmod_of(const Tensor& a, const Tensor& b) {
  const Tensor y = fmod(a, b);
  return b->is_number ? y : rename_node("FmodBackward1", y);
}

Tensor without_nan(const Tensor& x, std::optional<double> nan, std::optional<double> above,
                   std::optional<double> below) {
  const double largest = greatest(x.dtype());
  if (!is_floating(x.dtype())) return clone(x);
  Tensor y = where(isnan(x), Tensor(nan.value_or(0)), x);
  y = where(x == INFINITY, Tensor(above.value_or(largest)), y);
  return rename_node("NanToNumBackward0", where(x == -INFINITY, Tensor(below.value_or(-largest)), y));
}
void check_real(const char* kernel, const Tensor& a, const Tensor& b) {
  const DType t = result_type({{&a, &b}});
  check(is_floating(t), "\"{}\" not implemented for '{}'", kernel, scalar_type_name(t));
}
// Scales the numbers to 1, or computes float32 in float64, so that no square overflows or underflows.
// Infinity and NaN give infinity.
Tensor hypotenuse(const Tensor& a, const Tensor& b) {
  check_real("hypot_cpu", a, b);
  if (a.dtype() == float32 && b.dtype() == float32) {
    const Tensor u = to(a, float64), v = to(b, float64);
    return rename_node("HypotBackward0",
                       where(isinf(a) | isinf(b), INFINITY, to(sqrt(u * u + v * v), float32)));
  }
  const Tensor size = maximum(abs(a), abs(b)).detach(), plain = (size == 0) | logical_not(isfinite(size));
  const Tensor by = where(plain, 1, size), u = a / by, v = b / by;
  const Tensor y = sqrt(u * u + v * v) * by;
  return rename_node("HypotBackward0", where(isinf(a) | isinf(b), INFINITY, y));
}
Tensor log_of_sum(const Tensor& a, const Tensor& b) {
  check_real("logaddexp_cpu", a, b);
  if (all_halves(a, b, b))
    return rename_node("LogaddexpBackward0", to(log_of_sum(to(a, float32), to(b, float32)), a.dtype()));
  const Tensor top = maximum(a, b);
  return rename_node("LogaddexpBackward0",
                     where(a == b, (a * 0.5 + b * 0.5) + std::log(2.0), top + log1p(exp(-abs(a - b)))));
}
Tensor log2_of_sum(const Tensor& a, const Tensor& b) {
  check_real("logaddexp2_cpu", a, b);
  const Tensor apart = where(a == b, 0.0, a - b);  // also for two equal infinities
  return rename_node("Logaddexp2Backward0", maximum(a, b) + log2(1 + exp2(-abs(apart))));
}
Tensor log_odds(const Tensor& x, const std::optional<double>& eps) {
  const Tensor real = is_floating(x.dtype()) ? x : to(x, default_dtype());
  const Tensor p = eps ? clamp(real, *eps, 1 - *eps) : real;
  // At 0 and 1 take the logarithms separately: the quotient's gradient would be 0 · ∞. Outside: NaN.
  const Tensor at_end = (p == 0) | (p == 1), outside = (p < 0) | (p > 1);
  const Tensor inner = where(at_end | outside, 0.5, p), end = where(outside, 0.5, p);
  const Tensor y = where(at_end, log(end) - log(1 - end), log(inner / (1 - inner)));
  return rename_node("LogitBackward0", where(outside, sqrt(where(outside, -abs(p), 1)), y));
}
Tensor fraction(const Tensor& x) {
  check(is_floating(x.dtype()), "\"frac_cpu\" not implemented for '{}'", scalar_type_name(x.dtype()));
  return rename_node("FracBackward0", x - trunc(x));
}
Tensor in_radians(const Tensor& x) { return rename_node("Deg2RadBackward0", x * 0.017453292519943295); }
Tensor in_degrees(const Tensor& x) { return rename_node("Rad2DegBackward0", x * 57.29577951308232); }
void check_shift(const char* kernel, const Tensor& a, const Tensor& b) {
  const DType t = result_type({{&a, &b}});
  check(t != boolean && !is_floating(t), "\"{}\" not implemented for '{}'", kernel, scalar_type_name(t));
}
Tensor power_of_two(const Tensor& exponent) { return pow(full({}, 2, int64), exponent); }
// Computed in float64: 1 − erf(x) has few digits left for large x.
Tensor error_complement(const Tensor& x) {
  const DType t = is_floating(x.dtype()) ? x.dtype() : default_dtype();
  return rename_node("ErfcBackward0", to(1 - erf(to(x, float64)), t));
}

}  // namespace

Tensor shifted_left(const Tensor& a, const Tensor& b) {
  check_shift("lshift_cpu", a, b);
  const DType t = result_type({{&a, &b}});
  const Tensor by = to(b, int64), fits = (by >= 0) & (by < 8 * item_size(t));
  return to(where(fits, to(a, int64) * power_of_two(where(fits, by, 0)), 0), t);  // int64 wraps
}
Tensor shifted_right(const Tensor& a, const Tensor& b) {
  check_shift("rshift_cpu", a, b);
  const DType t = result_type({{&a, &b}});
  const Tensor by = to(b, int64), x = to(a, int64);
  const Tensor fits = (by >= 0) & (by < 8 * item_size(t) - (t != uint8));
  return to(where(fits, floor_divide(x, power_of_two(where(fits, by, 0))), where(x < 0, -1, 0)), t);
}

Tensor wide_half(const Tensor& x) { return is_floating(x.dtype()) ? to(x, computed_in(x.dtype())) : x; }

Tensor rounded_factor(const Tensor& factor, DType dtype) {
  const bool rounds = is_narrow(dtype) && is_floating(dtype);
  return rounds ? Tensor(converted(factor, dtype).item()) : factor;
}

Tensor fused(const Tensor& a, const Tensor& b, const Tensor& c) {
  const DType t = c.dtype();
  const auto fits = [&](const Tensor& x) { return x.dtype() == t || x->is_number; };
  if (any_needs_grad({&a, &b, &c}) || !has_wider_float(t) || !fits(a) || !fits(b)) return add(mul(a, b), c);
  const NoGrad no_graph;
  const auto wide = [&](const Tensor& x) { return to(to(x, t), float64); };  // holds a product exactly
  return to(add(mul(wide(a), wide(b)), wide(c)), t);
}

Tensor lerped(const Tensor& start, const Tensor& end, const Tensor& weight) {
  const auto check_type = [&](const Tensor& x, const char* name) {
    check(x.dtype() == start.dtype(), "expected dtype {} for `{}` but got dtype {}",
          cpp_type_name(start.dtype()), name, cpp_type_name(x.dtype()));
  };
  check_type(end, "end");
  if (!weight->is_number) check_type(weight, "weight");
  check(is_floating(start.dtype()), "\"lerp_kernel_{}\" not implemented for '{}'",
        weight->is_number ? "scalar" : "tensor", scalar_type_name(start.dtype()));
  if (all_halves(start, end, weight->is_number ? start : weight)) {
    const Tensor wide = weight->is_number ? weight : to(weight, float32);
    return rename_node(weight->is_number ? "LerpBackward0" : "LerpBackward1",
                       to(lerped(to(start, float32), to(end, float32), wide), start.dtype()));
  }
  const Tensor way = end - start;
  if (weight->is_number) {
    const double w = weight.item();
    const double back = start.dtype() == float32 ? float(w) - 1.0f : w - 1;
    return rename_node("LerpBackward0", std::abs(w) < 0.5 ? fused(way, w, start) : fused(way, back, end));
  }
  return rename_node("LerpBackward1",
                     where(abs(weight) < 0.5, fused(weight, way, start), fused(weight - 1, way, end)));
}

Tensor remainder_of(const Tensor& a, const Tensor& b) {
  const Tensor y = remainder(a, b);
  return b->is_number ? y : rename_node("RemainderBackward1", y);
}

Rows pointwise_rows() {
  Rows rows = listed();
  const Rows more = {
#define GG_ADD(name, function)                                                                         \
  row(kBoth, name "(TensorOrNumber input, TensorOrNumber other, *, Scalar alpha=1, Tensor? out=None)", \
      call<function>)
      GG_ADD("add", add_scaled).help("input + alpha · other; shapes broadcast."),
#define GG_OLD(name, function)                                                              \
  row(kBoth, name "(Tensor input, Scalar alpha, Tensor other, *, Tensor? out=None)|hidden", \
      [](const Tensor& a, const MaybeNumber& alpha, const Tensor& b) { return function(a, b, alpha); })
      GG_OLD("add", add_scaled),
      GG_OLD("sub", sub_scaled).help("input − alpha · other; shapes broadcast."),
      GG_ADD("sub", sub_scaled),
      GG_ADD("subtract", sub_scaled).out({}, "sub").help("sub.").in_place(kMethod),
      row(kTorch, "rsub(Tensor input, TensorOrNumber other, *, Scalar alpha=1)",
          [](const Tensor& a, const Tensor& b, const MaybeNumber& alpha) {
            return alpha ? sub(b, mul(a, alpha.tensor())) : rsub(a, b);
          })
          .help("other − alpha · input."),
#define GG_BINARY(name, function)                                           \
  row(kBoth, name "(TensorOrNumber input, TensorOrNumber other" GG_OUT ")", \
      [](const Tensor& a, const Tensor& b) { return of_numbers(function(a, b), a, b); })
      GG_BINARY("mul", mul).help("input · other; shapes broadcast."),
      GG_BINARY("multiply", mul).out({}, "mul").help("mul.").in_place(kMethod),
      GG_BINARY("true_divide", div).out({}, "div").help("input / other.").in_place(kMethod),
      GG_BINARY("floor_divide", floor_divide).help("⌊input / other⌋; shapes broadcast.").in_place(kMethod),
#define GG_TENSORS(name, function) row(kBoth, name "(Tensor input, Tensor other" GG_OUT ")", call<function>)
#define GG_NUMBER_FIRST(name, function) row(kTorch, name "(Scalar self, Tensor other)", call<function>)
#define GG_NUMBER_LAST(name, function) \
  row(kBoth, name "(Tensor input, Scalar other" GG_OUT ")", call<function>)
      GG_TENSORS("remainder", remainder_of)
          .help("What is left of input divided by other, with other's sign."),
      GG_NUMBER_FIRST("remainder", remainder_of),
      GG_NUMBER_LAST("remainder", remainder_of),
      GG_TENSORS("fmod", fmod_of)
          .help("What is left of input divided by other, with input's sign.")
          .in_place(kMethod),
      GG_NUMBER_LAST("fmod", fmod_of),
      GG_TENSORS("bitwise_and", bitwise_and).help("input & other, of ints or bools.").in_place(kMethod),
      GG_NUMBER_FIRST("bitwise_and", bitwise_and),
      GG_NUMBER_LAST("bitwise_and", bitwise_and),
      GG_TENSORS("bitwise_or", bitwise_or).help("input | other, of ints or bools.").in_place(kMethod),
      GG_NUMBER_FIRST("bitwise_or", bitwise_or),
      GG_NUMBER_LAST("bitwise_or", bitwise_or),
      GG_TENSORS("bitwise_xor", bitwise_xor).help("input ^ other, of ints or bools.").in_place(kMethod),
      GG_NUMBER_FIRST("bitwise_xor", bitwise_xor),
      GG_NUMBER_LAST("bitwise_xor", bitwise_xor),
      GG_TENSORS("bitwise_left_shift", shifted_left).help("input · 2^other, of ints.").in_place(kMethod),
      GG_NUMBER_FIRST("bitwise_left_shift", shifted_left),
      GG_NUMBER_LAST("bitwise_left_shift", shifted_left),
      GG_TENSORS("bitwise_right_shift", shifted_right).help("⌊input / 2^other⌋, of ints.").in_place(kMethod),
      GG_NUMBER_FIRST("bitwise_right_shift", shifted_right),
      GG_NUMBER_LAST("bitwise_right_shift", shifted_right),
#define GG_DIV(name)                                                                                    \
  GG_BINARY(name, div).out({}, "div"),                                                                  \
      row(kBoth,                                                                                        \
          name "(TensorOrNumber input, TensorOrNumber other, *, str? rounding_mode, Tensor? out=None)", \
          call<divided>)                                                                                \
          .out({}, "div")
      GG_DIV("div").help("input / other; rounding_mode 'floor' or 'trunc' gives whole numbers."),
      GG_DIV("divide")
          .help("input / other; rounding_mode 'floor' or 'trunc' gives whole numbers.")
          .in_place(kMethod),
      row(kBoth, "pow(Tensor input, Tensor exponent" GG_OUT ")", call<only<Tensor(T, T)>(pow)>)
          .help("input to the power of exponent.")
          .autocast_on_gpu(kWide),
      row(kTorch, "pow(Scalar self, Tensor exponent" GG_OUT ")", call<pow_base>),
      row(kBoth, "pow(Tensor input, Scalar exponent" GG_OUT ")", call<pow_number>),
      row(kBoth, "float_power(Tensor input, Tensor exponent" GG_OUT ")",
          [](const Tensor& x, const Tensor& e) { return pow(to(x, float64), to(e, float64)); })
          .help("pow in float64.")
          .in_place(kMethod)
          .out(same("the output given to float_power has dtype {G} but the operation's result requires dtype "
                    "{E}")),
      row(kBoth, "float_power(Tensor input, Scalar exponent" GG_OUT ")",
          [](const Tensor& x, const Tensor& e) { return pow_number(to(x, float64), e); })
          .out(same("the output given to float_power has dtype {G} but the operation's result requires dtype "
                    "{E}")),
      row(kTorch, "float_power(Scalar self, Tensor exponent" GG_OUT ")",
          [](const Tensor& x, const Tensor& e) { return pow_base(to(x, float64), to(e, float64)); })
          .out(same("the output given to float_power has dtype {G} but the operation's result requires dtype "
                    "{E}")),
      row(kBoth, "square(Tensor input" GG_OUT ")",
          [](const Tensor& x) { return square(x.dtype() == boolean ? to(x, int64) : x); })
          .help("input · input.")
          .autocast_on_gpu(kWide)
          .out({}, "pow"),
      row(kBoth, "round(Tensor input, *, int decimals=0, Tensor? out=None)", call<rounded>)
          .help("The nearest number with so many decimals, of two the even one.")
          .out(kFound),
#define GG_ALIAS(name, function) row(kBoth, name "(Tensor input" GG_OUT ")", call<function>)
      GG_ALIAS("absolute", abs).out(kFound, "abs").help("abs.").in_place(kMethod),
      GG_ALIAS("negative", neg).out(kFound, "neg").help("neg.").in_place(kBoth),
      GG_ALIAS("fix", trunc).out(kFound, "trunc").help("trunc.").in_place(kBoth),
      GG_ALIAS("arcsin", asin).autocast_on_gpu(kWide).in_place(kBoth),
      GG_ALIAS("arccos", acos).autocast_on_gpu(kWide).in_place(kBoth),
      GG_ALIAS("arctan", atan).in_place(kBoth),
      GG_ALIAS("arcsinh", asinh).in_place(kBoth),
      GG_ALIAS("arccosh", acosh).in_place(kBoth),
      GG_ALIAS("arctanh", atanh).in_place(kBoth),
      GG_ALIAS("deg2rad", in_radians).in_place(kBoth),
      GG_ALIAS("rad2deg", in_degrees).in_place(kBoth),
      row(kBoth, "positive(Tensor input)",
          [](const Tensor& x) {
            check(x.dtype() != boolean, "The `+` operator, on a bool tensor is not supported.");
            return x;
          })
          .help("The tensor itself."),
#define GG_WITHOUT_OUT(name) row(kBoth, #name "(Tensor input)", [](T x) { return glassgrad::name(x); })
      GG_WITHOUT_OUT(relu),
      GG_WITHOUT_OUT(isnan),
      GG_WITHOUT_OUT(isinf),
      GG_WITHOUT_OUT(isfinite),
      row(kBoth, "logit(Tensor input, float? eps=None" GG_OUT ")", call<log_odds>)
          .help("log(input / (1 − input)).")
          .in_place(kBoth),
      row(kBoth, "frac(Tensor input" GG_OUT ")", call<fraction>)
          .help("input − trunc(input).")
          .in_place(kBoth)
          .out(kFound),
      row(kBoth, "erfc(Tensor input" GG_OUT ")", call<error_complement>)
          .help("1 − erf(input).")
          .in_place(kBoth),
      row(kBoth, "hypot(Tensor input, Tensor other" GG_OUT ")", call<hypotenuse>)
          .help("√(input² + other²).")
          .in_place(kMethod),
      row(kBoth, "logaddexp(Tensor input, Tensor other" GG_OUT ")", call<log_of_sum>)
          .help("log(exp(input) + exp(other))."),
      row(kBoth, "logaddexp2(Tensor input, Tensor other" GG_OUT ")", call<log2_of_sum>)
          .help("log2(2^input + 2^other)."),
#define GG_CLAMP(name)                                                                                  \
  row(kBoth, name "(Tensor input, Tensor? min=None, Tensor? max=None" GG_OUT ")", call<clamped>)        \
      .out({}, "clamp"),                                                                                \
      row(kBoth, name "(Tensor input, Scalar? min=None, Scalar? max=None" GG_OUT ")", call<clamped_to>) \
          .out(kFound, "clamp")
      GG_CLAMP("clamp").help("min where input is below it, max where it is above it, else input."),
      GG_CLAMP("clip").help("min where input is below it, max where it is above it, else input."),
      row(kBoth, "clamp_min(Tensor input, Scalar min" GG_OUT ")",
          [](const Tensor& x, double min) { return rename_node("ClampMinBackward0", clamp(x, min)); })
          .help("clamp(input, min).")
          .out(kFound),
      row(kBoth, "clamp_max(Tensor input, Scalar max" GG_OUT ")",
          [](const Tensor& x, double max) { return rename_node("ClampMaxBackward0", clamp(x, {}, max)); })
          .help("clamp(input, max=max).")
          .out(kFound),
      row(kBoth, "addcmul(Tensor input, Tensor tensor1, Tensor tensor2, *, Scalar value=1, Tensor? out=None)",
          [](const Tensor& x, const Tensor& a, const Tensor& b, const MaybeNumber& v) {
            return rename_node("AddcmulBackward0", added_product(x, a, b, v));
          })
          .help("input + value · tensor1 · tensor2.")
          .autocast_on_gpu(kWidest),
      row(kBoth, "addcdiv(Tensor input, Tensor tensor1, Tensor tensor2, *, Scalar value=1, Tensor? out=None)",
          [](const Tensor& x, const Tensor& a, const Tensor& b, const MaybeNumber& v) {
            return rename_node("AddcdivBackward0", added_quotient(x, a, b, v));
          })
          .help("input + value · tensor1 / tensor2.")
          .autocast_on_gpu(kWidest),
      row(kBoth, "lerp(Tensor input, Tensor end, Tensor weight" GG_OUT ")", call<lerped>)
          .help("input + weight · (end − input).")
          .out(kFound),
      row(kBoth, "lerp(Tensor input, Tensor end, Scalar weight" GG_OUT ")", call<lerped>),
      row(kBoth,
          "nan_to_num(Tensor input, float? nan=None, float? posinf=None, float? neginf=None" GG_OUT ")",
          call<without_nan>)
          .help("nan (0), posinf and neginf (the greatest and the least number) instead of those.")
          .in_place(kBoth)
          .out(same("nan_to_num: dtype of out: {G} should be same as input: {E}")),
      row(kBoth, "clone(Tensor input, *, MemoryFormat? memory_format=None)", call<clone>)
          .help("A copy, which the gradient goes through."),
  };
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace glassgrad::GG_HOST
