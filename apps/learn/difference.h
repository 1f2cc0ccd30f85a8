// How a loss moves when one number is moved a little: what a gradient promises, measured. The lesson is run
// again in float64 for it, float32 being too coarse, at the point where its float32 run was.
#pragma once
#include "apps/learn/address.h"
#include "apps/learn/lesson.h"

namespace glassgrad::learn {

// One cell of a tensor, and of what the loss is asked.
struct Moved {
  double above = 0, below = 0, step = 0;  // the loss with step added to the cell, and taken from it
  double slope() const { return (above - below) / (2 * step); }
};

class Rerun {
 public:
  // Runs the lesson once, with its backward passes. With a seed a loss is no sum of its tensor's numbers, but
  // weighs each with a random number: in a sum errors could cancel.
  Rerun(const Lesson& lesson, const Settings& settings, std::optional<uint64_t> cotangent_seed = {});

  // The same steps and tensors, in float64.
  const Recording& recording() const { return recording_; }

  // Moves a cell right after it was computed, whatever reads it then; of the lesson's inputs before the run.
  // None where the cell cannot be moved by itself: it was there before the recording, or an in-place write
  // through a view made it. x is a value of recording().
  std::optional<Moved> move(size_t loss, const Value& x, const Dims& cell, double step) const;

 private:
  // A call, counted without those of backward passes, and a cell of one of its results.
  struct Place {
    size_t call, out;
    Dims cell;
  };
  std::optional<Place> place_of(const Value& x, const Dims& cell) const;
  size_t count_of(size_t call) const;
  bool is_input(const Value& x) const;
  double loss_at(size_t loss, const std::optional<Place>& place, const Dims& cell, double change) const;
  Tensor number_of(const Tensor& x) const;

  const Lesson& lesson_;
  Settings settings_;
  std::optional<uint64_t> cotangent_seed_;
  Recording recording_;
};

// What a cell of the lesson does to a loss: its gradient, and the slope that was measured.
struct CellSlope {
  std::string loss;  // "sum(context_vecs)"
  std::optional<double>
      gradient;                   // as the float32 run has found it; none: no loss depends on it in the graph
  std::optional<double> precise;  // the same in float64
  std::optional<Moved> moved;     // none: the cell cannot be moved by itself
};
// Of a cell of `forward`, a recording of this lesson with its backward passes; where it has no gradient,
// beside the last loss. Error: the lesson names no loss.
CellSlope slope_of(const Lesson& lesson, const Settings& settings, const Recording& forward,
                   const Address& address, double step = 1e-5);

}  // namespace glassgrad::learn
