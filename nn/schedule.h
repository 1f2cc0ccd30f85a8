// Learning rates that change while training (torch.optim.lr_scheduler, and nanoGPT's warm-up and cosine).
#pragma once
#include <functional>

#include "nn/optim.h"

namespace glassgrad::nn::optim {

// Linear warm-up: lr·(step + 1)/(warmup + 1) while step < warmup. Then half a cosine wave from lr down to
// min_lr at step `end`, min_lr + (lr − min_lr)·(1 + cos(π·(step − warmup)/(end − warmup)))/2; from there on
// min_lr.
struct WarmupCosine {
  double lr = 1e-3, min_lr = 1e-4;
  int64_t warmup = 0, end = 0;
  double at(int64_t step) const;
};
// Sets the lr of every group.
void set_lr(Optimizer& optimizer, double lr);

// The base of PyTorch's schedules: keeps the optimizer, and the lr that each group had when the schedule was
// built.
class Schedule {
 public:
  virtual ~Schedule() = default;
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;

  // Gives every group the lr of the next epoch. Call it after the optimizer's steps of an epoch.
  void step();
  int64_t last_epoch() const { return epoch_; }
  // Continues from an epoch, for an optimizer whose state was loaded. Changes no lr before the next step().
  void resume(int64_t last_epoch) { epoch_ = last_epoch; }

 protected:
  explicit Schedule(Optimizer& optimizer);
  virtual double lr_at(int64_t epoch, double lr, double initial_lr) const = 0;
  void set_all();

 private:
  Optimizer& optimizer_;
  std::vector<double> initial_lrs_;
  int64_t epoch_ = 0;
};

// lr ·= gamma every step_size epochs. Throws ValueError for a step_size below 1.
class StepLR : public Schedule {
 public:
  StepLR(Optimizer& optimizer, int64_t step_size, double gamma = 0.1);

 private:
  double lr_at(int64_t epoch, double lr, double initial_lr) const override;
  int64_t step_size_;
  double gamma_;
};

// lr ·= gamma every epoch.
class ExponentialLR : public Schedule {
 public:
  ExponentialLR(Optimizer& optimizer, double gamma) : Schedule(optimizer), gamma_(gamma) {}

 private:
  double lr_at(int64_t, double lr, double) const override { return lr * gamma_; }
  double gamma_;
};

// initial lr · factor(epoch), from epoch 0 on.
class LambdaLR : public Schedule {
 public:
  using Factor = std::function<double(int64_t epoch)>;
  LambdaLR(Optimizer& optimizer, Factor factor);

 private:
  double lr_at(int64_t epoch, double, double initial_lr) const override {
    return initial_lr * factor_(epoch);
  }
  Factor factor_;
};

}  // namespace glassgrad::nn::optim
