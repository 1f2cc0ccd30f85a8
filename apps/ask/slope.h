// Measures what a gradient predicts: how a loss moves when one number is moved a little. Runs the lesson, or
// the model, again in float64, because float32 is too coarse, at the point where its float32 run was.
#pragma once
#include "apps/ask/origin.h"
#include "apps/lesson/address.h"

namespace glassgrad::learn {

// The loss with one cell moved up and down.
struct CentralDifference {
  double above = 0, below = 0, step = 0;  // the loss with step added to the cell, and subtracted from it
  double slope() const { return (above - below) / (2 * step); }
};

class Rerun {
 public:
  // Runs the lesson once, with its backward passes. With a seed, a loss is not the sum of its tensor's
  // numbers but weighs each number with a random one: in a plain sum errors could cancel.
  explicit Rerun(Runner runner, std::optional<uint64_t> cotangent_seed = {});

  // The same steps and tensors, in float64.
  const Recording& recording() const { return recording_; }

  // Moves a cell right after it was computed, whatever reads it then, or before the run begins if the run was
  // given it. Returns none if the cell cannot be moved by itself (it was there before the recording, or an
  // in-place write through a view made it) or is not floating-point. x is a value of recording().
  std::optional<CentralDifference> move(size_t loss, const Value& x, const Dims& cell, double step) const;

 private:
  double loss_at(size_t loss, const Origin& cell, double change) const;
  Tensor number_of(const Tensor& x) const;

  Runner runner_;
  std::optional<uint64_t> cotangent_seed_;
  Recording recording_;
};

// The effect of a cell on a loss: its gradient, and the slope that was measured.
struct CellSlope {
  std::string loss;  // "sum(context_vecs)"
  std::optional<double>
      gradient;  // as the float32 run computed it; none: no loss depends on the cell in the graph
  std::optional<double> precise;           // the same in float64
  std::optional<CentralDifference> moved;  // none: the cell cannot be moved by itself
};
// Measures a cell of `forward`, which the runner has recorded with its backward passes. A cell without a
// gradient is measured on the last loss. Throws Error if there is no loss.
CellSlope slope_of(const Runner& runner, const Recording& forward, const Address& address,
                   double step = 1e-5);

}  // namespace glassgrad::learn
