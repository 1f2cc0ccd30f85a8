// In-place forms. Where the engine has none of its own, the result is computed beside the tensor and copied
// in.
#include <algorithm>

#include "engine/ops/promote.h"
#include "table.h"

namespace glassgrad::GG_HOST {

namespace {

// a += alpha·b in one rounding, as PyTorch has it, where no graph asks for a product of its own.
Tensor add_in_place(const Tensor& a, const Tensor& b, double alpha) {
  if (alpha == 1) return add_(a, b);
  const bool is_half = is_narrow(a.dtype()) && is_floating(a.dtype());
  if (is_half || a.dtype() != b.dtype() || any_needs_grad({&a, &b})) {
    if (!is_floating(a.dtype())) return add_(a, mul(b, int64_t(alpha)));
    return add_(a, mul(b, rounded_factor(alpha, a.dtype())));
  }
  return is_floating(a.dtype()) ? copy_(a, fused(b, alpha, a)) : add_(a, mul(b, int64_t(alpha)));
}
// f(a, b) where a was, if it fits there.
template <class F>
Tensor written(const Tensor& a, const Tensor& b, F f) {
  check_shape(a, broadcast(a.shape(), b.shape()));
  const Tensor y = f(any_needs_grad({&a, &b}) ? clone(a) : a, b);
  check_castable(y.dtype(), a);
  return copy_(a, y);
}
// What a function may save that is written over afterwards.
Tensor kept(const Tensor& x) { return any_needs_grad({&x}) ? clone(x) : x; }

Tensor divide_in_place(const Tensor& a, const Tensor& b, Text rounding) {
  if (rounding == "floor") return written(a, b, floor_divide);
  if (rounding == "trunc") return copy_(a, trunc(div(a, b)));
  return div_(a, b);
}

// Elements [i, i, …]; of a high matrix, with wrap, the diagonal begins anew below each row that it leaves
// out.
Tensor fill_diagonal(const Tensor& x, const Tensor& value, bool wrap) {
  check(x.dim() >= 2, "dimensions must larger than 1");
  const int64_t height = x.size(0), width = x.size(1), n = std::min(height, width);
  int64_t step = 0;
  for (int d = 0; d < x.dim(); ++d) {
    check(x.dim() == 2 || x.size(d) == height, "all dimensions of input must be of equal length");
    step += x.strides()[d];
  }
  fill_(x.as_strided({n}, {step}, 0), value);
  if (wrap && x.dim() == 2 && height > width + 1) {
    const int64_t more = (x.numel() + width) / (width + 1) - n;
    fill_(x.as_strided({more}, {step}, x.strides()[0] * (width + 1)), value);
  }
  return x;
}

}  // namespace

Rows in_place_rows() {
  return {
#define UNARY_INPLACE(name) row(kBoth, #name "_(Tensor input)", call<glassgrad::name##_>),
#include "engine/numbers/pointwise.def"
#define GG_UNARY(name) \
  row(kMethod, #name "_(Tensor input)", [](const Tensor& x) { return copy_(x, glassgrad::name(kept(x))); })
      GG_UNARY(exp2),
      GG_UNARY(expm1),
      GG_UNARY(log2),
      GG_UNARY(log10),
      GG_UNARY(tan),
      GG_UNARY(logical_not),
      GG_UNARY(bitwise_not),
#undef GG_UNARY
#define GG_BINARY(name)                                       \
  row(kMethod, #name "_(Tensor input, TensorOrNumber other)", \
      [](const Tensor& a, const Tensor& b) { return written(a, b, glassgrad::name); })
      GG_BINARY(floor_divide),
      GG_BINARY(fmod),
      GG_BINARY(eq),
      GG_BINARY(ne),
      GG_BINARY(lt),
      GG_BINARY(le),
      GG_BINARY(gt),
      GG_BINARY(ge),
      GG_BINARY(logical_and),
      GG_BINARY(logical_or),
      GG_BINARY(logical_xor),
      GG_BINARY(bitwise_and),
      GG_BINARY(bitwise_or),
      GG_BINARY(bitwise_xor),
#undef GG_BINARY
      row(kMethod, "add_(Tensor input, TensorOrNumber other, *, Scalar alpha=1)", call<add_in_place>),
      row(kMethod, "sub_(Tensor input, TensorOrNumber other, *, Scalar alpha=1)",
          [](const Tensor& a, const Tensor& b, double alpha) {
            return alpha == 1 ? sub_(a, b) : add_in_place(a, b, -alpha);
          }),
      row(kMethod, "mul_(Tensor input, TensorOrNumber other)", call<mul_>),
      row(kMethod, "div_(Tensor input, TensorOrNumber other)", call<div_>),
      row(kMethod, "div_(Tensor input, TensorOrNumber other, *, str? rounding_mode)", call<divide_in_place>),
      row(kMethod, "remainder_(Tensor input, TensorOrNumber other)", call<remainder_>),
      row(kMethod, "pow_(Tensor input, TensorOrNumber exponent)", call<pow_>),
      row(kMethod, "clamp_(Tensor input, Scalar? min=None, Scalar? max=None)", call<clamp_>),
      row(kMethod, "clip_(Tensor input, Scalar? min=None, Scalar? max=None)", call<clamp_>),
      row(kMethod, "clamp_min_(Tensor input, Scalar min)",
          [](const Tensor& x, double min) { return clamp_(x, min); }),
      row(kMethod, "clamp_max_(Tensor input, Scalar max)",
          [](const Tensor& x, double max) { return clamp_(x, {}, max); }),
      row(kMethod, "fill_(Tensor input, Tensor value)", call<fill_>),
      row(kMethod, "fill_(Tensor input, Scalar value)", call<fill_>),
      row(kBoth, "zero_(Tensor input)", call<zero_>),
      row(kMethod, "copy_(Tensor input, TensorOrNumber other, bool non_blocking=False)",
          [](const Tensor& x, const Tensor& source, bool) { return copy_(x, source); }),
      row(kMethod, "addcmul_(Tensor input, Tensor tensor1, Tensor tensor2, *, Scalar value=1)",
          [](const Tensor& x, const Tensor& a, const Tensor& b, double v) {
            if (any_needs_grad({&x, &a, &b})) return add_in_place(x, mul(a, b), v);
            return copy_(x, fused(v == 1 ? wide_half(a) : mul(wide_half(a), v), wide_half(b), wide_half(x)));
          }),
      row(kMethod, "addcdiv_(Tensor input, Tensor tensor1, Tensor tensor2, *, Scalar value=1)",
          [](const Tensor& x, const Tensor& a, const Tensor& b, double v) {
            if (is_narrow(x.dtype()) && !any_needs_grad({&x, &a, &b}))
              return copy_(x, add(wide_half(x), div(mul(wide_half(a), v), wide_half(b))));
            return v == 1 ? add_(x, div(a, b)) : add_(x, div(mul(a, v), b));
          }),
      row(kMethod, "lerp_(Tensor input, Tensor end, TensorOrNumber weight)",
          [](const Tensor& x, const Tensor& end, const Tensor& w) { return copy_(x, lerped(x, end, w)); }),
      row(kMethod, "tril_(Tensor input, int diagonal=0)",
          [](const Tensor& x, int64_t diagonal) { return copy_(x, tril(x, diagonal)); }),
      row(kMethod, "triu_(Tensor input, int diagonal=0)",
          [](const Tensor& x, int64_t diagonal) { return copy_(x, triu(x, diagonal)); }),
      row(kMethod, "cumsum_(Tensor input, int dim)",
          [](const Tensor& x, int64_t dim) {
            check(x.dtype() != boolean, "\"cumsum_out_cpu\" not implemented for 'Bool'");
            return copy_(x, cumsum(x, dim));
          }),
      row(kMethod, "fill_diagonal_(Tensor input, Scalar fill_value, bool wrap=False)", call<fill_diagonal>),
  };
}

}  // namespace glassgrad::GG_HOST
