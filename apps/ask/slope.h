// Measures what a gradient predicts: how a loss changes when one number changes a little. Reruns the lesson
// or the model in float64, because float32 is too coarse, with the numbers of the float32 run as inputs and
// weights.
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
  // Runs the lesson once, with its backward passes. With a seed, a loss is a sum of its tensor's numbers with
  // random weights, because errors could cancel in a plain sum.
  explicit Rerun(Runner runner, std::optional<uint64_t> cotangent_seed = {});

  // The same steps and tensors, in float64.
  const Recording& recording() const { return recording_; }

  // Moves a cell right after it was computed, before anything reads it; if the run was given the cell, moves
  // it before the run begins. Returns none if the cell is not floating-point or cannot be moved alone (it
  // existed before the recording, or an in-place write through a view made it). x is a value of recording().
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
      gradient;                   // from the float32 run; none: no loss depends on the cell through the graph
  std::optional<double> precise;  // the same in float64
  std::optional<CentralDifference> moved;  // none: the cell cannot be moved by itself
};
// Measures a cell of `forward`, which the runner has recorded with its backward passes. A cell without a
// gradient is measured on the last loss. Throws Error if there is no loss.
CellSlope slope_of(const Runner& runner, const Recording& forward, const Address& address,
                   double step = 1e-5);

}  // namespace glassgrad::learn
