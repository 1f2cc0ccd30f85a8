#include "nn/optim.h"

#include <cmath>

#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::nn::optim {

namespace {

// The condition is written so that NaN fails, as in PyTorch.
void check_not_negative(double value, const char* what) {
  check<ValueError>(0 <= value, "Invalid {}: {}", what, python_float(value));
}

std::vector<ParamGroup> one_group(std::vector<Tensor> params, double lr, double weight_decay) {
  check_not_negative(lr, "learning rate");  // PyTorch checks lr before it checks the list
  check<ValueError>(!params.empty(), "optimizer got an empty parameter list");
  std::vector<ParamGroup> groups;
  groups.push_back({std::move(params), lr, weight_decay});
  return groups;
}

}  // namespace

// ---- Optimizer
Optimizer::Optimizer(std::vector<ParamGroup> groups) {
  check<ValueError>(!groups.empty(), "optimizer got an empty parameter list");
  for (ParamGroup& group : groups) add_param_group(std::move(group));
}

void Optimizer::add_param_group(ParamGroup group) {
  check_not_negative(group.lr, "learning rate");
  check_not_negative(group.weight_decay, "weight_decay value");
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
  std::vector<Update> updates;
  for (const ParamGroup& group : groups_)
    for (const Tensor& p : group.params) {
      const Tensor g = p.grad();
      if (!g) continue;
      State& state = states_[p.ref().get()];
      ++state.steps;
      updates.push_back({p, g, state, group});
    }
  update(updates);
}

void Optimizer::zero_grad(bool set_to_none) const {
  for (const ParamGroup& group : groups_) optim::zero_grad(group.params, set_to_none);
}

// ---- SGD
namespace {

SgdStep checked(const SgdStep& a) {
  check_not_negative(a.momentum, "momentum value");
  check<ValueError>(!a.nesterov || (a.momentum > 0 && a.dampening == 0),
                    "Nesterov momentum requires a momentum and zero dampening");
  return a;
}

}  // namespace

SGD::SGD(std::vector<Tensor> params, double lr, double momentum, double dampening, double weight_decay,
         bool nesterov)
    : SGD(one_group(std::move(params), lr, weight_decay), momentum, dampening, nesterov) {}

SGD::SGD(std::vector<ParamGroup> groups, double momentum, double dampening, bool nesterov)
    : Optimizer(std::move(groups)),
      numbers_(checked({.momentum = momentum, .dampening = dampening, .nesterov = nesterov})) {}

Optimizer::StateNames SGD::state_names() const {
  return {.first = numbers_.momentum != 0 ? "momentum_buffer" : nullptr};
}

void SGD::update(std::span<const Update> all) const {
  std::vector<SgdOperands> operands;
  for (const auto& [p, g, state, group] : all) {
    SgdStep a = numbers_;
    a.lr = group.lr;
    a.weight_decay = group.weight_decay;
    a.step = state.steps;
    if (a.momentum != 0 && !state.first) state.first = zeros(p.shape(), p.dtype(), p.device());
    operands.push_back({p, g, state.first, a});
  }
  sgd_(operands);
}

// ---- Adam
namespace {

AdamStep checked(const AdamStep& a) {
  check_not_negative(a.eps, "epsilon value");
  check<ValueError>(0 <= a.beta1 && a.beta1 < 1, "Invalid beta parameter at index 0: {}",
                    python_float(a.beta1));
  check<ValueError>(0 <= a.beta2 && a.beta2 < 1, "Invalid beta parameter at index 1: {}",
                    python_float(a.beta2));
  return a;
}

}  // namespace

Adam::Adam(std::vector<ParamGroup> groups, const AdamStep& numbers)
    : Optimizer(std::move(groups)), numbers_(checked(numbers)) {}

Adam::Adam(std::vector<Tensor> params, double lr, Betas betas, double eps, double weight_decay)
    : Adam(one_group(std::move(params), lr, weight_decay), betas, eps) {}

Adam::Adam(std::vector<ParamGroup> groups, Betas betas, double eps)
    : Adam(std::move(groups), AdamStep{.beta1 = betas.first, .beta2 = betas.second, .eps = eps}) {}

AdamW::AdamW(std::vector<Tensor> params, double lr, Betas betas, double eps, double weight_decay)
    : AdamW(one_group(std::move(params), lr, weight_decay), betas, eps) {}

AdamW::AdamW(std::vector<ParamGroup> groups, Betas betas, double eps)
    : Adam(std::move(groups),
           AdamStep{.beta1 = betas.first, .beta2 = betas.second, .eps = eps, .decoupled = true}) {}

Optimizer::StateNames Adam::state_names() const { return {"exp_avg", "exp_avg_sq"}; }

void Adam::update(std::span<const Update> all) const {
  std::vector<AdamOperands> operands;
  operands.reserve(all.size());
  for (const auto& [p, g, state, group] : all) {
    AdamStep a = numbers_;
    a.lr = group.lr;
    a.weight_decay = group.weight_decay;
    a.step = state.steps;
    if (!state.first) {
      state.first = zeros(p.shape(), p.dtype(), p.device());
      state.second = zeros(p.shape(), p.dtype(), p.device());
    }
    operands.push_back({p, g, state.first, state.second, a});
  }
  adam_(operands);
}

// ---- gradients
void zero_grad(const std::vector<Tensor>& params, bool set_to_none) {
  for (const Tensor& p : params)
    if (set_to_none)
      p.set_grad({});
    else if (p.grad())
      zero_(p.grad());
}

Tensor clip_grad_norm_(const std::vector<Tensor>& params, double max_norm, bool error_if_nonfinite) {
  const NoGrad no_grad;
  std::vector<Tensor> grads;
  for (const Tensor& p : params)
    if (p.grad()) grads.push_back(p.grad());
  if (grads.empty()) return zeros({});
  const Tensor total = norm(norms(grads));
  check(
      !error_if_nonfinite || std::isfinite(total.item()),
      "The total norm of order 2.0 for gradients from `parameters` is non-finite, so it cannot be clipped. To "
      "disable this error and scale the gradients by the non-finite norm anyway, set "
      "`error_if_nonfinite=False`");
  const Tensor factor = clamp(max_norm / (total + 1e-6), {}, 1);
  mul_all_(grads, factor);
  return total;
}

}  // namespace glassgrad::nn::optim
