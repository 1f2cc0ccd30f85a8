#include "nn/functional.h"

#include "engine/ops/promote.h"
#include "engine/print.h"

namespace glassgrad::nn::functional {
namespace {

thread_local Generator* dropout_generator = nullptr;

}  // namespace

DropoutFrom::DropoutFrom(Generator* g) : ForScope(dropout_generator, g ? g : dropout_generator) {}

double dropout_probability(double p) {
  check<ValueError>(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got {}",
                    python_float(p));
  return p;
}

Tensor dropout(const Tensor& x, double p, bool training, Generator& g) {
  dropout_probability(p);
  if (p == 0 || !training || x.numel() == 0) return x;
  const Scope scope("dropout");
  if (p == 1) return x * zeros({}, x.dtype(), x.device());
  const Tensor mask = empty_like(x);
  dropout_mask_(mask, 1 - p, g);
  div_(mask, 1 - p);
  return x * mask;
}

Tensor dropout(const Tensor& x, double p, bool training) {
  const bool there = dropout_generator && dropout_generator->device() == x.device();
  return dropout(x, p, training, there ? *dropout_generator : default_generator());
}

Tensor cross_entropy(const Tensor& x, const Tensor& target, int64_t ignore_index, Reduction reduction,
                     double label_smoothing) {
  const Scope scope("cross_entropy");
  const int64_t classes = x.dim() > 1 ? 1 : 0;
  if (!(label_smoothing > 0)) return nll_loss(log_softmax(x, classes), target, ignore_index, reduction);

  check(label_smoothing <= 1, "label_smoothing must be between 0.0 and 1.0. Got: {}", label_smoothing);
  const Tensor log_probs = log_softmax(x, classes);
  const Tensor loss = nll_loss(log_probs, target, ignore_index, reduction);
  const Tensor ignored = eq(target, ignore_index);
  Tensor smooth = masked_fill(-sum(log_probs, classes), ignored, 0);  // C times the loss for a uniform target
  if (reduction != Reduction::None) smooth = sum(smooth);
  if (reduction == Reduction::Mean) smooth = smooth / sum(~ignored);
  return (1 - label_smoothing) * loss + smooth * (label_smoothing / double(x.size(classes)));
}

Tensor rms_norm(const Tensor& x, const Dims& normalized_shape, const Tensor& weight,
                std::optional<double> eps) {
  Dims dims;
  for (int d = 0; d < normalized_shape.n; ++d) dims.push(d - normalized_shape.n);
  const DType t = x.dtype();
  const Tensor wide = to(x, computed_in(t));
  const Tensor y = to(wide * rsqrt(mean(square(wide), dims, true) + eps.value_or(epsilon(t))), t);
  return weight ? y * weight : y;
}

}  // namespace glassgrad::nn::functional
