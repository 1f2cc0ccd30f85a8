// Elementwise functions that are a single op in PyTorch and several in the engine.
#include <cmath>
#include <numbers>

#include "engine/ops/promote.h"
#include "table.h"

namespace glassgrad::GG_HOST {

namespace {

// True where the sign is minus, also for -0.
Tensor is_signed(const Tensor& x) {
  const Tensor below = x < 0;
  return is_floating(x.dtype()) ? below | ((x == 0) & (1 / x < 0)) : below;
}

Tensor with_sign(const Tensor& input, const Tensor& other) {
  const bool other_decides = is_floating(other.dtype()) && !other->is_number;
  const Tensor x = is_floating(input.dtype()) || other_decides ? input : to(input, default_dtype());
  Tensor factor = to(where(is_signed(other), -1.0, 1.0), other_decides ? other.dtype() : x.dtype());
  if (needs_grad(other)) factor = factor + 0 * where(isnan(other), 0.0, sign(other));  // its gradient is 0
  return rename_node(other->is_number ? "CopysignBackward1" : "CopysignBackward0", abs(x) * factor);
}

Tensor unit_step(const Tensor& x, const Tensor& at_zero) {
  check(x.dtype() == at_zero.dtype(), "heaviside is not yet implemented for tensors with different dtypes.");
  return where(x == 0, at_zero, to(x > 0, x.dtype()));
}

// a · log(b); 0 where a is 0 and b is not NaN.
Tensor times_log(const Tensor& a, const Tensor& b) {
  const auto real = [](const Tensor& v) { return v->is_number ? full({}, v.item(), default_dtype()) : v; };
  const Tensor x = real(a), y = real(b);
  const Tensor nothing = (x == 0) & ((y <= 0) | (y == INFINITY));
  Tensor value = x * log(where(nothing, 1.0, y));
  value = where(x == 0, value + 0.0, value);  // 0 and not -0
  if (needs_grad(y)) {                        // at (0, 0) its gradient x/y is NaN, like this root's
    const Tensor both = nothing & (y == 0);
    value = where(both, sqrt(square(where(both, y, 1.0))), value);
  }
  return rename_node(a->is_number   ? "XlogyBackward1"
                     : b->is_number ? "XlogyBackward2"
                                    : "XlogyBackward0",
                     value);
}

Tensor sine_over_angle(const Tensor& input) {
  const Tensor wide = wide_half(input), at_zero = wide == 0;
  const Tensor angle = where(at_zero, 1.0, wide) * M_PI, y = where(at_zero, 1.0, sin(angle) / angle);
  return rename_node("SincBackward0", is_floating(input.dtype()) ? to(y, input.dtype()) : y);
}

// ln Γ_p(x) = p(p − 1)/4 · ln π + Σ ln Γ(x − i/2) over i < p.
Tensor multivariate_lgamma(const Tensor& x, int64_t p) {
  check(p >= 1, "p has to be greater than or equal to 1");
  const DType t = is_floating(x.dtype()) ? x.dtype() : default_dtype();
  const Tensor shifts = arange(0, -double(p) / 2, -0.5, t);
  const Tensor each = sum(lgamma(x.unsqueeze(-1) + shifts), {-1});
  return rename_node("MvlgammaBackward0", each + double(p * (p - 1)) / 4 * std::log(std::numbers::pi));
}

}  // namespace

Rows special_rows() {
  return {
#define GG_UNARY(name, function) row(kBoth, name "(Tensor input" GG_OUT ")", function)
#define GG_PAIR(name, other, function) row(kBoth, name "(Tensor input, " other GG_OUT ")", function)
      GG_UNARY("sgn", [](const Tensor& x) { return rename_node("SgnBackward0", sign(x)); })
          .help("1, 0 or −1, as the sign of input.")
          .in_place(kMethod)
          .out(kFound),
      GG_UNARY("signbit", call<is_signed>)
          .help("Has it a minus, as −0 has too? bool.")
          .out(same("signbit does not support non-boolean outputs.")),
      GG_UNARY("sinc", call<sine_over_angle>).help("sin(π · input)/(π · input), 1 at 0.").in_place(kBoth),
      row(kTorch, "polygamma(int n, Tensor input" GG_OUT ")",
          [](int64_t n, const Tensor& x) { return polygamma(n, x); })
          .help("The nth derivative of digamma.")
          .in_place(kMethod),
      row(kMethod, "polygamma(Tensor self, int n)",
          [](const Tensor& x, int64_t n) { return polygamma(n, x); }),
      row(kBoth, "mvlgamma(Tensor input, int p" GG_OUT ")", call<multivariate_lgamma>)
          .help("p(p − 1)/4 · ln π + Σ ln Γ(input − i/2) over i < p: the logarithm of the multivariate "
                "gamma function.")
          .in_place(kMethod),
      GG_UNARY("isposinf", [](const Tensor& x) { return x == INFINITY; })
          .help("input = ∞, bool.")
          .out(same("isposinf does not support non-boolean outputs.")),
      GG_UNARY("isneginf", [](const Tensor& x) { return x == -INFINITY; })
          .help("input = −∞, bool.")
          .out(same("isneginf does not support non-boolean outputs.")),
      row(kBoth, "isreal(Tensor input)", [](const Tensor& x) { return ones_like(x, boolean); })
          .help("True: each number of a real tensor is real."),
      GG_PAIR("copysign", "Tensor other", call<with_sign>)
          .help("|input| with the sign of other.")
          .in_place(kMethod),
      GG_PAIR("copysign", "Scalar other", call<with_sign>),
      GG_PAIR("heaviside", "Tensor values", call<unit_step>)
          .help("0 below 0, 1 above, values at 0.")
          .in_place(kMethod)
          .out(same("heaviside is not yet implemented for tensors with different dtypes.")),
      GG_PAIR("xlogy", "Tensor other", call<times_log>),
      row(kTorch, "xlogy(Scalar self, Tensor other" GG_OUT ")", call<times_log>)
          .help("input · log(other), 0 where input is 0 and other is a number.")
          .in_place(kBoth),
      GG_PAIR("xlogy", "Scalar other", call<times_log>),
      // For equal operands the result is the input, which gets the whole gradient.
      GG_PAIR("fmax", "Tensor other",
              [](const Tensor& a, const Tensor& b) {
                return rename_node("FmaxBackward0", where((a >= b) | isnan(b), a, b));
              })
          .help("The greater one, or the one that is a number."),
      GG_PAIR("fmin", "Tensor other",
              [](const Tensor& a, const Tensor& b) {
                return rename_node("FminBackward0", where((a <= b) | isnan(b), a, b));
              })
          .help("The lesser one, or the one that is a number."),
#undef GG_UNARY
#undef GG_PAIR
  };
}

}  // namespace glassgrad::GG_HOST
