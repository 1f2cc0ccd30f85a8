// The steps of optimizers, each an in-place op on one parameter.
#include <cmath>

#include "../cpu/kernels.h"
#include "../ops.h"
#include "../why.h"
#include "dense.h"
#include "promote.h"

namespace glassgrad {
namespace {

AdamNumbers numbers_of(const AdamStep& a) {
  const double correction1 = 1 - std::pow(a.beta1, double(a.step)),
               correction2 = 1 - std::pow(a.beta2, double(a.step));
  return {.shrink = a.decoupled ? 1 - a.lr * a.weight_decay : 1.0,
          .decay = a.decoupled ? 0.0 : a.weight_decay,
          .beta1 = a.beta1,
          .beta2 = a.beta2,
          .eps = a.eps,
          .step_size = a.lr / correction1,
          .root_correction = std::sqrt(correction2)};
}

// Inputs and results p, mean, square; the last input is g.
Expr why_adam(const Cell& c) {
  const AdamNumbers a = numbers_of(c.attr<AdamStep>());
  const Expr weight = c.in(0) * Expr(a.shrink), g = c.in(3);
  const Expr grad = a.decay != 0 ? fma(weight, Expr(a.decay), g) : g;
  const Expr share(1 - a.beta1), distance = grad - c.in(1);
  const Expr mean =
      to_double(share.value()) < 0.5 ? fma(share, distance, c.in(1)) : fma(share - Expr(1.0), distance, grad);
  const Expr square = fma(Expr(1 - a.beta2) * grad, grad, c.in(2) * Expr(a.beta2));
  if (c.out == 1) return mean;
  if (c.out == 2) return square;
  return weight + Expr(-a.step_size) * mean.called("mean") /
                      (sqrt(square.called("square")) / Expr(a.root_correction) + Expr(a.eps));
}

// Inputs and results p and, if there is one, the momentum; the last input is g.
Expr why_sgd(const Cell& c) {
  const auto& a = c.attr<SgdStep>();
  const bool runs = c.call.in.size() == 3;
  const Expr g = c.in(c.call.in.size() - 1);
  Expr grad = a.weight_decay != 0 ? fma(c.in(0), Expr(a.weight_decay), g) : g;
  if (runs) {
    const Expr momentum(a.momentum);
    const Expr run = a.step == 1 ? grad : fma(grad, Expr(1 - a.dampening), c.in(1) * momentum);
    if (c.out == 1) return run;
    grad = a.nesterov ? fma(run, momentum, grad) : run;
  }
  return fma(grad, Expr(-a.lr), c.in(0));
}

constexpr Op adam_op{"adam_", "", "p − lr · (m / (1 − β₁ᵗ)) / (√(v / (1 − β₂ᵗ)) + eps)", why_adam},
    sgd_op{"sgd_", "", "p − lr · g", why_sgd};

void check_state(const Tensor& p, const Tensor& state) {
  check(state.is_contiguous() && state.shape() == p.shape() && state.dtype() == p.dtype(),
        "the state of an optimizer must be contiguous, of the parameter's shape {} and of its dtype",
        p.shape());
}

// Runs step(p, g) on the numbers of p and of its gradient. It writes the state as well, and the trace sees
// both written.
template <class A, class F>
Tensor stepped(const Op& op, const Tensor& p, const Tensor& g, std::initializer_list<Tensor> state,
               const A& attr, F step) {
  check(is_floating(p.dtype()) && g.dtype() == p.dtype() && g.shape() == p.shape(),
        "a step needs a gradient of the parameter's shape {} and dtype {}", p.shape(), dtype_name(p.dtype()));
  const NoGrad no_graph;
  announce(p);
  for (const Tensor& s : state) announce(s);
  const Tensor numbers = dense(p), gradient = dense(g);
  step(numbers.raw(), gradient.raw());
  if (numbers.ref() != p.ref()) assign(p, numbers);
  std::vector<Tensor> written = {p};
  written.insert(written.end(), state.begin(), state.end());
  std::vector<const Tensor*> read;
  for (const Tensor& x : written) begin_rebase(x), finish_rebase(x, {}), read.push_back(&x);
  read.push_back(&g);
  record_outputs(op, written, 0, read, {}, attr, [](Back&, const A&) {});
  return p;
}

}  // namespace

Tensor adam_(const Tensor& p, const Tensor& g, const Tensor& mean, const Tensor& square, const AdamStep& a) {
  check_state(p, mean);
  check_state(p, square);
  return stepped(adam_op, p, g, {mean, square}, a, [&](const View& weights, const View& gradient) {
    kernels().adam(p.numel(), weights, gradient, mean.raw(), square.raw(), numbers_of(a));
  });
}

Tensor sgd_(const Tensor& p, const Tensor& g, const Tensor& momentum, const SgdStep& a) {
  const SgdNumbers numbers{a.lr, a.momentum, a.dampening, a.weight_decay, a.nesterov, a.step == 1};
  const auto step = [&](const View& weights, const View& gradient) {
    const View run = momentum ? momentum.raw() : View{nullptr, {}, {}, p.dtype()};
    kernels().sgd(p.numel(), weights, gradient, run, numbers);
  };
  if (!momentum) return stepped(sgd_op, p, g, {}, a, step);
  check_state(p, momentum);
  return stepped(sgd_op, p, g, {momentum}, a, step);
}

}  // namespace glassgrad
