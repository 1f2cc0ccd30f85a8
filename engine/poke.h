// Changes single numbers of a run while it goes on: "what if this cell were 0.9?"
#pragma once
#include <vector>

#include "recorder.h"

namespace glassgrad {

// The cell is one that a recording of the same run names, the value of the tensor's dtype.
struct Poke {
  CellOfCall cell;
  Scalar value;
};

// Writes the values into the results of their calls, right after each has passed the door and before anybody
// reads it; whatever is computed later sees them. The engine does not notice: versions and graph are those
// of the run, as if the op had come out that way. Everything else goes on to `next`.
class Poking : public Observer {
 public:
  Poking(std::vector<Poke> pokes, Observer& next) : pokes_(std::move(pokes)), next_(next) {}

  void op(const Call& call) override;
  void before_write(const Tensor& x) override { next_.before_write(x); }
  void scope(const char* name, bool enter) override { next_.scope(name, enter); }
  void named(const Tensor& x, const char* name) override { next_.named(x, name); }
  void backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor> out) override {
    next_.backward(node, grads, out);
  }
  void accumulate(const Node& node, const Tensor& before, const Tensor& grad) override {
    next_.accumulate(node, before, grad);
  }
  void leaf_gradient(const Tensor& leaf, const Tensor& grad) override { next_.leaf_gradient(leaf, grad); }

 private:
  std::vector<Poke> pokes_;
  Observer& next_;
  size_t calls_ = 0;  // seen so far: the ordinal of the one that passes
};

// x[index] = value, of x's dtype, where no in-place op would do: no version, no graph.
void write_element(const Tensor& x, const Dims& index, const Scalar& value);

}  // namespace glassgrad
