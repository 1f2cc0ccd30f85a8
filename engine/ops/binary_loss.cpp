// binary_cross_entropy: the loss of predicted probabilities.
#include "../print.h"
#include "definition.h"

namespace glassgrad {
namespace {

constexpr double kLeastLog = -100;  // smaller logarithms count as this

struct Bce {
  Reduction reduction = Reduction::Mean;
  static constexpr AttrNames kNames{};
};

Tensor definition(std::span<const Tensor> in, const Bce& a) {
  const Tensor &x = in[0], &target = in[1];
  const Tensor each = (target - 1) * clamp(log1p(-x), kLeastLog) - target * clamp(log(x), kLeastLog);
  return a.reduction == Reduction::None ? each : a.reduction == Reduction::Sum ? sum(each) : mean(each);
}

constexpr Op bce_op{"binary_cross_entropy", "BinaryCrossEntropyBackward0",
                    "−(target·log x + (1 − target)·log(1 − x)), its mean or sum",
                    why_defined<Bce, definition>};

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
    const NoRecording no_recording;
    check(x.numel() == 0 || all(logical_and(x >= 0, x <= 1)).is_true(),
          "all elements of input should be between 0 and 1");
  }
  const Tensor in[] = {x, target};
  const Bce a{reduction};
  return record(bce_op, computed_by(definition, in, a), {&x, &target}, {{&x}, {&target}}, a,
                [](BackwardContext& d, const Bce& b) {
                  const Tensor from = d.saved(0), to = d.saved(1);
                  constexpr double kLeastProduct = 1e-12;  // divides by no smaller x(1 − x)
                  if (d.needs(0))
                    d[0] = averaged(d.g * (from - to) / clamp((1 - from) * from, kLeastProduct), from,
                                    b.reduction);
                  if (d.needs(1)) d[1] = averaged(d.g * (log1p(-from) - log(from)), from, b.reduction);
                });
}

}  // namespace glassgrad
