// Optimizers: a step changes every parameter by its gradient (torch.optim, with its arguments, defaults and
// roundings).
//
//   optim::AdamW optimizer(model.parameters(), 1e-3);
//   optimizer.zero_grad();
//   loss(model(x)).backward();
//   optimizer.step();
#pragma once
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/ops.h"
#include "engine/tensor.h"

namespace glassgrad::nn::optim {

// Parameters that share a learning rate and a weight decay. Both may be changed between steps, as schedules
// do.
struct ParamGroup {
  std::vector<Tensor> params;
  double lr, weight_decay;
};

// The base of all optimizers. Parameters come as one list, or in groups with their own lr and weight_decay.
// The constructor throws ValueErrors: `optimizer got an empty parameter list`, `can't optimize a non-leaf
// Tensor`, `Invalid learning rate: -1.0`, `Invalid weight_decay value: -1.0`.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Makes one step for every parameter that has a gradient; other parameters and their state stay unchanged.
  void step();
  // Makes every parameter's grad undefined, or else fills it with 0.
  void zero_grad(bool set_to_none = true) const;
  // Throws ValueError `some parameters appear in more than one parameter group`.
  void add_param_group(ParamGroup group);
  std::vector<ParamGroup>& param_groups() { return groups_; }

  // Everything that a run needs to continue bit for bit, as tensors: param_groups.G.lr and .weight_decay (0-d
  // float64). Once parameter P, counted through all groups, has made a step: state.P.step (0-d int64),
  // state.P.exp_avg and .exp_avg_sq, or .momentum_buffer. The last three are the optimizer's own tensors:
  // clone them to keep them. The other arguments (betas, momentum, …) are not saved; pass them to the
  // constructor again.
  std::vector<NamedTensor> state_dict() const;
  // Copies the tensors to the parameters' devices. Throws Error `Error(s) in loading the state of the
  // optimizer:` with every name that is missing or unexpected and every shape that differs; nothing is
  // changed then.
  void load_state_dict(const std::vector<NamedTensor>& state);

 protected:
  explicit Optimizer(std::vector<ParamGroup> groups);

  // The state of one parameter.
  struct State {
    int64_t steps = 0;  // including the current one
    Tensor first, second;
  };
  // The names of the two tensors in state_dict; null for one that is not kept.
  struct StateNames {
    const char *first = nullptr, *second = nullptr;
  };
  virtual StateNames state_names() const = 0;
  // A parameter p and its gradient g.
  struct Update {
    Tensor p, g;
    State& state;
    const ParamGroup& group;
  };
  virtual void update(std::span<const Update> all) const = 0;

 private:
  std::vector<ParamGroup> groups_;
  std::unordered_map<const Impl*, State> states_;  // the groups keep the parameters alive
};

// p −= lr·g; for momentum and weight decay see sgd_ in engine/ops.h. Throws ValueErrors `Invalid momentum
// value: -1.0`, `Nesterov momentum requires a momentum and zero dampening`.
class SGD : public Optimizer {
 public:
  explicit SGD(std::vector<Tensor> params, double lr = 1e-3, double momentum = 0, double dampening = 0,
               double weight_decay = 0, bool nesterov = false);
  explicit SGD(std::vector<ParamGroup> groups, double momentum = 0, double dampening = 0,
               bool nesterov = false);

 private:
  StateNames state_names() const override;
  void update(std::span<const Update> all) const override;
  SgdStep numbers_;
};

struct Betas {
  double first = 0.9, second = 0.999;
};

// adam_ in engine/ops.h; weight decay is added to the gradient. Throws ValueErrors `Invalid epsilon value:
// …`, `Invalid beta parameter at index 0: 1.0`.
class Adam : public Optimizer {
 public:
  explicit Adam(std::vector<Tensor> params, double lr = 1e-3, Betas betas = {}, double eps = 1e-8,
                double weight_decay = 0);
  explicit Adam(std::vector<ParamGroup> groups, Betas betas = {}, double eps = 1e-8);

 protected:
  Adam(std::vector<ParamGroup> groups, const AdamStep& numbers);

 private:
  StateNames state_names() const override;
  void update(std::span<const Update> all) const override;
  AdamStep numbers_;
};

// Adam with decoupled weight decay: p ·= 1 − lr·weight_decay before the step.
class AdamW : public Adam {
 public:
  explicit AdamW(std::vector<Tensor> params, double lr = 1e-3, Betas betas = {}, double eps = 1e-8,
                 double weight_decay = 1e-2);
  explicit AdamW(std::vector<ParamGroup> groups, Betas betas = {}, double eps = 1e-8);
};

// Makes every parameter's grad undefined, or else fills it with 0. Shared by Optimizer and Module.
void zero_grad(const std::vector<Tensor>& params, bool set_to_none);

// Scales all gradients by one factor, min(max_norm/(total + 1e-6), 1). Returns total, the norm of all
// gradients together before scaling (torch.nn.utils.clip_grad_norm_). With error_if_nonfinite, a total of inf
// or nan throws Error instead.
Tensor clip_grad_norm_(const std::vector<Tensor>& params, double max_norm, bool error_if_nonfinite = false);

}  // namespace glassgrad::nn::optim
