// Saves an optimizer's state as named tensors, and loads it.
#include <fmt/core.h>

#include <cmath>
#include <set>

#include "engine/core/joined.h"
#include "nn/optim.h"

namespace glassgrad::nn::optim {
namespace {

constexpr const char *kLr = "lr", *kWeightDecay = "weight_decay", *kSteps = "step";
constexpr double kMostSteps = 0x1p53;

std::string group_key(size_t group, const char* what) {
  return fmt::format("param_groups.{}.{}", group, what);
}
std::string state_key(size_t param, const char* what) { return fmt::format("state.{}.{}", param, what); }

// A state to load, and all problems found in it.
class StateLoader {
 public:
  explicit StateLoader(const std::vector<NamedTensor>& state) {
    for (const NamedTensor& t : state) tensors_[t.name] = t.tensor, unused_.insert(t.name);
  }

  bool has(const std::string& name) const { return tensors_.count(name) > 0; }
  // Returns the tensor with that name and shape. If there is none, notes a problem and returns undefined.
  Tensor take(const std::string& name, const Dims& shape) {
    unused_.erase(name);
    if (!has(name)) {
      problems_.push_back(fmt::format("missing: {}", name));
      return {};
    }
    const Tensor& x = tensors_[name];
    if (x.shape() == shape) return x;
    problems_.push_back(fmt::format("{} has shape {}, but {} is needed", name, x.shape(), shape));
    return {};
  }
  double number(const std::string& name) {
    const Tensor x = take(name, {});
    return x ? x.item() : 0;
  }
  // Returns a number of steps, which PyTorch keeps in a floating tensor.
  int64_t count(const std::string& name) {
    const double x = number(name);
    if (x >= 0 && x <= kMostSteps && x == std::floor(x)) return static_cast<int64_t>(x);
    problems_.push_back(fmt::format("{} is {}, but counts steps", name, x));
    return 0;
  }
  void check_all() {
    for (const std::string& name : unused_) problems_.push_back(fmt::format("unexpected: {}", name));
    check(problems_.empty(), "Error(s) in loading the state of the optimizer:\n\t{}",
          joined(problems_, "\n\t"));
  }

 private:
  std::unordered_map<std::string, Tensor> tensors_;
  std::set<std::string> unused_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<NamedTensor> Optimizer::state_dict() const {
  std::vector<NamedTensor> all;
  for (size_t g = 0; g < groups_.size(); ++g) {
    all.push_back({group_key(g, kLr), full({}, groups_[g].lr, float64, kCpu)});
    all.push_back({group_key(g, kWeightDecay), full({}, groups_[g].weight_decay, float64, kCpu)});
  }
  const auto [first, second] = state_names();
  size_t number = 0;
  for (const ParamGroup& group : groups_)
    for (const Tensor& p : group.params) {
      const size_t index = number++;
      const auto found = states_.find(p.ref().get());
      if (found == states_.end()) continue;
      all.push_back({state_key(index, kSteps), full({}, found->second.steps, int64, kCpu)});
      if (first) all.push_back({state_key(index, first), found->second.first});
      if (second) all.push_back({state_key(index, second), found->second.second});
    }
  return all;
}

void Optimizer::load_state_dict(const std::vector<NamedTensor>& state) {
  StateLoader loader(state);
  std::vector<ParamGroup> groups = groups_;
  for (size_t g = 0; g < groups.size(); ++g) {
    groups[g].lr = loader.number(group_key(g, kLr));
    groups[g].weight_decay = loader.number(group_key(g, kWeightDecay));
  }
  const auto [first, second] = state_names();
  std::unordered_map<const Impl*, State> states;
  const auto copied = [](const Tensor& x, const Tensor& p) {
    return x ? clone(to(to(x, p.device()), p.dtype())).contiguous() : x;
  };
  size_t number = 0;
  const NoGrad no_grad;
  for (const ParamGroup& group : groups)
    for (const Tensor& p : group.params) {
      const size_t index = number++;
      bool any = false;
      for (const char* what : {kSteps, first, second})
        any = any || (what && loader.has(state_key(index, what)));
      if (!any) continue;
      State& s = states[p.ref().get()];
      s.steps = loader.count(state_key(index, kSteps));
      if (first) s.first = copied(loader.take(state_key(index, first), p.shape()), p);
      if (second) s.second = copied(loader.take(state_key(index, second), p.shape()), p);
    }
  loader.check_all();
  groups_ = std::move(groups);
  states_ = std::move(states);
}

}  // namespace glassgrad::nn::optim
