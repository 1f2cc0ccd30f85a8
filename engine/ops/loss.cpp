// Losses: nll_loss, softmax_cross_entropy, mse_loss.
#include <algorithm>
#include <bit>

#include "../autocast.h"
#include "../glass/why.h"
#include "../ops.h"
#include "definition.h"
#include "indices.h"
#include "layout.h"

namespace glassgrad {

// ================================================================ nll_loss
namespace {

struct Nll {
  int64_t ignore_index = -100;
  Reduction reduction = Reduction::Mean;
  int64_t counted = 0;      // targets that are not ignored
  Dims from = {};           // shape of the input
  bool in_float32 = false;  // computes halves in float32, as PyTorch does under autocast
  static constexpr AttrNames kNames{"ignore_index"};
};
// x (N, C, positions), target (N, positions).
NllArguments arguments_of(const Nll& a) {
  const int64_t classes = a.from.n ? a.from[a.from.n > 1] : 1;
  int64_t positions = 1;
  for (int d = 2; d < a.from.n; ++d) positions *= a.from[d];
  return {.classes = classes,
          .positions = positions,
          .ignored = a.ignore_index,
          .counted = a.counted,
          .each = a.reduction == Reduction::None,
          .mean = a.reduction == Reduction::Mean,
          .picked = false};
}

// Calls f(i, place in x) for the targets that count; contiguous, on the CPU.
template <class F>
void each_counted(const View& target, const NllArguments& a, F f) {
  const auto* const at = target.as<const int64_t>();
  for (int64_t i = 0, n = target.shape.numel(); i < n; ++i)
    if (at[i] != a.ignored)
      f(i, a.picked ? i : (i / a.positions * a.classes + at[i]) * a.positions + i % a.positions);
}

// Inputs x, target.
Expr why_nll(const Cell& c) {
  const auto& a = c.attr<Nll>();
  std::vector<Expr> terms;
  each_counted(dense(c.input(1)).raw(), arguments_of(a), [&](int64_t i, int64_t place) {
    if (a.reduction == Reduction::None && i != c.flat()) return;
    const Expr target = c.in(1, index_of(c.input(1).shape(), i));
    terms.push_back(-pick(c.in(0, index_of(a.from, place)), {target}));
  });
  if (a.reduction == Reduction::None) return terms.empty() ? Expr(0.0) : terms[0];
  const Expr total = sum(terms, c.result().dtype());
  return a.reduction == Reduction::Sum ? total : total.called("sum") / Expr(double(a.counted));
}
// Inputs g, target.
Expr why_nll_grad(const Cell& c) {
  const auto& a = c.attr<Nll>();
  Expr grad(0.0);
  each_counted(dense(c.input(1)).raw(), arguments_of(a), [&](int64_t i, int64_t place) {
    if (place != c.flat()) return;
    const Expr g =
        a.reduction == Reduction::None ? c.in(0, index_of(c.input(0).shape(), i)) : c.in(0, Dims{});
    grad = -(a.reduction == Reduction::Mean ? g / Expr(double(a.counted)) : g);
  });
  return grad;
}

constexpr Op nll_op{"nll_loss", "NllLossBackward0", "−x[i, target[i]], its mean or sum", why_nll},
    nll_2d_op{"nll_loss2d", "NllLoss2DBackward0", "−x[i, target[i, …], …], its mean or sum", why_nll},
    nll_grad_op{"nll_loss_backward", "NllLossBackwardBackward0", "−g where target is this class, else 0",
                why_nll_grad};

// Sums in the order of PyTorch's nll_loss: every 2^power numbers, a level's sum is added to the next level
// and reset. An ignored position is not passed to add(), so its carry is skipped.
template <class T>
class CarriedSum {
 public:
  explicit CarriedSum(int64_t n)
      : power_(std::max(4, int(std::bit_width(uint64_t(n > 1 ? n - 1 : 1))) / kLevels)) {}
  void add(int64_t i, T x) {
    level_[0] += x;
    const int64_t mask = (int64_t{1} << power_) - 1;
    for (int j = 0; j + 1 < kLevels && (i & (mask << (j * power_))) == 0; ++j) {
      level_[j + 1] += level_[j];
      level_[j] = T{};
    }
  }
  T total() const {
    T sum{};
    for (const T x : level_) sum += x;
    return sum;
  }

