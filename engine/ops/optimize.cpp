// The steps of optimizers, each an in-place op on one parameter.
#include <cmath>

#include "../cpu/kernels.h"
#include "../ops.h"
#include "dense.h"
#include "promote.h"

namespace glassgrad {
namespace {

constexpr Op adam_op{"adam_", "", "p − lr · (m / (1 − β₁ᵗ)) / (√(v / (1 − β₂ᵗ)) + eps)"},
    sgd_op{"sgd_", "", "p − lr · g"};

void check_state(const Tensor& p, const Tensor& state) {
  check(state.is_contiguous() && state.shape() == p.shape() && state.dtype() == p.dtype(),
        "the state of an optimizer must be contiguous, of the parameter's shape {} and of its dtype",
        p.shape());
}

// Runs step(p, g) on the numbers of p, which is announced, and of its gradient.
template <class A, class F>
Tensor stepped(const Op& op, const Tensor& p, const Tensor& g, const A& attr, F step) {
  check(is_floating(p.dtype()) && g.dtype() == p.dtype() && g.shape() == p.shape(),
        "a step needs a gradient of the parameter's shape {} and dtype {}", p.shape(), dtype_name(p.dtype()));
  const NoGrad no_graph;
  announce(p);
  const Tensor numbers = dense(p), gradient = dense(g);
  step(numbers.raw(), gradient.raw());
  if (numbers.ref() != p.ref()) assign(p, numbers);
  return record_in_place(op, p, {&p, &g}, {}, attr, [](Back&, const A&) {});
}

}  // namespace

Tensor adam_(const Tensor& p, const Tensor& g, const Tensor& mean, const Tensor& square, const AdamStep& a) {
  check_state(p, mean);
  check_state(p, square);
  const double correction1 = 1 - std::pow(a.beta1, double(a.step)),
               correction2 = 1 - std::pow(a.beta2, double(a.step));
  const AdamNumbers numbers{a.decoupled ? 1 - a.lr * a.weight_decay : 1.0,
                            a.decoupled ? 0.0 : a.weight_decay,
                            a.beta1,
                            a.beta2,
                            a.eps,
                            a.lr / correction1,
                            std::sqrt(correction2)};
  return stepped(adam_op, p, g, a, [&](const View& weights, const View& gradient) {
    kernels().adam(p.numel(), weights, gradient, mean.raw(), square.raw(), numbers);
  });
}

Tensor sgd_(const Tensor& p, const Tensor& g, const Tensor& momentum, const SgdStep& a) {
  if (momentum) check_state(p, momentum);
  const SgdNumbers numbers{a.lr, a.momentum, a.dampening, a.weight_decay, a.nesterov, a.step == 1};
  return stepped(sgd_op, p, g, a, [&](const View& weights, const View& gradient) {
    const View run = momentum ? momentum.raw() : View{nullptr, {}, {}, p.dtype()};
    kernels().sgd(p.numel(), weights, gradient, run, numbers);
  });
}

}  // namespace glassgrad
