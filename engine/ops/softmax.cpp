// Softmax and its logarithm.
#include <cmath>

#include "../glass/why.h"
#include "../ops.h"
#include "kernels.h"
#include "layout.h"
#include "promote.h"

namespace glassgrad {

GG_KERNEL(softmax, kernels().softmax);
GG_KERNEL(softmax_grad, kernels().softmax_grad);

namespace {

struct Softmax {
  int64_t dim = 0;
  static constexpr AttrNames kNames{"dim"};
};
// The row of input k that contains the cell.
std::vector<Expr> row_of(const Cell& c, size_t k) { return c.line(k, c.attr<Softmax>().dim); }
size_t place_in_row(const Cell& c) { return c.index.n ? size_t(c.index[c.attr<Softmax>().dim]) : 0; }

// Along the last dimension of a narrow tensor, PyTorch rounds these to its dtype: in log_softmax the sum and
// its logarithm, in both gradients the sum.
bool rounds_sum(const Tensor& x, int64_t dim) {
  return is_narrow(x.dtype()) && (x.dim() == 0 || dim == x.dim() - 1);
}
Expr rounded(const Cell& c, const Expr& e) {
  return rounds_sum(c.result(), c.attr<Softmax>().dim) ? cast(cast(e, c.result().dtype()), c.dtype()) : e;
}

// exp(x − max) of each number of the cell's row, with the max and the sum of the exps.
struct Exps {
  Expr top, sum;
  std::vector<Expr> exps;
};
Exps exps_of(const std::vector<Expr>& row) {
  const Expr top = max(row).called("max");
  std::vector<Expr> exps;
  for (const Expr& x : row) exps.push_back(exp(x - top));
  return {top, sum(exps).called("row sum"), exps};
}

// Over the last dimension the kernel multiplies by the reciprocal of the sum.
Expr why_softmax(const Cell& c) {
  const Exps e = exps_of(row_of(c, 0));
  const Expr own = e.exps[place_in_row(c)];
  const bool last = c.attr<Softmax>().dim == c.index.n - 1 || c.index.n == 0;
  return last ? own * (Expr(1.0) / e.sum) : own / e.sum;
}
Expr why_log_softmax(const Cell& c) {
  const Exps e = exps_of(row_of(c, 0));
  return c.in(0) - e.top - rounded(c, log(rounded(c, e.sum)));
}
// Inputs: g, y.
Expr why_softmax_grad(const Cell& c) {
  const std::vector<Expr> g = row_of(c, 0), y = row_of(c, 1);
  std::vector<Expr> products;
  for (size_t i = 0; i < g.size(); ++i) products.push_back(g[i] * y[i]);
  return (c.in(0) - rounded(c, sum(products)).called("row sum of g·y")) * c.in(1);
}
Expr why_log_softmax_grad(const Cell& c) {
  return fma(-exp(c.in(1)), rounded(c, sum(row_of(c, 0))).called("row sum of g"), c.in(0));
}

constexpr Op softmax_op{"softmax", "SoftmaxBackward0", "exp(x − max) / Σ exp(x − max)", why_softmax},
    log_softmax_op{"log_softmax", "LogSoftmaxBackward0", "x − max − log Σ exp(x − max)", why_log_softmax},
    softmax_grad_op{"softmax_backward_data", "SoftmaxBackwardDataBackward0", "y · (g − Σ g·y)",
                    why_softmax_grad},
    log_softmax_grad_op{"log_softmax_backward_data", "LogSoftmaxBackwardDataBackward0", "g − exp(y) · Σ g",
                        why_log_softmax_grad};

Tensor narrow_log_softmax(const Tensor& x, int dim) {
  const NoRecording no_recording;
  const auto rounded_sum = [&](const Tensor& sum) { return widened(converted(sum, x.dtype())); };
  const Tensor wide = widened(dense(x)), distance = wide - amax(wide, dim, true);
  return converted(distance - rounded_sum(log(rounded_sum(sum(exp(distance), dim, true)))), x.dtype());
}

Tensor computed(const Tensor& x, int dim, bool logarithm) {
  if (!is_floating(x.dtype())) {
    const bool last = dim == x.dim() - 1 || x.dim() == 0;
    fail("\"{}softmax_{}kernel_impl\" not implemented for '{}'", logarithm && last ? "log_" : "",
         last ? "lastdim_" : "", scalar_type_name(x.dtype()));
  }
  if (logarithm && rounds_sum(x, dim) && x.numel() > 0) return narrow_log_softmax(x, dim);
  Tensor y = dense_result(x.shape(), x);
  softmax_on(x.device())(WidenedInput(dense(x)), RoundedOutput(y), dim, logarithm);
  return y;
}

Tensor narrow_grad(const Tensor& g, const Tensor& y, int64_t dim, bool logarithm) {
  const NoRecording no_recording;
  const Tensor slope = widened(dense(g)), wide = widened(dense(y));
  const Tensor total = widened(converted(sum(logarithm ? slope : slope * wide, dim, true), y.dtype()));
  return converted(logarithm ? slope - exp(wide) * total : (slope - total) * wide, y.dtype());
}

Tensor fused_grad(const Op& op, const Tensor& g, const Tensor& y, const Softmax& a, bool logarithm) {
  if (rounds_sum(y, a.dim) && y.numel() > 0)
    return record(op, narrow_grad(g, y, a.dim, logarithm), {&g, &y}, a);
  Tensor dx = dense_result(y.shape(), y);
  softmax_grad_on(y.device())(WidenedInput(dense(g)), WidenedInput(dense(y)), RoundedOutput(dx), int(a.dim),
                              logarithm);
  return record(op, dx, {&g, &y}, a);
}

// Runs one kernel; in grad mode composes ops, so that the gradient can be differentiated again.
Tensor softmax_grad(const Tensor& g, const Tensor& y, const Softmax& a) {
  if (!grad_mode) return fused_grad(softmax_grad_op, g, y, a, false);
  return y * (g - sum(g * y, a.dim, true));
}
Tensor log_softmax_grad(const Tensor& g, const Tensor& y, const Softmax& a) {
  if (!grad_mode) return fused_grad(log_softmax_grad_op, g, y, a, true);
  return g - exp(y) * sum(g, a.dim, true);
}

}  // namespace

Tensor softmax(const Tensor& x, int64_t dim) {
  const int d = wrap_dim(dim, x.dim());
  Tensor y = computed(x, d, false);
  return record(softmax_op, y, {&x}, {{&y}}, Softmax{d},
                [](BackwardContext& b, const Softmax& a) { b[0] = softmax_grad(b.g, b.saved(0), a); });
}

Tensor log_softmax(const Tensor& x, int64_t dim) {
  const int d = wrap_dim(dim, x.dim());
  Tensor y = computed(x, d, true);
  return record(log_softmax_op, y, {&x}, {{&y}}, Softmax{d},
                [](BackwardContext& b, const Softmax& a) { b[0] = log_softmax_grad(b.g, b.saved(0), a); });
}

// Softmax with 0 in the lines that are −∞ throughout. Finding these lines is not part of the graph. On a GPU
// the mask is always applied, because testing whether there are any would wait for the GPU.
Tensor safe_softmax(const Tensor& x, int64_t dim) {
  const int d = wrap_dim(dim, x.dim());
  const auto is_blind = [&] { return eq(amax(x.detach(), d, true), -INFINITY); };
  const auto has_blind = [&] {
    const NoRecording no_recording;
    return any(is_blind()).item<bool>();
  };
  if (!is_floating(x.dtype()) || x.numel() == 0 || x.device() == kMeta ||
      (x.device() == kCpu && !has_blind()))
    return softmax(x, d);
  const Tensor blind = is_blind();
  return masked_fill(softmax(masked_fill(x, blind, 0), d), blind, 0);
}

}  // namespace glassgrad
