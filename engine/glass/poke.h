// Changes single numbers of a run while it runs, to answer "what if this cell were 0.9?"
#pragma once
#include <functional>
#include <vector>

#include "recorder.h"

namespace glassgrad {

// Identifies a call by its turn, from 0. Calls inside and outside of backward passes are counted separately,
// because the number of calls in a backward pass may depend on who holds its tensors.
struct Poke {
  size_t call = 0;
  bool in_backward = false;
  size_t out = 0;  // which result
  Dims index = {};
  Scalar value = {};   // must have the tensor's dtype
  bool adds = false;   // add to the number instead of replacing it
  bool apart = false;  // copy a view first, so that the tensor it shows stays unchanged
};

// Overwrites results right after their call was traced and before anything reads them. Must be the first of
// several observers. Everything computed later sees the new numbers. The engine does not notice: versions and
// graph are the same as if the op had computed these numbers. Calls `poked` for each number that has changed.
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

// Makes x, of the same shape, share y's memory.
void look_at(const Tensor& x, const Tensor& y);

// Sets x[index] = value, or adds value, without changing x's version or graph. Returns false, and writes
// nothing, if x has no such cell or a different dtype.
bool write_element(const Tensor& x, const Dims& index, const Scalar& value, bool adds = false);

}  // namespace glassgrad
