// The pointwise ops: compiles the rows of pointwise.def and their derivatives for tensors.
#include "pointwise.h"

#include <algorithm>
#include <limits>

#include "../core/default_float64.h"
#include "dims.h"

namespace glassgrad {

// ---- which dtypes an op takes
namespace {

void check_numeric(const PointwiseOp& row, DType t, Operands in) {
  if (has_trait(row.id, Trait::names_b_first)) broadcast(in[1]->shape(), in[0]->shape());
  const auto is_bool = [](const Tensor* x) { return x->dtype() == boolean; };
  if (has_trait(row.id, Trait::subtracts)) {
    check(!std::all_of(in.begin(), in.end(), is_bool),
          "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
          "`logical_xor()` operator instead.");
    check(!std::any_of(in.begin(), in.end(), is_bool),
          "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert "
          "a mask, use the `~` or `logical_not()` operator instead.");
  }
  check(!has_trait(row.id, Trait::negates) || t != boolean,
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, "
        "use the `~` or `logical_not()` operator instead.");
  check(!has_trait(row.id, Trait::refuses_bool) || t != boolean, "Boolean inputs not supported for {}",
        row.op.name);
}

// Integers cannot be divided by zero.
void check_divisor(const Tensor& b) {
  const auto values = b.to_vector<int64_t>();
  check(std::find(values.begin(), values.end(), 0) == values.end(), "ZeroDivisionError");
}

// The kernel's name in PyTorch's error texts.
std::string kernel_name(const PointwiseOp& row) {
#define KERNEL(name, torch_name) \
  if (row.id == PointwiseId::name) return torch_name;
#include "../numbers/pointwise.def"
  return std::string(row.op.name) + "_cpu";
}

void check_defined(const PointwiseOp& row, DType t) {
  if (kernels().pointwise.rows[int(row.id)].value[int(computed_in(t))]) [[likely]]
    return;
  fail("\"{}\" not implemented for '{}'", kernel_name(row), scalar_type_name(t));
}

}  // namespace

DType operand_type(const PointwiseOp& row, Operands in) {
  const bool alike =
      std::all_of(in.begin(), in.end(), [&](const Tensor* x) { return x->dtype() == in[0]->dtype(); });
  const DType t = alike && in[0]->dtype() != float64 ? in[0]->dtype() : result_type(in);
  if (row.kind == TypePromotionKind::numeric) check_numeric(row, t, in);
  return row.kind == TypePromotionKind::real && !is_floating(t) ? scope_dtype(float32) : t;
}

// ---- the loops
namespace {

// True if operand k must be rounded to the narrow dtype t before it is used. That is so for an operand of a
// different dtype, except a number that PyTorch multiplies with or divides by. Among a row's own numbers,
// only an exponent or a base is rounded.
bool rounds_operand(const PointwiseOp& row, DType t, Operands in, size_t k) {
  if (!is_narrow(t) || in[k]->dtype() == t) return false;
  const bool is_kept = k == 1 ? has_trait(row.id, Trait::keeps_number_b)
                              : has_trait(row.id, Trait::keeps_number_a) && (*in[k])->is_number;
  return !(is_kept && in[k]->dim() == 0);
}
double rounded_number(const PointwiseOp& row, DType t, double number) {
  return is_narrow(t) && has_trait(row.id, Trait::rounds_number) ? converted(number, t).item() : number;
}

// Returns the parts of x and y that are left over after PyTorch's loop over halves, which takes 32 neighbours
// at a time.
std::pair<Tensor, Tensor> left_over(const Tensor& x, const Tensor& y) {
  constexpr int64_t kAtATime = 32;
  std::vector<int> dims;
  for (int d = 0; d < y.shape().n; ++d)
    if (y.shape()[d] != 1) dims.push_back(d);
  std::sort(dims.begin(), dims.end(), [&](int a, int b) { return y.strides()[a] < y.strides()[b]; });
  int64_t run = 1;  // how many neighbours are adjacent in both
  Dims shape, of_x, of_y;
  for (const int d : dims) {
    if (shape.n == 0 && y.strides()[d] == run && x.strides()[d] == run) {
      run *= y.shape()[d];
      continue;
    }
    shape.push(y.shape()[d]), of_x.push(x.strides()[d]), of_y.push(y.strides()[d]);
  }
  const int64_t rest = run % kAtATime;
  shape.push(rest), of_x.push(1), of_y.push(1);
  return {part(x, run - rest, shape, of_x), part(y, run - rest, shape, of_y)};
}

// Within whole groups PyTorch rounds rsqrt once; in the elements left over, it also rounds the root.
template <class LoopOf>
void rsqrt_of_halves(const Tensor& y, DType t, const Tensor& x, const LoopOf& loop_of) {
  const auto [x_rest, y_rest] = left_over(x, y);
  Tensor rest;  // compute it before the main loop, because y may be x
  if (y_rest.numel() > 0) {
    rest = empty_contiguous(y_rest.shape(), t, y.device());
    Loop root(rest, t), inverse(rest, t);
    root.add(x_rest);
    root.run(loop_of(PointwiseId::sqrt));
    inverse.add(rest);
    inverse.run(loop_of(PointwiseId::reciprocal));
  }
  Loop whole(y, t);
  whole.add(x);
  whole.run(loop_of(PointwiseId::rsqrt));
  if (rest) assign(y_rest, rest);
}

void run_value(const Tensor& y, const PointwiseOp& row, DType t, Operands in, NumberSpan numbers) {
  const auto loop_of = [&](PointwiseId id) {
    return [id, t](const auto& table) { return table.rows[int(id)].value[int(computed_in(t))]; };
  };
  if (is_narrow(t) && has_trait(row.id, Trait::rounds_root)) return rsqrt_of_halves(y, t, *in[0], loop_of);
  if (is_integer(t) && has_trait(row.id, Trait::refuses_integer_zero)) check_divisor(*in[1]);
  Loop loop(y, t);
  for (size_t k = 0; k < in.size(); ++k) {
    if (rounds_operand(row, t, in, k)) [[unlikely]]
      loop.add(converted(*in[k], t));
    else
      loop.add(*in[k]);
  }
  for (double number : numbers) loop.add_number(rounded_number(row, t, number));
  loop.run(loop_of(row.id));
}

}  // namespace

Tensor value_of(const PointwiseOp& row, DType t, Operands in, NumberSpan numbers) {
  check_defined(row, t);
  Tensor y = new_result(broadcast(in), row.kind == TypePromotionKind::compare ? boolean : t, in);
  run_value(y, row, t, in, numbers);
  return y;
}

void value_into(const Tensor& x, const PointwiseOp& row, DType t, Operands in, NumberSpan numbers) {
  if (t == x.dtype()) {
    check_defined(row, t);
    run_value(x, row, t, in, numbers);
  } else {
    assign(x, value_of(row, t, in, numbers));
  }
}

Tensor derivative_of(const PointwiseOp& row, int k, unsigned named, Operands all, NumberSpan numbers,
                     Attr attr) {
  const Op& op = row.derivative[size_t(k)];
  const Tensor& g = *all[0];
  const Tensor* read[kMaxOperands];
  size_t count = 0;
  for (size_t i = 0; i < all.size(); ++i)
    if (named >> i & 1) read[count++] = all[i];
  const Operands in(read, count);

  const Tensor d = new_result(g.shape(), g.dtype(), in);
  Loop loop(d, g.dtype());
  for (size_t i = 0; i < all.size(); ++i) named >> i & 1 ? loop.add(*all[i]) : loop.skip();
  for (double number : numbers) loop.add_number(number);
  loop.run(
      [&](const auto& table) { return table.rows[int(row.id)].derivative[k][int(computed_in(g.dtype()))]; });
  tell([&](Observer& o) { o.op({op, attr, in, {&d, 1}, in_backward_of}); });
  return d;
}

// ---- the table, compiled for tensors and for numbers in explanations
namespace {

Tensor zero(const Tensor& g) { return zeros_like(g); }
Tensor choose(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return condition.is_true() ? a : b;
}
Tensor power(const Tensor& x, const Tensor& exponent) { return pow_number(x, exponent); }

Tensor fma(const Tensor& a, const Tensor& b, const Tensor& c) { return a * b + c; }
Tensor normal_cdf(const Tensor& x) { return 0.5 * (1.0 + erf(x * 0.7071067811865476)); }
Tensor normal_pdf(const Tensor& x) { return exp(x * x * -0.5) * 0.3989422804014327; }

Expr zero(const Expr&) { return Expr(0.0); }
Expr choose(const Expr& condition, const Expr& a, const Expr& b) { return where(condition, a, b); }

// Explains cell c of row R's value. Converts operands and the formula's own numbers to the dtype in which the
// loop computes.
template <class R>
Expr why_value(const Cell& c) {
  if constexpr (R::kNumbers) {
    return R::of(c.attr<ScalarArguments<R>>(), cast(c.in(0), c.dtype()));
  } else {
    const DType t = operand_type(R::kRow, c.call.in);
    const ConstantsAs dtype(computed_in(t));
    const auto operand = [&](size_t k) {
      return cast(rounds_operand(R::kRow, t, c.call.in, k) ? cast(c.in(k), t) : c.in(k), computed_in(t));
    };
    if constexpr (R::kOperands == 1)
      return R::of(NoAttr(), operand(0));
    else
      return R::of(NoAttr(), operand(0), operand(1));
  }
}

// The same for derivative k. The inputs of its loop are the operands that its formula names.
template <class R, int k>
Expr why_derivative(const Cell& c) {
  auto named = [&c, next = size_t{0}](char letter) mutable {
    return names(c.call.op.formula, letter) ? cast(c.in(next++), c.dtype()) : Expr(0.0);
  };
  const Expr g = named('g');
  if constexpr (R::kOperands == 1) {
    const Expr x = named('x'), y = named('y');
    if constexpr (R::kNumbers)
      return R::template derivative<k>(c.attr<ScalarArguments<R>>(), g, x, y);
    else
      return R::template derivative<k>(NoAttr(), g, x, y);
  } else {
    const Expr a = named('a'), b = named('b'), y = named('y');
    return R::template derivative<k>(NoAttr(), g, a, b, y);
  }
}

#define GG_V [[maybe_unused]] const V&
#define GG_ROW(name, kind, node, value, derivatives)                              \
  static constexpr PointwiseOp kRow{PointwiseId::name,                            \
                                    TypePromotionKind::kind,                      \
                                    {#name, node, #value, why_value<name##_row>}, \
                                    derivatives};
#define GG_DERIVATIVE(name, k, text) \
  { #name "_backward", "", #text, why_derivative < name##_row, k> }
#define UNARY(name, kind, node, value, dx)                             \
  struct name##_row {                                                  \
    static constexpr int kOperands = 1;                                \
    static constexpr bool kNumbers = false;                            \
    static constexpr const char* kLetters = "gxy";                     \
    static constexpr Op kDerivatives[] = {GG_DERIVATIVE(name, 0, dx)}; \
    GG_ROW(name, kind, node, value, kDerivatives)                      \
    template <class V>                                                 \
    static V of(const NoAttr&, GG_V x) {                               \
      return value;                                                    \
    }                                                                  \
    template <int k, class V>                                          \
    static V derivative(const NoAttr&, GG_V g, GG_V x, GG_V y) {       \
      return dx;                                                       \
    }                                                                  \
  };
#define BINARY(name, kind, node, value, da, db)                                                    \
  struct name##_row {                                                                              \
    static constexpr int kOperands = 2;                                                            \
    static constexpr bool kNumbers = false;                                                        \
    static constexpr const char* kLetters = "gaby";                                                \
    static constexpr Op kDerivatives[] = {GG_DERIVATIVE(name, 0, da), GG_DERIVATIVE(name, 1, db)}; \
    GG_ROW(name, kind, node, value, kDerivatives)                                                  \
    template <class V>                                                                             \
    static V of(const NoAttr&, GG_V a, GG_V b) {                                                   \
      return value;                                                                                \
    }                                                                                              \
    template <int k, class V>                                                                      \
    static V derivative(const NoAttr&, GG_V g, GG_V a, GG_V b, GG_V y) {                           \
      if constexpr (k == 0)                                                                        \
        return da;                                                                                 \
      else                                                                                         \
        return db;                                                                                 \
    }                                                                                              \
  };
#define UNARY_PLAIN(name, kind, value)      \
  struct name##_row {                       \
    static constexpr int kOperands = 1;     \
    static constexpr bool kNumbers = false; \
    GG_ROW(name, kind, "", value, {})       \
    template <class V>                      \
    static V of(const NoAttr&, GG_V x) {    \
      return value;                         \
    }                                       \
  };
#define BINARY_PLAIN(name, kind, value)          \
  struct name##_row {                            \
    static constexpr int kOperands = 2;          \
    static constexpr bool kNumbers = false;      \
    GG_ROW(name, kind, "", value, {})            \
    template <class V>                           \
    static V of(const NoAttr&, GG_V a, GG_V b) { \
      return value;                              \
    }                                            \
  };
