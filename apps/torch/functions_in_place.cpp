// In-place forms. Where the engine has no in-place op, the result is computed in a new tensor and copied.
#include <algorithm>
#include <deque>
#include <map>
#include <optional>

#include "engine/autograd.h"
#include "engine/ops/promote.h"
#include "function.h"

namespace glassgrad::GG_HOST {

namespace {

// a += alpha·b, rounded once as in PyTorch, unless a graph needs the product as an op of its own.
Tensor add_in_place(const Tensor& a, const Tensor& b, double alpha) {
  if (alpha == 1) return add_(a, b);
  const bool is_half = is_narrow(a.dtype()) && is_floating(a.dtype());
  if (is_half || a.dtype() != b.dtype() || any_needs_grad({&a, &b})) {
    if (!is_floating(a.dtype())) return add_(a, mul(b, int64_t(alpha)));
    return add_(a, mul(b, rounded_factor(alpha, a.dtype())));
  }
  return is_floating(a.dtype()) ? copy_(a, fused(b, alpha, a)) : add_(a, mul(b, int64_t(alpha)));
}
Tensor divide_in_place(const Tensor& a, const Tensor& b, Text rounding) {
  if (rounding == "floor") {
    const Tensor y = floor_divide(any_needs_grad({&a, &b}) ? clone(a) : a, b);
    check_shape(a, y.shape());
    check_castable(y.dtype(), a);
    return copy_(a, y);
  }
  if (rounding == "trunc") return copy_(a, trunc(div(a, b)));
  return div_(a, b);
}

// Fills the elements [i, i, …]. wrap: in a tall matrix the diagonal skips a row and starts again at the left.
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

// The overload of NAME with the same parameters as this overload of NAME_.
const Overload& form_without_underscore(const Signature& s) {
  const std::string_view name = s.name();
  const std::vector<Overload>& forms = function_at(kMethod, name.substr(0, name.size() - 1))->overloads;
  return *std::find_if(forms.begin(), forms.end(), [&](const Overload& o) {
    const std::vector<Parameter>&a = s.parameters(), &b = o.signature.parameters();
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Parameter& p, const Parameter& q) {
      return p.kind == q.kind && p.name == q.name;
    });
  });
}
Result copied_in(const Arguments& a, AnyFunction) {
  const Tensor& x = *as_tensor(a[0]);
  const Overload& form = form_without_underscore(*a.signature);
  Arguments given = a;
  given.signature = &form.signature;
  bool has_graph = false;
  for (size_t i = 0; i < form.signature.parameters().size(); ++i)
    if (const Tensor* const t = a.slot[i] ? as_tensor(a.slot[i]) : nullptr) has_graph |= any_needs_grad({t});
  std::optional<Owned> before;  // a copy, so that values saved for backward are not overwritten
  if (has_graph) before.emplace(as_owned(wrap(clone(x)))), given.slot[0] = object_of(*before);
  const Owned made = as_owned(form.compute(given));
  const Tensor& y = *as_tensor(object_of(made));
  check_shape(x, y.shape());
  check(form.signature.name() != "float_power" || x.dtype() == y.dtype(),
        "the base given to float_power_ has dtype {} but the operation's result requires dtype {}",
        scalar_type_name(x.dtype()), scalar_type_name(y.dtype()));
  check_castable(y.dtype(), x);
  copy_(x, y);
  if (y->fn && x->fn && std::string_view(x->fn->op->node) == "CopyBackwards") rename_node(y->fn->op->node, x);
  return wrap(x);
}

}  // namespace

void add_in_place_forms(Rows& rows) {
  static auto& texts = *new std::deque<std::string>;  // rows keep views of them
  const auto name_of = [](const Row& r) { return r.signature.substr(0, r.signature.find('(')); };
  std::map<std::string_view, unsigned> places;
  for (const Row& r : rows) places[name_of(r)] |= r.said().in_place;
  Rows forms;
  for (const Row& r : rows) {
    const std::string_view name = name_of(r);
    if (!(r.places & kMethod) || !places[name]) continue;
    std::string text = std::string(name) + "_" + std::string(r.signature.substr(name.size()));
    for (const std::string_view part : {", Tensor? out=None", ", *)"})
      if (const size_t at = text.find(part); at != text.npos)
        text.erase(at, part.size() - (part.back() == ')'));
    forms.push_back({places[name], texts.emplace_back(std::move(text)), {copied_in, nullptr}, 0, 0});
  }
  rows.insert(rows.end(), forms.begin(), forms.end());
}

Rows in_place_rows() {
  return {
#define UNARY_INPLACE(name) \
  row(kBoth, #name "_(Tensor input)", call<glassgrad::name##_>).help(#name " in place."),
#include "engine/numbers/pointwise.def"
      row(kMethod, "add_(Tensor input, TensorOrNumber other, *, Scalar alpha=1)", call<add_in_place>)
          .help("input += alpha · other."),
      row(kMethod, "sub_(Tensor input, TensorOrNumber other, *, Scalar alpha=1)",
          [](const Tensor& a, const Tensor& b, double alpha) {
            return alpha == 1 ? sub_(a, b) : add_in_place(a, b, -alpha);
          })
          .help("input −= alpha · other."),
      row(kMethod, "mul_(Tensor input, TensorOrNumber other)", call<mul_>).help("input ·= other."),
      row(kMethod, "div_(Tensor input, TensorOrNumber other)", call<div_>).help("input /= other."),
      row(kMethod, "div_(Tensor input, TensorOrNumber other, *, str? rounding_mode)", call<divide_in_place>),
      row(kMethod, "remainder_(Tensor input, TensorOrNumber other)", call<remainder_>)
          .help("remainder in place."),
      row(kMethod, "pow_(Tensor input, TensorOrNumber exponent)", call<pow_>).help("pow in place."),
      row(kMethod, "clamp_(Tensor input, Scalar? min=None, Scalar? max=None)", call<clamp_>)
          .help("clamp in place."),
      row(kMethod, "clip_(Tensor input, Scalar? min=None, Scalar? max=None)", call<clamp_>)
          .help("clamp in place."),
      row(kMethod, "clamp_min_(Tensor input, Scalar min)",
          [](const Tensor& x, double min) { return clamp_(x, min); })
          .help("clamp_min in place."),
      row(kMethod, "clamp_max_(Tensor input, Scalar max)",
          [](const Tensor& x, double max) { return clamp_(x, {}, max); })
          .help("clamp_max in place."),
      row(kMethod, "fill_(Tensor input, Tensor value)", call<fill_>).help("value everywhere."),
      row(kMethod, "fill_(Tensor input, Scalar value)", call<fill_>),
      row(kBoth, "zero_(Tensor input)", call<zero_>).help("0 everywhere."),
      row(kMethod, "copy_(Tensor input, TensorOrNumber other, bool non_blocking=False)",
          [](const Tensor& x, const Tensor& source, bool) { return copy_(x, source); })
          .help("other's elements, broadcast and converted."),
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
      row(kMethod, "cumsum_(Tensor input, int dim)",
          [](const Tensor& x, int64_t dim) {
            check(x.dtype() != boolean, "\"cumsum_out_cpu\" not implemented for 'Bool'");
            return copy_(x, cumsum(x, dim));
          }),
      row(kMethod, "fill_diagonal_(Tensor input, Scalar fill_value, bool wrap=False)", call<fill_diagonal>)
          .help("fill_value on the diagonal."),
  };
}

}  // namespace glassgrad::GG_HOST
