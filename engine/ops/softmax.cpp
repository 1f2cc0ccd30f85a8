// Softmax and its logarithm.
#include "../cpu/kernels.h"
#include "../ops.h"
#include "dense.h"

namespace glassgrad {
namespace {

struct Softmax {
  int64_t dim = 0;
  template <class V>
  void each(V&& visit) const {
    visit("dim", dim);
  }
};
constexpr Op softmax_op{"softmax", "SoftmaxBackward0", "exp(x − max) / Σ exp(x − max)"},
    log_softmax_op{"log_softmax", "LogSoftmaxBackward0", "x − max − log Σ exp(x − max)"},
    softmax_grad_op{"softmax_backward_data", "SoftmaxBackwardDataBackward0", "y · (g − Σ g·y)"},
    log_softmax_grad_op{"log_softmax_backward_data", "LogSoftmaxBackwardDataBackward0", "g − exp(y) · Σ g"};

Tensor computed(const Tensor& x, int dim, bool logarithm) {
  if (!is_floating(x.dtype())) {
    const bool last = dim == x.dim() - 1 || x.dim() == 0;
    fail("\"{}softmax_{}kernel_impl\" not implemented for '{}'", logarithm && last ? "log_" : "",
         last ? "lastdim_" : "", scalar_type_name(x.dtype()));
  }
  Tensor y = dense_result(x.shape(), x);
  kernels().softmax(dense(x).raw(), y.raw(), dim, logarithm);
  return y;
}

Tensor fused_grad(const Op& op, const Tensor& g, const Tensor& y, const Softmax& a, bool logarithm) {
  Tensor dx = dense_result(y.shape(), y);
  kernels().softmax_grad(dense(g).raw(), dense(y).raw(), dx.raw(), int(a.dim), logarithm);
  return record(op, dx, {&g, &y}, a);
}

// One kernel when nobody differentiates it again, ops otherwise.
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
                [](Back& b, const Softmax& a) { b[0] = softmax_grad(b.g, b.saved(0), a); });
}

Tensor log_softmax(const Tensor& x, int64_t dim) {
  const int d = wrap_dim(dim, x.dim());
  Tensor y = computed(x, d, true);
  return record(log_softmax_op, y, {&x}, {{&y}}, Softmax{d},
                [](Back& b, const Softmax& a) { b[0] = log_softmax_grad(b.g, b.saved(0), a); });
}

}  // namespace glassgrad
