// torch.nn.functional: losses.
#include <algorithm>
#include <cmath>

#include "engine/print.h"
#include "nn/functional.h"
#include "table.h"

namespace glassgrad::GG_HOST {

namespace {

using MaybeBool = std::optional<bool>;

// reduction=, or its equivalent for the old arguments size_average and reduce.
Reduction reduction_of(Text text, const MaybeBool& average = {}, const MaybeBool& reduce = {}) {
  if (average || reduce) {
    if (!reduce.value_or(true)) return Reduction::None;
    return average.value_or(true) ? Reduction::Mean : Reduction::Sum;
  }
  check<ValueError>(text == "none" || text == "mean" || text == "sum",
                    "{} is not a valid value for reduction", text);
  return text == "none" ? Reduction::None : text == "mean" ? Reduction::Mean : Reduction::Sum;
}
Tensor collected(const Tensor& loss, Reduction r) {
  return r == Reduction::None ? loss : r == Reduction::Mean ? mean(loss) : sum(loss);
}

// Views one number per class along x's dimension of the classes.
Tensor along_classes(const Tensor& weight, const Tensor& x) {
  Dims line;
  for (int64_t d = 0; d < x.dim(); ++d) line.push(d == (x.dim() > 1) ? -1 : 1);
  return weight.detach().view(line);
}

// nll_loss with a weight for each class. The weights are summed by nll_loss as well, because the order of the
// sum affects the last digit.
Tensor weighted_nll(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t ignored,
                    Reduction r) {
  if (!weight || x.dim() == 0) return nll_loss(x, target, ignored, r);
  const int64_t classes = x.size(x.dim() > 1 ? 1 : 0);
  check(
      weight.dim() == 1 && weight.numel() == classes,
      "weight tensor should be defined either for all {} classes or no classes but got weight tensor of shape: {}",
      classes, weight.shape());
  check(weight.dtype() == x.dtype(), "expected scalar type {} but found {}", scalar_type_name(x.dtype()),
        scalar_type_name(weight.dtype()));
  const Tensor w = along_classes(weight, x);
  const Tensor loss = nll_loss(x * w, target, ignored, r == Reduction::None ? r : Reduction::Sum);
  if (r == Reduction::None && (x.dim() == 3 || x.dim() > 4))
    return loss;  // a view, which has a node of its own
  const Tensor y =
      r == Reduction::Mean ? loss / nll_loss((-w).expand(x.shape()), target, ignored, Reduction::Sum) : loss;
  return rename_node(x.dim() > 2 ? "NllLoss2DBackward0" : "NllLossBackward0", y);
}

// cross_entropy for targets that are probabilities of the classes.
Tensor soft_cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight, Reduction r,
                          double smoothing) {
  check(is_floating(target.dtype()),
        "Expected floating point type for target with class probabilities, got {}",
        scalar_type_name(target.dtype()));
  const int64_t classes = x.dim() > 1 ? 1 : 0;
  Tensor t = target;
  if (smoothing > 0) t = t * (1 - smoothing) + smoothing / double(x.size(classes));
  Tensor each = log_softmax(x, classes) * t;
  if (weight) each = each * along_classes(weight, x);
  if (r == Reduction::None) return -sum(each, classes);
  const Tensor total = -sum(each);
  const int64_t rows = x.numel() / std::max<int64_t>(x.size(classes), 1);
  return r == Reduction::Sum ? total : total / double(rows);
}

Tensor cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t ignored,
                     Reduction r, double smoothing) {
  if (target.shape() == x.shape()) return soft_cross_entropy(x, target, weight, r, smoothing);
  if (!weight) return nn::functional::cross_entropy(x, target, ignored, r, smoothing);
  const int64_t classes = x.dim() > 1 ? 1 : 0;
  const Tensor logs = log_softmax(x, classes);
  const Tensor hard = weighted_nll(logs, target, weight, ignored, r);
  if (!(smoothing > 0)) return hard;
  const Tensor skip = eq(target, ignored);
  Tensor soft = masked_fill(-sum(logs * along_classes(weight, x), classes), skip, 0);
  if (r != Reduction::None) soft = sum(soft);
  if (r == Reduction::Mean)
    soft = soft / sum(index(weight.detach(), {masked_select(target, logical_not(skip))}));
  return hard * (1 - smoothing) + soft * (smoothing / double(x.size(classes)));
}