 private:
  static constexpr int kLevels = 8;
  int power_;
  T level_[kLevels] = {};
};

void check_shapes(const Tensor& x, const Tensor& target) {
  check<ValueError>(x.dim() >= 1, "Expected 1 or more dimensions (got 0)");
  if (x.dim() == 1) {
    check(target.dim() == 0, "size mismatch (got input: {}, target: {})", x.shape(), target.shape());
    return;
  }
  const int64_t n = target.dim() ? target.shape()[0] : 0;
  check<ValueError>(target.dim() && n == x.shape()[0],
                    "Expected input batch_size ({}) to match target batch_size ({}).", x.shape()[0], n);
  check(x.dim() > 2 || target.dim() == 1, "0D or 1D target tensor expected, multi-target not supported");
  Dims expected = x.shape()[0];
  for (int d = 2; d < x.dim(); ++d) expected.push(x.shape()[d]);
  if (x.dim() == 4) {
    check(target.dim() == 3,
          "only batches of spatial targets supported (3D tensors) but got targets of dimension: {}",
          target.dim());
    check(target.shape() == expected, "size mismatch (got input: {} , target: {}", x.shape(), target.shape());
  }
  check(target.shape() == expected, "Expected target size {}, got {}", expected, target.shape());
}

// A narrow sum is rounded after each addition, as in PyTorch.
void nll_on_cpu(const View& x, const View& target, const NllArguments& a, const View& y) {
  every_float(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* const in = x.as<const T>();
    T* const out = y.as<T>();
    if (a.each) {
      std::fill_n(out, y.shape.numel(), T{});
      return each_counted(target, a, [&](int64_t i, int64_t place) { out[i] = T(-in[place]); });
    }
    CarriedSum<T> sum(target.shape.numel());
    each_counted(target, a, [&](int64_t i, int64_t place) { sum.add(i, T(-in[place])); });
    *out = a.mean ? T(sum.total() / T(a.counted)) : sum.total();
  });
}

void nll_grad_on_cpu(const View& g, const View& target, const NllArguments& a, const View& dx) {
  every_float(g.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* const in = g.as<const T>();
    T* const out = dx.as<T>();
    each_counted(target, a, [&](int64_t i, int64_t place) {
      out[place] = T(-(a.each ? T(in[i]) : a.mean ? T(in[0] / T(a.counted)) : T(in[0])));
    });
  });
}

}  // namespace
// y = −x[i, target[i], …] for each target, 0 for ignored ones; or their sum or mean, if y is a number. x (N,
// C, …) and target (N, …) are contiguous. nll_grad writes dx, which must hold zeros, from the gradient of y.
GG_KERNEL(nll, nll_on_cpu);
GG_KERNEL(nll_grad, nll_grad_on_cpu);
namespace {

// Checks the arguments and returns the attributes that the kernels need.
Nll checked_nll(const Tensor& x, const Tensor& target, int64_t ignore_index, Reduction reduction) {
  check_shapes(x, target);
  check(is_floating(x.dtype()), "\"nll_loss_out_frame\" not implemented for '{}'",
        scalar_type_name(x.dtype()));
  check(target.dtype() == int64, "expected scalar type Long but found {}", scalar_type_name(target.dtype()));
  check_same_device({&x, &target});
  Nll a{ignore_index, reduction, 0, x.shape()};
  // Make it dense before a loop of its length, so that a lack of memory is an error before the loop.
  const IndexCheckResult found = checked_indices(dense(target), 0, arguments_of(a).classes, ignore_index);
  if (found.first_outside >= 0) [[unlikely]]
    fail<IndexError>("Target {} is out of bounds.", index_at(target, found.first_outside));
  a.counted = target.numel() - found.ignored;
  return a;
}

Tensor computed_nll(const Tensor& x, const Tensor& target, const Nll& a) {
  const Tensor y = dense_result(a.reduction == Reduction::None ? target.shape() : Dims(), x);
  nll_on(x.device())(WidenedInput(dense(x), NarrowAccess::NativeOnCpu), dense(target).raw(), arguments_of(a),
                     RoundedOutput(y, NarrowAccess::NativeOnCpu));
  return y;
}

Tensor nll_grad(const Tensor& g, const Tensor& target, const Nll& a) {
  const Tensor dx = zeros(a.from, g.dtype(), g.device());
  nll_grad_on(g.device())(WidenedInput(dense(g), NarrowAccess::NativeOnCpu), dense(target).raw(),
                          arguments_of(a),
                          RoundedAccumulator(dx.raw(), g.device(), NarrowAccess::NativeOnCpu));
  return record(nll_grad_op, dx, {&g, &target}, {{&target}}, a, [](BackwardContext& d, const Nll& n) {
    d[0] = nll_loss(d.g, d.saved(0), n.ignore_index, n.reduction);
  });
}

}  // namespace

