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

// Parameters that share a learning rate and a weight decay. Both may be changed between steps: schedules do.
struct ParamGroup {
  std::vector<Tensor> params;
  double lr, weight_decay;
};

// What all optimizers share. Parameters come as one list, or in groups with a lr and weight_decay of their
// own. ValueErrors, when built: `optimizer got an empty parameter list`, `can't optimize a non-leaf Tensor`,
// `Invalid learning rate: -1.0`, `Invalid weight_decay value: -1.0`.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // One step for every parameter that has a gradient; the others, and their state, stay as they are.
  void step();
  // Makes every parameter's grad undefined, or else fills it with 0.
  void zero_grad(bool set_to_none = true) const;
  // ValueError `some parameters appear in more than one parameter group`.
  void add_param_group(ParamGroup group);
  std::vector<ParamGroup>& param_groups() { return groups_; }

  // What a run needs to go on bit for bit, as tensors: param_groups.G.lr and .weight_decay (0-d float64), and
  // of the parameter with number P, counted through the groups, once it has made a step: state.P.step (0-d
  // int64), state.P.exp_avg and .exp_avg_sq, or .momentum_buffer. The last three are the optimizer's own:
  // clone them to keep them. The other arguments (betas, momentum, …) belong to whoever builds the optimizer.
  std::vector<NamedTensor> state_dict() const;
  // Takes copies, to where the parameters lie. Error `Error(s) in loading the state of the optimizer:` with
  // every name that is missing or unexpected and every shape that differs; then nothing was changed.
  void load_state_dict(const std::vector<NamedTensor>& state);

 protected:
  explicit Optimizer(std::vector<ParamGroup> groups);

  // What an optimizer remembers of one parameter.
  struct State {
    int64_t steps = 0;  // with the one being made
    Tensor first, second;
  };
  // What state_dict calls the two tensors; null for one that is not kept.
  struct StateNames {
    const char *first = nullptr, *second = nullptr;
  };
  virtual StateNames state_names() const = 0;
  // A parameter that has a gradient g.
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

// p −= lr·g, or with momentum and weight decay what sgd_ in engine/ops.h says. ValueErrors `Invalid momentum
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

// adam_ in engine/ops.h; the weight decay is part of the gradient. ValueErrors `Invalid epsilon value: …`,
// `Invalid beta parameter at index 0: 1.0`.
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

// The same with p ·= 1 − lr·weight_decay before the step instead.
class AdamW : public Adam {
 public:
  explicit AdamW(std::vector<Tensor> params, double lr = 1e-3, Betas betas = {}, double eps = 1e-8,
                 double weight_decay = 1e-2);
  explicit AdamW(std::vector<ParamGroup> groups, Betas betas = {}, double eps = 1e-8);
};

// What an optimizer and a module do to the gradients of their parameters.
void zero_grad(const std::vector<Tensor>& params, bool set_to_none);

// Scales all gradients by one factor, min(max_norm/(total + 1e-6), 1), and gives back total, the norm of all
// of them together before that (torch.nn.utils.clip_grad_norm_). With error_if_nonfinite, an Error for a
// total of inf or nan instead.
Tensor clip_grad_norm_(const std::vector<Tensor>& params, double max_norm, bool error_if_nonfinite = false);

}  // namespace glassgrad::nn::optim
