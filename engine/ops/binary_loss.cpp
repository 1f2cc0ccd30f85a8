// binary_cross_entropy: the loss of probabilities of yes.
#include "../glass/why.h"
#include "../ops.h"
#include "../print.h"

namespace glassgrad {
namespace {

constexpr double kLeastLog = -100;  // as far as a logarithm counts

struct Bce {
  Reduction reduction = Reduction::Mean;
  static constexpr AttrNames kNames{};
};

// Inputs x, target.
Expr why_bce(const Cell& c) {
  const DType t = c.dtype();
  const ConstantsAs dtype(t);
  const Dims& shape = c.input(0).shape();
  const auto loss = [&](const Dims& index) {
    const Expr x = c.in(0, index), y = c.in(1, index), least(kLeastLog);
    return (y - Expr(1.0)) * max(log1p(-x), least) - y * max(log(x), least);
  };
  const Reduction reduction = c.attr<Bce>().reduction;
  if (reduction == Reduction::None) return loss(c.index);
  std::vector<Expr> terms;
  for (int64_t i = 0, n = shape.numel(); i < n; ++i) terms.push_back(loss(index_of(shape, i)));
  const Expr total = sum(terms);
  return reduction == Reduction::Sum ? total : total.called("sum") / Expr(double(shape.numel()));
}

constexpr Op bce_op{"binary_cross_entropy", "BinaryCrossEntropyBackward0",
                    "−(target·log x + (1 − target)·log(1 − x)), its mean or sum", why_bce};

Tensor computed(const Tensor& x, const Tensor& target, Reduction reduction) {
  const NoGrad no_graph;
  const Watch nobody(nullptr);
  const Tensor each = (target - 1) * clamp(log1p(-x), kLeastLog) - target * clamp(log(x), kLeastLog);
  return reduction == Reduction::None ? each : reduction == Reduction::Sum ? sum(each) : mean(each);
}

Tensor averaged(const Tensor& d, const Tensor& x, Reduction reduction) {
  return reduction == Reduction::Mean ? d / double(x.numel()) : d;
}

}  // namespace

Tensor binary_cross_entropy(const Tensor& x, const Tensor& target, Reduction reduction) {
  check<ValueError>(
      target.shape() == x.shape(),
      "Using a target size ({}) that is different to the input size ({}) is deprecated. Please ensure "
      "they have the same size.",
      size_repr(target.shape()), size_repr(x.shape()));
  check(is_floating(x.dtype()), "\"binary_cross_entropy\" not implemented for '{}'",
        scalar_type_name(x.dtype()));
  check(target.dtype() == x.dtype(), "Found dtype {} but expected {}", scalar_type_name(target.dtype()),
        scalar_type_name(x.dtype()));
  {
    const NoGrad no_graph;
    const Watch nobody(nullptr);
    check(x.numel() == 0 || all(logical_and(x >= 0, x <= 1)).is_true(),
          "all elements of input should be between 0 and 1");
  }
  const Tensor y = shallow_copy(computed(x, target, reduction));
  return record(bce_op, y, {&x, &target}, {{&x}, {&target}}, Bce{reduction}, [](Back& d, const Bce& b) {
    const Tensor from = d.saved(0), to = d.saved(1);
    constexpr double kLeastProduct = 1e-12;  // what x(1 − x) is taken for where it is less
    if (d.needs(0))
      d[0] = averaged(d.g * (from - to) / clamp((1 - from) * from, kLeastProduct), from, b.reduction);
    if (d.needs(1)) d[1] = averaged(d.g * (log1p(-from) - log(from)), from, b.reduction);
  });
}

}  // namespace glassgrad