Tensor nll_loss(const Tensor& x, const Tensor& target, int64_t ignore_index, Reduction reduction) {
  if (target.dtype() == uint8) return nll_loss(x, to(target, int64), ignore_index, reduction);
  const Nll a = checked_nll(x, target, ignore_index, reduction);
  const Tensor y = computed_nll(x, target, a);
  const Tensor loss = record(x.dim() > 2 ? nll_2d_op : nll_op, y, {&x, &target}, {{&target}}, a,
                             [](BackwardContext& d, const Nll& n) { d[0] = nll_grad(d.g, d.saved(0), n); });
  // PyTorch computes these shapes as images of one row.
  const bool reshaped = reduction == Reduction::None && (x.dim() == 3 || x.dim() > 4);
  return reshaped ? loss.view(loss.shape()) : loss;
}

// ================================================================ softmax_cross_entropy
GG_KERNEL(log_sums, kernels().log_sums);
GG_KERNEL(log_softmax_grad_at, kernels().log_softmax_grad_at);

namespace {

Tensor definition(std::span<const Tensor> in, const Nll& a);

constexpr Op cross_entropy_op{"softmax_cross_entropy", "SoftmaxCrossEntropyBackward0",
                              "−log softmax(x[i])[target[i]], its mean", why_defined<Nll, definition>},
    cross_entropy_grad_op{"softmax_cross_entropy_backward", "",
                          "(softmax(x) − 1 where target is this class)·g / count",
                          why_defined_grad<Nll, definition>};

// Returns nll_loss's arguments for log-probabilities that are already picked, one per target.
NllArguments arguments_of_picked(const Nll& a) {
  NllArguments arguments = arguments_of(a);
  arguments.picked = true;
  return arguments;
}

// y[i] = x[i, target[i]] − sums[0, i] − sums[1, i], or 0 if there is no such class; all contiguous.
void log_softmax_at_on_cpu(const View& x, const View& sums, const View& target, const View& y) {
  const int64_t rows = x.shape[0], classes = x.shape[1];
  floats(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T *const in = x.as<const T>(), *const top = sums.as<const T>(), *const log_sum = top + rows;
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t at = target.as<const int64_t>()[i];
      y.as<T>()[i] = at >= 0 && at < classes ? (in[i * classes + at] - top[i]) - log_sum[i] : T(0);
    }
  });
}

// The tensors that the node saves.
enum SavedLogits { kLogits, kTargets, kSums };

void fused_grad(BackwardContext& b, const Nll& a) {
  const Tensor x = b.saved(kLogits), target = b.saved(kTargets);
  Tensor dx = b.reuse_saved_buffer(kLogits);
  if (!dx || (x.device() == kCpu && !dx.is_contiguous())) dx = dense_result(x.shape(), x);
  const DType wide = computed_in(x.dtype());
  const Tensor slopes = zeros(target.shape(), wide, x.device());  // gradients of the log-probabilities
  nll_grad_on(x.device())(WidenedInput(dense(b.g)), target.raw(), arguments_of_picked(a), slopes.raw());
  if (x.numel() > 0)
    log_softmax_grad_at_on(x.device())(slopes.raw(), WidenedInput(x, NarrowAccess::NativeOnGpu),
                                       b.saved(kSums).raw(), target.raw(),
                                       RoundedOutput(dx, NarrowAccess::NativeOnGpu));
  b[0] = record(cross_entropy_grad_op, dx, {&b.g, &x, &target}, a);
}

