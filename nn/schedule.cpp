#include "nn/schedule.h"

#include <cmath>
#include <numbers>

namespace glassgrad::nn::optim {

double WarmupCosine::at(int64_t step) const {
  if (step < warmup) return lr * double(step + 1) / double(warmup + 1);
  if (step >= end) return min_lr;
  const double done = double(step - warmup) / double(end - warmup);
  return min_lr + 0.5 * (1 + std::cos(std::numbers::pi * done)) * (lr - min_lr);
}

void set_lr(Optimizer& optimizer, double lr) {
  for (ParamGroup& group : optimizer.param_groups()) group.lr = lr;
}

Schedule::Schedule(Optimizer& optimizer) : optimizer_(optimizer) {
  for (const ParamGroup& group : optimizer.param_groups()) initial_lrs_.push_back(group.lr);
}

void Schedule::set_all() {
  for (size_t i = 0; i < initial_lrs_.size(); ++i) {
    double& lr = optimizer_.param_groups()[i].lr;
    lr = lr_at(epoch_, lr, initial_lrs_[i]);
  }
}

void Schedule::step() {
  ++epoch_;
  set_all();
}

StepLR::StepLR(Optimizer& optimizer, int64_t step_size, double gamma)
    : Schedule(optimizer), step_size_(step_size), gamma_(gamma) {
  check<ValueError>(step_size > 0, "StepLR: step_size must be at least 1, but is {}", step_size);
}

double StepLR::lr_at(int64_t epoch, double lr, double) const {
  return epoch % step_size_ == 0 ? lr * gamma_ : lr;
}

LambdaLR::LambdaLR(Optimizer& optimizer, Factor factor) : Schedule(optimizer), factor_(std::move(factor)) {
  set_all();
}

}  // namespace glassgrad::nn::optim
