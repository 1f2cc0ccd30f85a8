// Changes single numbers of a run while it goes on: "what if this cell were 0.9?", "and a little more?"
#pragma once
#include <functional>
#include <vector>

#include "recorder.h"

namespace glassgrad {

// A call by its turn, from 0, among those that pass here inside of backward passes, or outside of them: how
// many a pass makes may depend on who holds its tensors.
struct Poke {
  size_t call = 0;
  bool in_backward = false;
  size_t out = 0;  // which result …
  Dims index = {};
  Scalar value = {};   // … of the tensor's dtype
  bool adds = false;   // to the number, instead of taking its place
  bool apart = false;  // a view gets memory of its own first, so that what it looks at stays as it is
};

// Writes into the results of calls, right after each has passed the door and before anybody reads it: of
// several observers it is the first. Whatever is computed later sees the new numbers. The engine does not
// notice: versions and graph are those of the run, as if the op had come out that way. `poked` is told which
// numbers of a call are others now.
class Poking : public Observer {
 public:
  using Poked = std::function<void(size_t out, const Dims& index)>;
  Poking(std::vector<Poke> pokes, Poked poked) : pokes_(std::move(pokes)), poked_(std::move(poked)) {}

  void op(const Call& call) override;

 private:
  std::vector<Poke> pokes_;
  Poked poked_;
  size_t seen_[2] = {};  // calls so far: outside of backward passes, inside
};

// From now on x, of the same shape, looks at y's memory.
void look_at(const Tensor& x, const Tensor& y);

// x[index] = value, or += value, where no in-place op would do: no version, no graph. false, and nothing is
// written: x has no such cell, or another dtype.
bool write_element(const Tensor& x, const Dims& index, const Scalar& value, bool adds = false);

}  // namespace glassgrad
