// A program under glass: while a Glass lives, it watches every op of its thread. Afterwards each number that
// those ops computed, forward and backward, can be opened down to its arithmetic.
//
//   Glass glass;
//   const Tensor y = softmax(matmul(x, w), -1);
//   glass.name(y, "weights");
//   fmt::print("{}", glass.why(y, {2, 1}));
#pragma once
#include <memory>
#include <string>

#include "tensor.h"

namespace glassgrad {

namespace why {
class Room;
void release(Room*) noexcept;
}  // namespace why

class Glass {
 public:
  struct Options {
    int64_t depth = 1;  // calls: 1 is the one that wrote the number, 2 also those that wrote what it read, …
    bool exact = false;  // as many digits as read back the same, instead of PyTorch's four
  };

  Glass();   // watches from now on; whoever watched before still does
  ~Glass();  // stops
  Glass(const Glass&) = delete;
  Glass& operator=(const Glass&) = delete;

  // Ops are watched no longer. What was seen stays open, also when somebody writes over it.
  void stop();

  // From now on the numbers that x holds at this moment are called so: "queries[2,0]". A name that is given
  // to other numbers later is shown as "queries#2" there. The result is x itself.
  const Tensor& name(const Tensor& x, const std::string& name);

  // How the number came about: the op, its arithmetic in names and in numbers, its value. A gradient is a
  // tensor like all others: why(w.grad(), {0, 3}). IndexError: x has no such element. ValueError: nothing
  // under the glass has computed or read x, or the depth opens too many numbers (more than 200).
  std::string why(const Tensor& x, const Dims& cell, const Options& how) const;
  std::string why(const Tensor& x, const Dims& cell = {}) const { return why(x, cell, Options{}); }
  // The calls that computed x, and those that read it, a line each. ValueError as above.
  std::string made_by(const Tensor& x) const;
  std::string used_in(const Tensor& x) const;

 private:
  Ref<why::Room> room_;
};

}  // namespace glassgrad
