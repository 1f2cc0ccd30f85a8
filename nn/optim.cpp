#include "nn/optim.h"

#include "engine/print.h"

namespace glassgrad::nn::optim {

// ---- what all share
Optimizer::Optimizer(std::vector<Tensor> params, double lr, double weight_decay) {
  check<ValueError>(!params.empty(), "optimizer got an empty parameter list");
  add_param_group({std::move(params), lr, weight_decay});
}

void Optimizer::add_param_group(ParamGroup group) {
  for (const Tensor& p : group.params) {
    check<ValueError>(p.is_leaf(), "can't optimize a non-leaf Tensor");
    for (const ParamGroup& other : groups_)
      for (const Tensor& q : other.params)
        check<ValueError>(p.ref() != q.ref(), "some parameters appear in more than one parameter group");
  }
  groups_.push_back(std::move(group));
}

void Optimizer::step() {
  const NoGrad no_grad;
  for (const ParamGroup& group : groups_)
    for (const Tensor& p : group.params) {
      const Tensor g = p.grad();
      if (!g) continue;
      State& state = states_[p.ref().get()];
      ++state.steps;
      update(p, g, state, group);
    }
}

void Optimizer::zero_grad() const {
  for (const ParamGroup& group : groups_)
    for (const Tensor& p : group.params) p.set_grad({});
}

namespace {

// Written so that NaN fails where it does in PyTorch.
void check_not_negative(double value, const char* what) {
  check<ValueError>(0 <= value, "Invalid {}: {}", what, python_float(value));
}

// ---- SGD
SgdStep checked(const SgdStep& a) {
  check_not_negative(a.lr, "learning rate");
  check_not_negative(a.momentum, "momentum value");
  check_not_negative(a.weight_decay, "weight_decay value");
  check<ValueError>(!a.nesterov || (a.momentum > 0 && a.dampening == 0),
                    "Nesterov momentum requires a momentum and zero dampening");
  return a;
}

}  // namespace

SGD::SGD(std::vector<Tensor> params, double lr, double momentum, double dampening, double weight_decay,
         bool nesterov)
    : Optimizer((checked({lr, momentum, dampening, weight_decay, nesterov}), std::move(params)), lr,
                weight_decay),
      numbers_{lr, momentum, dampening, weight_decay, nesterov} {}

void SGD::update(const Tensor& p, const Tensor& g, State& state, const ParamGroup& group) const {
  SgdStep a = numbers_;
  a.lr = group.lr;
  a.weight_decay = group.weight_decay;
  a.step = state.steps;
  if (a.momentum != 0 && !state.first) state.first = zeros(p.shape(), p.dtype());
  sgd_(p, g, state.first, a);
}

// ---- Adam
namespace {

AdamStep checked(const AdamStep& a) {
  check_not_negative(a.lr, "learning rate");
  check_not_negative(a.eps, "epsilon value");
  check<ValueError>(0 <= a.beta1 && a.beta1 < 1, "Invalid beta parameter at index 0: {}",
                    python_float(a.beta1));
  check<ValueError>(0 <= a.beta2 && a.beta2 < 1, "Invalid beta parameter at index 1: {}",
                    python_float(a.beta2));
  check_not_negative(a.weight_decay, "weight_decay value");
  return a;
}

}  // namespace

Adam::Adam(std::vector<Tensor> params, const AdamStep& numbers)
    : Optimizer((checked(numbers), std::move(params)), numbers.lr, numbers.weight_decay), numbers_(numbers) {}

Adam::Adam(std::vector<Tensor> params, double lr, Betas betas, double eps, double weight_decay)
    : Adam(std::move(params), AdamStep{lr, betas.first, betas.second, eps, weight_decay}) {}

AdamW::AdamW(std::vector<Tensor> params, double lr, Betas betas, double eps, double weight_decay)
    : Adam(std::move(params), AdamStep{lr, betas.first, betas.second, eps, weight_decay, true}) {}

void Adam::update(const Tensor& p, const Tensor& g, State& state, const ParamGroup& group) const {
  AdamStep a = numbers_;
  a.lr = group.lr;
  a.weight_decay = group.weight_decay;
  a.step = state.steps;
  if (!state.first) {
    state.first = zeros(p.shape(), p.dtype());
    state.second = zeros(p.shape(), p.dtype());
  }
  adam_(p, g, state.first, state.second, a);
}

// ---- clipping
Tensor clip_grad_norm_(const std::vector<Tensor>& params, double max_norm) {
  const NoGrad no_grad;
  std::vector<Tensor> norms;
  for (const Tensor& p : params)
    if (p.grad()) norms.push_back(norm(p.grad()));
  if (norms.empty()) return zeros({});
  const Tensor total = norm(stack(norms));
  const Tensor factor = clamp(max_norm / (total + 1e-6), {}, 1);
  for (const Tensor& p : params)
    if (p.grad()) mul_(p.grad(), factor);
  return total;
}

}  // namespace glassgrad::nn::optim