Tensor definition(std::span<const Tensor> in, const Nll& a) {
  return nll_loss(log_softmax(a.in_float32 ? to(in[0], float32) : in[0], 1), in[1], a.ignore_index,
                  a.reduction);
}

// Returns x, or a copy if the kernels cannot read it. A GPU's kernels can read rows with gaps between them.
Tensor in_rows(const Tensor& x) {
  const bool rows = is_cuda(x.device()) && x.strides()[1] == 1 && x.strides()[0] >= x.shape()[1];
  return rows ? x : dense(x);
}

}  // namespace

GG_KERNEL(log_softmax_at, log_softmax_at_on_cpu);

Tensor softmax_cross_entropy(const Tensor& logits, const Tensor& targets, int64_t ignore_index) {
  check<ValueError>(logits.dim() == 2,
                    "softmax_cross_entropy: logits must have the shape (N, C), but have {}", logits.shape());
  Nll a = checked_nll(logits, targets, ignore_index, Reduction::Mean);
  a.in_float32 = is_narrow(logits.dtype()) && autocast_dtype(logits.device().type) != float32;
  if (const Tensor in[] = {logits, targets}; steps_are_watched()) return definition(in, a);
  Tensor x, target, sums, y;
  {
    const NoRecording no_recording;
    x = in_rows(logits), target = dense(targets);
    sums = dense_result({2, x.size(0)}, x, computed_in(x.dtype()));
    const Tensor picked = dense_result(x.size(0), x, sums.dtype());
    if (x.numel() > 0) {
      log_sums_on(x.device())(WidenedInput(x, NarrowAccess::NativeOnGpu), sums.raw());
      log_softmax_at_on(x.device())(WidenedInput(x, NarrowAccess::NativeOnGpu), sums.raw(), target.raw(),
                                    picked.raw());
    }
    y = dense_result({}, x, a.in_float32 ? float32 : x.dtype());
    nll_on(x.device())(picked.raw(), target.raw(), arguments_of_picked(a), RoundedOutput(y));
  }
  return record(cross_entropy_op, y, {&logits, &targets}, {{&x, true, 0}, {&target}, {&sums}}, a,
                [](BackwardContext& b, const Nll& n) {
                  grad_mode ? grad_of_definition(b, n, 2, definition) : fused_grad(b, n);
                });
}

// ================================================================ mse_loss
namespace {

struct Mse {
  Reduction reduction = Reduction::Mean;
  static constexpr AttrNames kNames{};
};
Tensor mse_definition(std::span<const Tensor> in, const Mse& a) {
  const Tensor squares = square(in[0] - in[1]);
  return a.reduction == Reduction::None  ? squares
         : a.reduction == Reduction::Sum ? sum(squares)
                                         : mean(squares);
}

constexpr Op mse_op{"mse_loss", "MseLossBackward0", "(x − target)², its mean or sum",
                    why_defined<Mse, mse_definition>};

Tensor mse_grad(const Tensor& g, const Tensor& x, const Tensor& target, Reduction reduction) {
  const Tensor distance = x - target;
  const double factor = reduction == Reduction::Mean ? 2.0 / double(distance.numel()) : 2.0;
  return distance * (is_narrow(g.dtype()) ? converted(factor, g.dtype()).item() : factor) * g;
}

}  // namespace

Tensor mse_loss(const Tensor& x, const Tensor& target, Reduction reduction) {
  check(is_floating(x.dtype()) || is_floating(target.dtype()), "\"mse_cpu\" not implemented for '{}'",
        scalar_type_name(x.dtype()));
  const Tensor in[] = {x, target};
  const Mse a{reduction};
  return record(mse_op, computed_by(mse_definition, in, a), {&x, &target}, {{&x}, {&target}}, a,
                [](BackwardContext& d, const Mse& m) {
                  if (d.needs(0)) d[0] = mse_grad(d.g, d.saved(0), d.saved(1), m.reduction);
                  if (d.needs(1)) d[1] = mse_grad(d.g, d.saved(1), d.saved(0), m.reduction);
                });
}

}  // namespace glassgrad