Tensor with_logits(const Tensor& x, const Tensor& target, const Tensor& weight, const Tensor& pos_weight,
                   Reduction r) {
  check<ValueError>(x.shape() == target.shape(), "Target size ({}) must be the same as input size ({})",
                    size_repr(target.shape()), size_repr(x.shape()));
  const Tensor log_yes = -softplus(-x);
  Tensor loss =
      pos_weight ? (1 - target) * x - ((pos_weight - 1) * target + 1) * log_yes : (1 - target) * x - log_yes;
  return rename_node("BinaryCrossEntropyWithLogitsBackward0", collected(weight ? loss * weight : loss, r));
}

// Multiplies each loss by its weight; the mean divides by the sum of the weights.
Tensor by_weight(const Tensor& loss, const Tensor& x, const Tensor& weight, Reduction r) {
  check<ValueError>(weight.shape() == x.shape(), "Weights and input must have the same size.");
  const Tensor y = loss * weight;
  return r == Reduction::Mean ? sum(y) / sum(weight) : collected(y, r);
}

// factor · d² where `near`, else `line`. Elsewhere, 0 is squared instead of d, because infinity squared would
// give NaN gradients.
Tensor square_then_line(const Tensor& near, const Tensor& d, double factor, const Tensor& line) {
  const Tensor small = where(near, d, 0);
  return where(near, small * small * factor, line);
}
Tensor smooth_l1(const Tensor& x, const Tensor& target, double beta, Reduction r) {
  const Tensor d = abs(x - target);
  if (beta == 0) return collected(d, r);
  return rename_node("SmoothL1LossBackward0",
                     collected(square_then_line(logical_not(d >= beta), d, 0.5 / beta, d - 0.5 * beta), r));
}
Tensor huber(const Tensor& x, const Tensor& target, double delta, Reduction r) {
  const Tensor d = abs(x - target);
  return rename_node(
      "HuberLossBackward0",
      collected(square_then_line(logical_not(d > delta), d, 0.5, (d - 0.5 * delta) * delta), r));
}
Tensor kl(const Tensor& x, const Tensor& target, Text reduction, bool log_target) {
  // 0 · log 0 counts as 0.
  const Tensor loss =
      log_target ? exp(target) * (target - x) : where(target == 0, 0, target * log(target)) - target * x;
  if (reduction == "batchmean") return sum(loss) / double(x.size(0));
  return collected(loss, reduction_of(reduction));
}

}  // namespace

#define GG_OLD_REDUCTION "bool? size_average=None, bool? reduce=None, str reduction='mean'"

