// Optimizer steps, each an in-place op on one parameter.
#include <cmath>

#include "../glass/why.h"
#include "../ops.h"
#include "kernels.h"
#include "layout.h"
#include "promote.h"

namespace glassgrad {
namespace {

AdamArguments arguments_of(const AdamStep& a) {
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

// Inputs: p, mean, square, g. Results: p, mean, square.
Expr why_adam(const Cell& c) {
  const AdamArguments a = arguments_of(c.attr<AdamStep>());
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

// Inputs: p, the momentum if there is one, g. Results: p and the momentum.
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

// ---------------------------------------------------------------- kernels
void adam_on_cpu(std::span<const AdamTensors> all, DType dtype) {
  const auto view = [&](const void* data) { return View{const_cast<void*>(data), {}, {}, dtype}; };
  for (const auto& x : all)
    kernels().adam(x.n, view(x.p), view(x.g), view(x.mean), view(x.square), x.arguments);
}
void sgd_on_cpu(std::span<const SgdTensors> all, DType dtype) {
  const auto view = [&](const void* data) { return View{const_cast<void*>(data), {}, {}, dtype}; };
  for (const auto& x : all) kernels().sgd(x.n, view(x.p), view(x.g), view(x.momentum), x.arguments);
}

// ---------------------------------------------------------------- shared by all steps
std::vector<Tensor> state_of(const AdamOperands& x) { return {x.mean, x.square}; }
std::vector<Tensor> state_of(const SgdOperands& x) {
  return x.momentum ? std::vector<Tensor>{x.momentum} : std::vector<Tensor>{};
}

// A parameter, its gradient and its state, contiguous and widened if narrow.
struct WidenedOperands {
  Tensor p, g;
  std::vector<Tensor> state;  // widened too, if narrow
  void* weights() const { return p.raw().data; }
  const void* gradient() const { return g.raw().data; }
};

template <class Operands>
WidenedOperands prepare(const Operands& x) {
  const Tensor &p = x.p, &g = x.g;
  check(is_floating(p.dtype()) && g.dtype() == p.dtype() && g.shape() == p.shape(),
        "a step needs a gradient of the parameter's shape {} and dtype {}", p.shape(), dtype_name(p.dtype()));
  check_same_device({&p, &g});
  std::vector<Tensor> state = state_of(x);
  for (const Tensor& s : state) {
    check(s.is_contiguous() && s.shape() == p.shape() && s.dtype() == p.dtype(),
          "the state of an optimizer must be contiguous, of the parameter's shape {} and of its dtype",
          p.shape());
    check_same_device({&p, &s});
  }
  announce(p);
  for (const Tensor& s : state) announce(s);
  WidenedOperands numbers{widened(dense(p)), widened(dense(g)), std::move(state)};
  for (Tensor& s : numbers.state) s = widened(s);
  return numbers;
}

// Writes the results back if they are copies, and records that parameter and state were written.
template <class Operands>
void finish(const Op& op, const Operands& x, const WidenedOperands& numbers) {
  std::vector<Tensor> written = state_of(x);
  if (numbers.p.ref() != x.p.ref()) assign(x.p, numbers.p);
  for (size_t i = 0; i < written.size(); ++i)
    if (numbers.state[i].ref() != written[i].ref()) assign(written[i], numbers.state[i]);
  written.insert(written.begin(), x.p);
  std::vector<const Tensor*> read;
  for (const Tensor& y : written) begin_rebase(y), finish_rebase(y, {}), read.push_back(&y);
  read.push_back(&x.g);
  record_outputs(op, written, 0, read, {}, x.step, [](BackwardContext&, const auto&) {});
}

// A step on narrow numbers. They are held widened, and each op's result is rounded to their dtype, as in
// PyTorch.
struct NarrowStep {
  DType dtype;
  const WidenedOperands& x;

  Tensor rounded(const Tensor& v) const { return widened(converted(v, dtype)); }
  double rounded(double v) const { return converted(v, dtype).item(); }

  void take(const AdamStep& step) const {
    const AdamArguments a = arguments_of(step);
    const Tensor weight = a.shrink == 1 ? x.p : rounded(x.p * a.shrink);
    const Tensor g = a.decay == 0 ? x.g : rounded(x.g + rounded(weight * rounded(a.decay)));
    const double share = 1 - a.beta1;
    const Tensor way = g - x.state[0];
    const Tensor mean = rounded(share < 0.5 ? x.state[0] + way * share : g - way * (1 - share));
    const Tensor square = rounded(rounded(x.state[1] * a.beta2) + g * (1 - a.beta2) * g);
    const Tensor root = rounded(rounded(rounded(sqrt(square)) / a.root_correction) + rounded(a.eps));
    assign(x.p, weight + mean * -a.step_size / root);
    assign(x.state[0], mean);
    assign(x.state[1], square);
  }
  void take(const SgdStep& a) const {
    Tensor g = a.weight_decay == 0 ? x.g : rounded(x.g + rounded(x.p * rounded(a.weight_decay)));
    if (!x.state.empty()) {
      const Tensor& run = x.state[0];
      if (a.step == 1)
        assign(run, g);
      else
        assign(run, rounded(rounded(run * a.momentum) + rounded(g * rounded(1 - a.dampening))));
      g = a.nesterov ? rounded(g + rounded(run * rounded(a.momentum))) : run;
    }
    assign(x.p, x.p + rounded(g * rounded(-a.lr)));
  }
};

// Returns how many parameters, from the first on, one call of the kernel can update.
template <class Operands>
size_t together(std::span<const Operands> all) {
  size_t n = 1;
  const Tensor& p = all[0].p;
  while ((is_cuda(p.device()) || !watching) && n < all.size() && all[n].p.device() == p.device() &&
         all[n].p.dtype() == p.dtype())
    ++n;
  return n;
}

// Steps all parameters with the kernel that kernel_on picks; tensors(x, prepared) makes its arguments for one
// parameter.
template <class Operands, class KernelOn, class F>
void step_all(const Op& op, std::span<const Operands> all, KernelOn kernel_on, F tensors) {
  const NoGrad no_graph;
  while (!all.empty()) {
    const auto some = all.first(together(all));
    all = all.subspan(some.size());
    std::vector<WidenedOperands> numbers;
    std::vector<decltype(tensors(some[0], numbers[0]))> list;
    numbers.reserve(some.size()), list.reserve(some.size());
    for (const Operands& x : some) {
      numbers.push_back(prepare(x));
      list.push_back(tensors(x, numbers.back()));
    }
    const Tensor& p = some[0].p;
    if (is_narrow(p.dtype())) {
      const Watch nobody(nullptr);
      for (size_t i = 0; i < some.size(); ++i) NarrowStep{p.dtype(), numbers[i]}.take(some[i].step);
    } else {
      kernel_on(p.device())(list, p.dtype());
    }
    for (size_t i = 0; i < some.size(); ++i) finish(op, some[i], numbers[i]);
  }
}

}  // namespace

// Like Kernels::adam and sgd, on several parameters of one dtype at once. A null momentum means none.
GG_KERNEL(adam, adam_on_cpu);
GG_KERNEL(sgd, sgd_on_cpu);

void adam_(std::span<const AdamOperands> all) {
  step_all(adam_op, all, adam_on, [](const AdamOperands& x, const WidenedOperands& r) {
    return AdamTensors{x.p.numel(),           r.weights(),           r.gradient(),
                       r.state[0].raw().data, r.state[1].raw().data, arguments_of(x.step)};
  });
}
Tensor adam_(const Tensor& p, const Tensor& g, const Tensor& mean, const Tensor& square, const AdamStep& a) {
  const AdamOperands one[] = {{p, g, mean, square, a}};
  adam_(one);
  return p;
}

void sgd_(std::span<const SgdOperands> all) {
  step_all(sgd_op, all, sgd_on, [](const SgdOperands& x, const WidenedOperands& r) {
    const SgdStep& a = x.step;
    return SgdTensors{x.p.numel(),
                      r.weights(),
                      r.gradient(),
                      r.state.empty() ? nullptr : r.state[0].raw().data,
                      {a.lr, a.momentum, a.dampening, a.weight_decay, a.nesterov, a.step == 1}};
  });
}
Tensor sgd_(const Tensor& p, const Tensor& g, const Tensor& momentum, const SgdStep& a) {
  const SgdOperands one[] = {{p, g, momentum, a}};
  sgd_(one);
  return p;
}

}  // namespace glassgrad
