// How a loss moves when one number is moved a little: what a gradient promises, measured. The lesson, or the
// model, is run again in float64 for it, float32 being too coarse, at the point where its float32 run was.
#pragma once
#include "apps/ask/origin.h"
#include "apps/lesson/address.h"

namespace glassgrad::learn {

// The loss with one cell moved up and down.
struct CentralDifference {
  double above = 0, below = 0, step = 0;  // the loss with step added to the cell, and taken from it
  double slope() const { return (above - below) / (2 * step); }
};

class Rerun {
 public:
  // Runs it once, with its backward passes. With a seed a loss is no sum of its tensor's numbers, but weighs
  // each with a random number: in a sum errors could cancel.
  explicit Rerun(Runner runner, std::optional<uint64_t> cotangent_seed = {});

  // The same steps and tensors, in float64.
  const Recording& recording() const { return recording_; }

  // Moves a cell right after it was computed, whatever reads it then; of what the run was given before it
  // begins. None where the cell cannot be moved by itself: it was there before the recording, or an in-place
  // write through a view made it; or where it is no float. x is a value of recording().
  std::optional<CentralDifference> move(size_t loss, const Value& x, const Dims& cell, double step) const;

 private:
  double loss_at(size_t loss, const Origin& cell, double change) const;
  Tensor number_of(const Tensor& x) const;

  Runner runner_;
  std::optional<uint64_t> cotangent_seed_;
  Recording recording_;
};

// What a cell does to a loss: its gradient, and the slope that was measured.
struct CellSlope {
  std::string loss;  // "sum(context_vecs)"
  std::optional<double>
      gradient;                   // as the float32 run has found it; none: no loss depends on it in the graph
  std::optional<double> precise;  // the same in float64
  std::optional<CentralDifference> moved;  // none: the cell cannot be moved by itself
};
// Of a cell of `forward`, what the runner has recorded with its backward passes; where it has no gradient,
// beside the last loss. Error: there is no loss.
CellSlope slope_of(const Runner& runner, const Recording& forward, const Address& address,
                   double step = 1e-5);

}  // namespace glassgrad::learn