Rows loss_rows() {
  constexpr unsigned kF = kFunctional | kWrittenInPython;
  Rows rows = {
      row(kF,
          "cross_entropy(Tensor input, Tensor target, Tensor? weight=None, bool? size_average=None, int "
          "ignore_index=-100, bool? reduce=None, str reduction='mean', float label_smoothing=0.0)",
          [](const Tensor& x, const Tensor& t, const Tensor& w, const MaybeBool& average, int64_t ignored,
             const MaybeBool& reduce, Text reduction, double smoothing) {
            return cross_entropy(x, t, w, ignored, reduction_of(reduction, average, reduce), smoothing);
          })
          .help("−log softmax(input)[target], its mean over the targets that are not ignore_index: input "
                "(N, C) or (N, C, d…), target int64 (N) or (N, d…), or probabilities of input's shape.")
          .autocast(kWide),
      row(kF,
          "nll_loss(Tensor input, Tensor target, Tensor? weight=None, bool? size_average=None, int ignore_index=-100, "
          "bool? reduce=None, str reduction='mean')",
          [](const Tensor& x, const Tensor& t, const Tensor& w, const MaybeBool& average, int64_t ignored,
             const MaybeBool& reduce, Text reduction) {
            return weighted_nll(x, t, w, ignored, reduction_of(reduction, average, reduce));
          })
          .help("−input[i, target[i]] of log-probabilities input (N, C), its mean over the targets that "
                "are not ignore_index."),
      row(kF, "mse_loss(Tensor input, Tensor target, " GG_OLD_REDUCTION ", Tensor? weight=None)",
          [](const Tensor& x, const Tensor& t, const MaybeBool& average, const MaybeBool& reduce,
             Text reduction, const Tensor& w) {
            const Reduction r = reduction_of(reduction, average, reduce);
            return w ? by_weight(square(x - t), x, w, r) : mse_loss(x, t, r);
          })
          .help("(input − target)², its mean or sum."),
      row(kF, "l1_loss(Tensor input, Tensor target, " GG_OLD_REDUCTION ", Tensor? weight=None)",
          [](const Tensor& x, const Tensor& t, const MaybeBool& average, const MaybeBool& reduce,
             Text reduction, const Tensor& w) {
            const Reduction r = reduction_of(reduction, average, reduce);
            return w ? by_weight(abs(x - t), x, w, r) : collected(abs(x - t), r);
          })
          .help("|input − target|, its mean or sum."),
      row(kF, "smooth_l1_loss(Tensor input, Tensor target, " GG_OLD_REDUCTION ", float beta=1.0)",
          [](const Tensor& x, const Tensor& t, const MaybeBool& average, const MaybeBool& reduce,
             Text reduction,
             double beta) { return smooth_l1(x, t, beta, reduction_of(reduction, average, reduce)); })
          .help("d²/(2·beta) where d = |input − target| < beta, else d − beta/2; its mean or sum."),
      row(kF,
          "huber_loss(Tensor input, Tensor target, str reduction='mean', float delta=1.0, Tensor? weight=None)",
          [](const Tensor& x, const Tensor& t, Text reduction, double delta, const Tensor& w) {
            const Reduction r = reduction_of(reduction);
            if (!w) return huber(x, t, delta, r);
            check<ValueError>(w.shape() == x.shape(), "Weights and input must have the same size.");
            return collected(huber(x, t, delta, Reduction::None) * w,
                             r);  // PyTorch's mean is a plain one here
          })
          .help("d²/2 where d = |input − target| ≤ delta, else delta·(d − delta/2); its mean or sum."),
      row(kF, "binary_cross_entropy(Tensor input, Tensor target, Tensor? weight=None, " GG_OLD_REDUCTION ")",
          [](const Tensor& x, const Tensor& t, const Tensor& w, const MaybeBool& average,
             const MaybeBool& reduce, Text reduction) {
            const Reduction r = reduction_of(reduction, average, reduce);
            check(
                !w || !needs_grad(w),
                "The function 'binary_cross_entropy' is not differentiable with respect to argument 'weight'. This "
                "input cannot have requires_grad True.");
            return w ? collected(binary_cross_entropy(x, t, Reduction::None) * w, r)
                     : binary_cross_entropy(x, t, r);
          })
          .help("−(target·log input + (1 − target)·log(1 − input)) of probabilities input, its mean or sum.")
          .autocast_on_cpu(kWide)
          .autocast_on_gpu(kRefused),
      row(kF,
          "binary_cross_entropy_with_logits(Tensor input, Tensor target, Tensor? weight=None, " GG_OLD_REDUCTION
          ", Tensor? pos_weight=None)",
          [](const Tensor& x, const Tensor& t, const Tensor& w, const MaybeBool& average,
             const MaybeBool& reduce, Text reduction, const Tensor& pos) {
            return with_logits(x, t, w, pos, reduction_of(reduction, average, reduce));
          })
          .help("binary_cross_entropy(sigmoid(input), target), in one step.")
          .autocast(kWide),
      row(kF, "kl_div(Tensor input, Tensor target, " GG_OLD_REDUCTION ", bool log_target=False)",
          [](const Tensor& x, const Tensor& t, const MaybeBool&, const MaybeBool&, Text reduction,
             bool log_target) { return kl(x, t, reduction, log_target); })
          .help("target · (log target − input) of log-probabilities input; 'batchmean': the sum over "
                "size(0).")
          .autocast(kWide),
      row(kF,
          "cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, " GG_OLD_REDUCTION
          ")",
          [](const Tensor& a, const Tensor& b, const Tensor& t, double margin, const MaybeBool& average,
             const MaybeBool& reduce, Text reduction) {
            const Tensor cosine =
                sum(a * b, Dims{-1}) / sqrt((sum(a * a, Dims{-1}) + 1e-12) * (sum(b * b, Dims{-1}) + 1e-12));
            const Tensor loss = where(eq(t, 1), 1 - cosine, clamp(cosine - margin, 0));
            return collected(loss, reduction_of(reduction, average, reduce));
          })
          .help("1 − cosine where target is 1, else max(cosine − margin, 0); its mean or sum."),
  };
  for (Row& r : rows)
    if (r.said().casts[0] == kNoCast) r.autocast(kWide);
  return rows;
}

}  // namespace glassgrad::GG_HOST
