// torch.nn.functional: activations and other layers as functions. Losses: functional_loss.cpp.
#include "nn/functional.h"

#include <algorithm>
#include <cmath>

#include "engine/ops/promote.h"
#include "table.h"

namespace glassgrad::GG_HOST {

namespace {

using T = const Tensor&;
using MaybeDims = std::optional<Dims>;
using MaybeDType = std::optional<DType>;

Tensor cast_if_given(const Tensor& x, const MaybeDType& dtype) { return dtype ? to(x, *dtype) : x; }
// The result, or the tensor itself with the result written into it.
Tensor placed(const Tensor& x, bool in_place, const Tensor& y) { return in_place ? copy_(x, y) : y; }

// Reads a size that PyTorch accepts as a number or as a list with one number.
int64_t one(const Dims& size, int64_t otherwise) {
  check(size.n <= 1, "expected a size of one dimension, but got {} of them", size.n);
  return size.n ? size[0] : otherwise;
}

// PyTorch's default for dim: 0 for 0, 1 and 3 dimensions, else 1.
int64_t softmax_dim(const Tensor& x, std::optional<int64_t> dim) {
  return dim.value_or(x.dim() == 0 || x.dim() == 1 || x.dim() == 3 ? 0 : 1);
}

Tensor normalized(const Tensor& x, double p, const Dims& dims, double eps) {
  return x / clamp(p_norm(x, p, dims, true), eps).expand(x.shape());
}

Tensor one_hot(const Tensor& x, int64_t classes) {
  check(x.dtype() == int64, "one_hot is only applicable to index tensor of type LongTensor.");
  checked_numel(x.shape(), int64);  // the result is at least as large: throws before any long loop
  const int64_t largest = x.numel() ? max(x).item<int64_t>() : -1;
  check(x.numel() == 0 || min(x).item<int64_t>() >= 0, "Class values must be non-negative.");
  check(classes != 0 && (x.numel() > 0 || classes > 0),
        "Can not infer total number of classes from empty tensor.");
  check(classes < 0 || largest < classes, "Class values must be smaller than num_classes.");
  return to(eq(x.unsqueeze(-1), arange(classes < 0 ? size_sum(largest, 1) : classes)), int64);
}

// F.pad with elements of the tensor itself (circular, replicate, reflect), one dimension at a time.
Tensor padded_by_itself(Tensor x, const Dims& widths, Text mode) {
  for (int64_t k = 0; 2 * k < widths.n; ++k) {
    const int64_t d = x.dim() - 1 - k, n = x.size(d);
    const int64_t size = size_sum(size_sum(n, widths[2 * k]), widths[2 * k + 1]);
    std::vector<int64_t> from;
    if (size > 0) from.reserve(size_t(size));
    for (int64_t i = -widths[2 * k]; i < n + widths[2 * k + 1]; ++i) {
      if (mode == "circular")
        from.push_back(((i % n) + n) % n);
      else if (mode == "replicate")
        from.push_back(std::clamp<int64_t>(i, 0, n - 1));
      else
        from.push_back(i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i);
      check(
          from.back() >= 0 && from.back() < n,
          "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding ({}, {}) "
          "at dimension {} of input {}",
          widths[2 * k], widths[2 * k + 1], d, x.shape());
    }
    x = index_select(x, d, from_values(from, {int64_t(from.size())}));
  }
  return x;
}
Tensor padded(const Tensor& x, const Dims& widths, Text mode, std::optional<double> value) {
  if (mode == "constant") return pad(x, widths, value.value_or(0));
  check<NotImplementedError>(mode == "reflect" || mode == "replicate" || mode == "circular",
                             "Unrecognised padding mode {}", mode);
  return padded_by_itself(x, widths, mode);
}

Tensor cosine(const Tensor& a, const Tensor& b, int64_t dim, double eps) {
  const DType t = result_type({{&a, &b}});
  check(is_floating(t), "expected common dtype to be floating point, yet common dtype is {}",
        scalar_type_name(t));
  const Dims shape = broadcast(a.shape(), b.shape());
  // Lengths are at least eps; below it the gradient is still that of the length.
  const auto turned = [&](const Tensor& operand) {
    const Tensor x = (is_floating(operand.dtype()) ? operand : to(operand, t)).expand(shape);
    const Tensor length = norm(x, dim, true), own = length.detach();
    return x / (length + where(own < eps, eps - own, 0));
  };
  return sum(turned(a) * turned(b), dim);
}

Tensor gated(const Tensor& x, int64_t dim) {
  check(x.dim() > 0, "glu does not support 0-dimensional tensors");
  const int64_t n = x.size(dim);
  check(n % 2 == 0, "Halving dimension must be even, but dimension {} is size {}", wrap_dim(dim, x.dim()), n);
  return rename_node("GluBackward0", x.narrow(dim, 0, n / 2) * sigmoid(x.narrow(dim, n / 2, n / 2)));
}

Tensor selu(const Tensor& x) {
  return rename_node("EluBackward0", elu(x, 1.6732632423543772) * 1.0507009873554805);
}
Tensor celu(const Tensor& x, double alpha) { return rename_node("CeluBackward0", elu(x / alpha, 1) * alpha); }

// PyTorch's loops process whole vectors and then the remaining elements one by one. The two use different
// comparisons, so at a kink or at NaN their gradients differ. f(x, vectors) computes the function by either
// rule.
template <class Differs, class F>
Tensor by_vectors(const Tensor& x, Differs differs, F f) {
  if (!needs_grad(x)) return f(x, true);
  if (x.device() != kCpu) return f(x, false);
  const int64_t n = x.numel(), vector = 64 / item_size(x.dtype()), rest = x.is_contiguous() ? n % vector : n;
  const Tensor line = x.flatten();
  if (rest == 0 || !any(differs(line.detach().narrow(0, n - rest, rest))).is_true()) return f(x, true);
  if (rest == n) return f(x, false);
  return cat({f(line.narrow(0, 0, n - rest), true), f(line.narrow(0, n - rest, rest), false)})
      .view(x.shape());
}

// clamp, but without a gradient at the bounds.
Tensor hard_tanh(const Tensor& x, double min, double max) {
  const auto bounded = [&](const Tensor& t, bool vectors) {
    const Tensor bound = clamp(t.detach(), min, max);
    return vectors ? where((t > min) & (t < max), t, bound) : where((t <= min) | (t >= max), bound, t);
  };
  return rename_node("HardtanhBackward0", by_vectors(x, isnan, bounded));
}
Tensor hard_sigmoid(const Tensor& x) {
  return rename_node("HardsigmoidBackward0",
                     where((x > -3) & (x < 3), x + 3, clamp(x.detach() + 3, 0, 6)) / 6);
}
// Above 3 the result is x, with x's gradient.
Tensor hard_swish(const Tensor& x) {
  const auto curve = [](const Tensor& t) { return t * (clamp(t + 3, 0, 6) / 6); };
  const auto bent = [&](const Tensor& t, bool vectors) {
    if (vectors) return where(t >= 3, t, curve(t));
    const Tensor below = t <= 3;  // false for NaN, which would make the curve's gradient NaN
    return where(below, curve(where(below, t, zeros_like(t))), t);
  };
  const auto differs = [](const Tensor& t) { return eq(t, 3) | isnan(t); };
  return rename_node("HardswishBackward0", by_vectors(x, differs, bent));
}

// w has the slopes for negative numbers: one for all, or one for each channel (dimension 1).
Tensor prelu(const Tensor& x, const Tensor& w) {
  check(x.dtype() == w.dtype(), "prelu: Type promoting not supported. Got {} and {}",
        scalar_type_name(x.dtype()), scalar_type_name(w.dtype()));
  if (w.numel() != 1) {
    check(x.dim() > 0, "Not allow zero-dim input tensor.");
    const int64_t channels = x.dim() > 1 ? x.size(1) : 1;
    check(
        channels == w.numel(),
        "Mismatch of parameter numbers and input channel size. Found parameter numbers = {} and channel size "
        "= {}.",
        w.numel(), channels);
  }
  check(w.dim() <= 1, "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {}", w.dim());
  Dims shape;
  for (int64_t d = 0; d < x.dim(); ++d) shape.push(d == 1 ? w.numel() : 1);
  const Tensor above = x > 0;  // keeps infinity away from the slopes, whose gradient would be NaN
  return rename_node("PreluKernelBackward0",
                     where(above, x, w.reshape(shape) * where(above, zeros_like(x), x)));
}

Rows activations() {
  constexpr unsigned kF = kFunctional | kWrittenInPython;
  return {
#define GG_ACTIVATION(name, function)                \
  row(kF, name "(Tensor input, bool inplace=False)", \
      [](const Tensor& x, bool in_place) { return placed(x, in_place, function); })
      row(kF, "relu(Tensor input, bool inplace=False)",
          [](const Tensor& x, bool in_place) { return in_place ? relu_(x) : relu(x); })
          .help("max(input, 0)."),
      row(kFunctional, "relu_(Tensor input)", call<relu_>),
      GG_ACTIVATION("silu", silu(x)).help("input · sigmoid(input)."),
      GG_ACTIVATION("relu6", hard_tanh(x, 0, 6)).help("min(max(input, 0), 6)."),
      GG_ACTIVATION("selu", selu(x)),
      GG_ACTIVATION("mish", rename_node("MishBackward0", x * tanh(softplus(x))))
          .help("input · tanh(softplus(input))."),
      GG_ACTIVATION("hardsigmoid", hard_sigmoid(x)).help("min(max(input + 3, 0), 6)/6."),
      GG_ACTIVATION("hardswish", hard_swish(x)).help("input · hardsigmoid(input)."),
      row(kFunctional, "gelu(Tensor input, *, str approximate='none')", call<only<Tensor(T, Text)>(gelu)>)
          .help("input · Φ(input); 'tanh': 0.5·input·(1 + tanh(√(2/π)·(input + 0.044715·input³)))."),
      row(kF, "elu(Tensor input, float alpha=1.0, bool inplace=False)",
          [](const Tensor& x, double alpha, bool in_place) { return placed(x, in_place, elu(x, alpha)); })
          .help("input > 0 ? input : alpha · (exp(input) − 1)."),
      row(kBoth, "celu(Tensor input, float alpha=1.0)", call<celu>)
          .help("input > 0 ? input : alpha · (exp(input/alpha) − 1)."),
      row(kF, "celu(Tensor input, float alpha=1.0, bool inplace=False)",
          [](const Tensor& x, double alpha, bool in_place) { return placed(x, in_place, celu(x, alpha)); }),
      row(kTorch, "selu(Tensor input)", call<selu>)
          .help("1.0507 · (input > 0 ? input : 1.6733 · (exp(input) − 1))."),
      row(kF, "leaky_relu(Tensor input, float negative_slope=0.01, bool inplace=False)",
          [](const Tensor& x, double slope, bool in_place) {
            return placed(x, in_place, leaky_relu(x, slope));
          })
          .help("input > 0 ? input : negative_slope · input."),
      row(kFunctional | kTorch, "prelu(Tensor input, Tensor weight)", call<prelu>)
          .help("input > 0 ? input : weight · input.")
          .autocast(kHalf),
      row(kF, "hardtanh(Tensor input, float min_val=-1.0, float max_val=1.0, bool inplace=False)",
          [](const Tensor& x, double min, double max, bool in_place) {
            return placed(x, in_place, hard_tanh(x, min, max));
          })
          .help("min(max(input, min_val), max_val)."),
      row(kFunctional, "softplus(Tensor input, float beta=1.0, float threshold=20.0)", call<softplus>)
          .help("log(1 + exp(beta · input))/beta; input where beta · input > threshold.")
          .autocast_on_gpu(kWide),
      row(kF, "threshold(Tensor input, float threshold, float value, bool inplace=False)",
          [](const Tensor& x, double least, double value, bool in_place) {
            return placed(
                x, in_place,
                rename_node("ThresholdBackward0", where(x <= least, full({}, value, x.dtype()), x)));
          })
          .help("input > threshold ? input : value."),
      row(kF, "sigmoid(Tensor input)", call<sigmoid>).help("1/(1 + exp(−input))."),
      row(kF, "tanh(Tensor input)", call<tanh>).help("tanh(input)."),
      row(kFunctional, "logsigmoid(Tensor input)",
          [](const Tensor& x) {
            const Tensor wide = wide_half(x), y = minimum(wide, 0.0) - log1p(exp(-abs(wide)));
            return rename_node("LogSigmoidBackward0", to(y, x.dtype()));
          })
          .help("log(1/(1 + exp(−input)))."),
      row(kF, "softsign(Tensor input)", [](const Tensor& x) { return x / (abs(x) + 1); })
          .help("input/(1 + |input|)."),
      row(kF, "tanhshrink(Tensor input)", [](const Tensor& x) { return x - tanh(x); })
          .help("input − tanh(input)."),
      row(kF, "glu(Tensor input, int dim=-1)", call<gated>)
          .help("a · sigmoid(b), a and b the halves of input along dim."),
#define GG_SOFT(name, function)                                                            \
  row(kF, name "(Tensor input, int? dim=None, int _stacklevel=3, ScalarType? dtype=None)", \
      [](const Tensor& x, std::optional<int64_t> dim, int64_t, const MaybeDType& t) { return function; })
      GG_SOFT("softmax", softmax(cast_if_given(x, t), softmax_dim(x, dim)))
          .help("exp(input − max) / Σ exp(input − max) along dim: numbers from 0 to 1 that sum to 1."),
      GG_SOFT("log_softmax", log_softmax(cast_if_given(x, t), softmax_dim(x, dim)))
          .help("input − max − log Σ exp(input − max) along dim."),
      GG_SOFT("softmin", softmax(-cast_if_given(x, t), softmax_dim(x, dim)))
          .help("softmax(−input).")
          .autocast_on_gpu(kWide),
  };
}

// Normalizes each group of channels of an example, then applies each channel's weight and bias.
Tensor group_norm(const Tensor& x, int64_t groups, const Tensor& weight, const Tensor& bias, double eps) {
  check(x.dim() >= 2, "Expected at least 2 dimensions for input tensor but received {}", x.dim());
  const int64_t channels = x.size(1);
  check(groups > 0, "Expected num groups to be greater than 0, got {}", groups);
  check(channels % groups == 0,
        "Expected number of channels in input to be divisible by num_groups, but got input of shape {} and "
        "num_groups={}",
        x.shape(), groups);
  Dims of_channels = x.shape();
  for (int64_t& size : of_channels.v) size = 1;
  of_channels[1] = channels;
  const auto each = [&](const Tensor& y, const char* name) {
    check(
        y.dim() == 1 && y.size(0) == channels,
        "Expected {} to be a vector of size equal to the number of channels in input, but got {} of shape {} "
        "and input of shape {}",
        name, name, y.shape(), x.shape());
    return y.view(of_channels);
  };
  const Tensor rows = x.reshape({x.size(0) * groups, x.numel() ? -1 : 0});
  Tensor y = layer_norm(rows, {rows.size(1)}, {}, {}, eps).view(x.shape());
  if (weight) y = y * each(weight, "weight");
  if (bias) y = y + each(bias, "bias");
  return rename_node("NativeGroupNormBackward0", y);
}

// y[n, o, t] = bias[o] + Σ weight[o, c, k]·x[n, c, t·stride + k·dilation − before], for each group of
// channels. The windows of x become the columns of a matrix.
Tensor convolved(const Tensor& x, const Tensor& weight, const Tensor& bias, int64_t stride, int64_t before,
                 int64_t after, int64_t dilation, int64_t groups) {
  check(x.dim() == 2 || x.dim() == 3,
        "Expected 2D (unbatched) or 3D (batched) input to conv1d, but got input of size: {}", x.shape());
  check(weight.dim() == 3, "expected a weight of 3 dimensions, but got one of size: {}", weight.shape());
  check(weight.size(2) > 0, "kernel size should be greater than zero");
  check(stride > 0, "non-positive stride is not supported");
  check(dilation > 0, "dilation should be greater than zero");
  check(before >= 0 && after >= 0, "negative padding is not supported");
  check(groups > 0, "non-positive groups is not supported");
  const int64_t out = weight.size(0), width = weight.size(1), kernel = weight.size(2);
  if (x.dim() == 2)
    return convolved(x.unsqueeze(0), weight, bias, stride, before, after, dilation, groups).squeeze(0);
  check(
      x.size(1) == width * groups,
      "Given groups={}, weight of size {}, expected input{} to have {} channels, but got {} channels instead",
      groups, weight.shape(), x.shape(), width * groups, x.size(1));
  check(
      out % groups == 0 && out >= groups,
      "Given groups={}, expected weight to be at least {} at dimension 0, but got weight of size {} instead",
      groups, groups, weight.shape());
  if (bias)
    check(
        bias.dim() == 1 && bias.size(0) == out,
        "Given weight of size {}, expected bias to be 1-dimensional with {} elements, but got bias of size {} "
        "instead",
        weight.shape(), out, bias.shape());
  const Tensor wide = before || after ? pad(x, {before, after}) : x;
  const int64_t length = wide.size(2);
  const bool countable = kernel <= 1 || dilation <= (INT64_MAX - 1) / (kernel - 1);
  const int64_t span = countable ? dilation * (kernel - 1) + 1 : INT64_MAX;
  check(
      span <= length,
      "Calculated padded input size per channel: ({}). Kernel size: ({}). Kernel size can't be greater than "
      "actual input size",
      length, span);
  const int64_t batch = x.size(0), steps = (length - span) / stride + 1;
  checked_numel({batch, groups, width, kernel, steps}, x.dtype());  // throws before a long loop
  std::vector<Tensor> taps;
  for (int64_t k = 0; k < kernel; ++k)
    taps.push_back(wide.slice(2, k * dilation, k * dilation + (steps - 1) * stride + 1, stride));
  const Tensor columns = stack(taps, 2).view({batch, groups, width * kernel, steps});
  const Tensor rows = weight.reshape({groups, out / groups, width * kernel});
  Tensor y = matmul(rows, columns).view({batch, out, steps});
  if (bias) y = y + bias.view({out, 1});
  return rename_node("ConvolutionBackward0", y);
}

Rows layers() {
  constexpr unsigned kF = kFunctional | kWrittenInPython;
  return {
      row(kFunctional, "linear(Tensor input, Tensor weight, Tensor? bias=None)", call<linear>)
          .help("input · weightᵀ + bias: input (…, in), weight (out, in), bias (out), result (…, out)."),
      row(kFunctional, "bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None)",
          [](const Tensor& a, const Tensor& b, const Tensor& w, const Tensor& bias) {
            const Tensor y =
                sum(matmul(a.unsqueeze(-2).unsqueeze(-2), w).squeeze(-2) * b.unsqueeze(-2), Dims{-1});
            return bias ? y + bias : y;
          })
          .help("Σ input1[i] · weight[:, i, j] · input2[j] + bias.")
          .autocast_on_gpu(kWidest),
      row(kF,
          "embedding(Tensor input, Tensor weight, int? padding_idx=None, float? max_norm=None, float norm_type=2.0, "
          "bool scale_grad_by_freq=False, bool sparse=False)",
          [](const Tensor& i, const Tensor& w, std::optional<int64_t> padding, std::optional<double> max_norm,
             double, bool by_frequency, bool) {
            check<NotImplementedError>(!max_norm && !by_frequency,
                                       "glassgrad's embedding has neither max_norm nor scale_grad_by_freq");
            return embedding(w, i, padding);
          })
          .help("weight[input]: rows of weight (n, d) at int64 indices; the gradient skips padding_idx."),
      row(kF,
          "layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05)",
          [](T x, const Dims& shape, T weight, T bias, double eps) {
            return layer_norm(x, shape, weight, bias, eps);
          })
          .help("(input − mean)/√(var + eps) · weight + bias over the last dimensions, normalized_shape.")
          .autocast_on_gpu(kWide),
      row(kF,
          "group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05)",
          call<group_norm>)
          .autocast_on_gpu(kWide),
      row(kFunctional | kTorch,
          "conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] "
          "dilation=1, int groups=1)",
          [](T x, T w, T bias, const Dims& stride, const Dims& padding, const Dims& dilation,
             int64_t groups) {
            const int64_t both = one(padding, 0);
            return convolved(x, w, bias, one(stride, 1), both, both, one(dilation, 1), groups);
          })
          .autocast(kHalf),
      row(kFunctional | kTorch,
          "conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, str padding='valid', int[1] "
          "dilation=1, int groups=1)",
          [](T x, T w, T bias, const Dims& stride, Text padding, const Dims& dilation, int64_t groups) {
            check(padding == "same" || padding == "valid", "Invalid padding string: '{}'", padding);
            check(padding == "valid" || one(stride, 1) == 1,
                  "padding='same' is not supported for strided convolutions");
            const int64_t both = padding == "same" && w.dim() == 3 ? one(dilation, 1) * (w.size(2) - 1) : 0;
            return convolved(x, w, bias, one(stride, 1), both / 2, both - both / 2, one(dilation, 1), groups);
          }),
      row(kF, "rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None)",
          call<nn::functional::rms_norm>)
          .help("input/√(mean(input²) + eps) · weight over the last dimensions."),
      row(kF, "dropout(Tensor input, float p=0.5, bool training=True, bool inplace=False)",
          [](const Tensor& x, double p, bool training, bool in_place) {
            return placed(x, in_place && training && p > 0, nn::functional::dropout(x, p, training));
          })
          .help("Each element 0 with probability p, else input/(1 − p); input itself when not training."),
      row(kF, "normalize(Tensor input, float p=2.0, int[1] dim=1, float eps=1e-12, Tensor? out=None)",
          [](const Tensor& x, double p, const Dims& dims, double eps) {
            return normalized(x, p, dims.n ? dims : Dims{1}, eps);
          })
          .help("input / max(p-norm of input over dim, eps).")
          .autocast_on_gpu(kWide),
      row(kFunctional, "pad(Tensor input, int[] pad, str mode='constant', float? value=None)", call<padded>)
          .help("input with value around it: pad = (before, after) of the last dimension, then of the "
                "one before it, …"),
      row(kFunctional, "one_hot(Tensor input, int num_classes=-1)", call<one_hot>)
          .help("1 at the place that input says, else 0: (…, num_classes) int64."),
      row(kFunctional | kTorch, "cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08)",
          call<cosine>)
          .help("Σ x1 · x2 / (|x1| · |x2|) along dim.")
          .autocast_on_gpu(kWide),
      row(kFunctional | kTorch,
          "pairwise_distance(Tensor x1, Tensor x2, float p=2.0, float eps=1e-06, bool keepdim=False)",
          [](const Tensor& a, const Tensor& b, double p, double eps, bool keepdim) {
            return rename_node("NormBackward1", p_norm(a - b + eps, p, {-1}, keepdim));
          })
          .help("The p-norm of x1 − x2 + eps along the last dimension.")
          .autocast_on_gpu(kWide),
  };
}

}  // namespace

Rows functional_rows() {
  Rows rows = activations();
  const Rows more = layers();
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace glassgrad::GG_HOST