#define UNARY_NUMBERS(name, kind, node, p, q, value, dx)                                            \
  struct name##_row {                                                                               \
    static constexpr int kOperands = 1;                                                             \
    static constexpr bool kNumbers = true;                                                          \
    static constexpr const char *kLetters = "gxy", *kFirst = #p, *kSecond = #q[0] == 'n' ? "" : #q; \
    static constexpr Op kDerivatives[] = {GG_DERIVATIVE(name, 0, dx)};                              \
    GG_ROW(name, kind, node, value, kDerivatives)                                                   \
    template <class V>                                                                              \
    static V of(const ScalarArguments<name##_row>& numbers, GG_V x) {                               \
      [[maybe_unused]] const V p(numbers.first), q(numbers.second);                                 \
      return value;                                                                                 \
    }                                                                                               \
    template <int k, class V>                                                                       \
    static V derivative(const ScalarArguments<name##_row>& numbers, GG_V g, GG_V x, GG_V y) {       \
      [[maybe_unused]] const V p(numbers.first), q(numbers.second);                                 \
      return dx;                                                                                    \
    }                                                                                               \
  };
#include "../numbers/pointwise.def"

}  // namespace

#define UNARY(name, ...) \
  Tensor name(const Tensor& x) { return unary<name##_row>(x); }
#define BINARY(name, ...) \
  Tensor name(const Tensor& a, const Tensor& b) { return binary<name##_row>(a, b); }
#define UNARY_PLAIN(name, ...) \
  Tensor name(const Tensor& x) { return plain<name##_row>(x); }
#define BINARY_PLAIN(name, ...) \
  Tensor name(const Tensor& a, const Tensor& b) { return plain<name##_row>(a, b); }
#define UNARY_INPLACE(name) \
  Tensor name##_(const Tensor& x) { return unary_in_place<name##_row>(x); }
#define BINARY_INPLACE(name) \
  Tensor name##_(const Tensor& x, const Tensor& b) { return binary_in_place<name##_row>(x, b); }
#include "../numbers/pointwise.def"

// ---- powers
namespace {

DType power_type(const Tensor& base, const Tensor& exponent) {
  const DType t = result_type({{&base, &exponent}});
  check(!is_integer(t) || !exponent->is_number || exponent.item<int64_t>() >= 0,
        "Integers to negative integer powers are not allowed.");
  return t;
}

}  // namespace

Tensor pow_number(const Tensor& x, const Tensor& exponent) {
  if (!exponent->is_number) return pow(x, exponent);
  const DType t = power_type(x, exponent);
  if (is_integer(t)) return pow(x, exponent);  // exact beyond 2^53
  const double e = exponent.item();
  if (e == 2 && t == x.dtype()) return square(x);
  return unary_as<pow_number_row>(t, x, ScalarArguments<pow_number_row>{e, 0});
}

Tensor pow_(const Tensor& x, const Tensor& exponent) {
  if (!exponent->is_number) return binary_in_place<pow_row>(x, exponent);
  const DType t = power_type(x, exponent);
  if (is_integer(t)) return binary_in_place<pow_row>(x, exponent);
  const double e = exponent.item();
  if (e == 2 && t == x.dtype()) return square_(x);
  return unary_in_place_as<pow_number_row>(t, x, ScalarArguments<pow_number_row>{e, 0});
}

Tensor pow_base(const Tensor& base, const Tensor& exponent) {
  if (!base->is_number) return pow(base, exponent);
  const DType t = power_type(base, exponent);
  if (is_integer(t)) return pow(base, exponent);
  return unary_as<pow_base_row>(t, exponent, ScalarArguments<pow_base_row>{base.item(), 0});
}

// ---- functions with numbers
Tensor polygamma(const Tensor& n, const Tensor& x) {
  check(n.item() >= 0, "polygamma(n, x) does not support negative n.");
  const DType t = is_floating(x.dtype()) ? x.dtype() : scope_dtype(float32);
  return unary_as<polygamma_row>(t, x, ScalarArguments<polygamma_row>{n.item(), 0});
}

Tensor gelu(const Tensor& x, std::string_view approximate) {
  check(approximate == "none" || approximate == "tanh", "approximate argument must be either none or tanh.");
  return approximate == "tanh" ? gelu_tanh(x) : gelu(x);
}

Tensor leaky_relu(const Tensor& x, double negative_slope) {
  return unary_as<leaky_relu_row>(x.dtype(), x, ScalarArguments<leaky_relu_row>{negative_slope, 0});
}

Tensor elu(const Tensor& x, double alpha) {
  return unary_as<elu_row>(x.dtype(), x, ScalarArguments<elu_row>{alpha, 0});
}

Tensor softplus(const Tensor& x, double beta, double threshold) {
  return unary_as<softplus_row>(x.dtype(), x, ScalarArguments<softplus_row>{beta, threshold});
}

namespace {

// Whole numbers as bounds keep an integer tensor's dtype.
DType clamp_type(const Tensor& x, std::optional<double> min, std::optional<double> max) {
  check(min || max, "torch.clamp: At least one of 'min' or 'max' must not be None");
  const auto whole = [](std::optional<double> bound) { return !bound || *bound == double(int64_t(*bound)); };
  if (is_floating(x.dtype())) return x.dtype();
  const DType t = x.dtype() == boolean ? int64 : x.dtype();
  return whole(min) && whole(max) ? t : scope_dtype(float32);
}
ScalarArguments<clamp_row> bounds(std::optional<double> min, std::optional<double> max) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {min.value_or(-kInfinity), max.value_or(kInfinity)};
}

}  // namespace

Tensor clamp(const Tensor& x, std::optional<double> min, std::optional<double> max) {
  return unary_as<clamp_row>(clamp_type(x, min, max), x, bounds(min, max));
}
Tensor clamp_(const Tensor& x, std::optional<double> min, std::optional<double> max) {
  return unary_in_place_as<clamp_row>(clamp_type(x, min, max), x, bounds(min, max));
}

}  // namespace glassgrad
