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
class ProgramTrace;
void release(ProgramTrace*) noexcept;
}  // namespace why

class Glass {
 public:
  struct Options {
    int64_t depth = 1;  // calls: 1 is the call that wrote the number, 2 also those that wrote its inputs, …
    bool exact = false;  // enough digits to read back the same number, instead of PyTorch's four
  };

  Glass();   // starts watching; observers from before keep watching
  ~Glass();  // stops
  Glass(const Glass&) = delete;
  Glass& operator=(const Glass&) = delete;

  // Stops watching. Numbers seen so far can still be opened, even after they were overwritten.
  void stop();

  // Names the numbers that x holds at this moment: "queries[2,0]". If other numbers get the same name later,
  // they are shown as "queries#2". Returns x.
  const Tensor& name(const Tensor& x, const std::string& name);

  // Explains how the number was computed: the op, its arithmetic in names and in numbers, its value. A
  // gradient is a tensor like any other: why(w.grad(), {0, 3}). Throws IndexError if x has no such element;
  // ValueError if no watched op has computed or read x, or the depth opens too many numbers (more than 200).
  std::string why(const Tensor& x, const Dims& cell, const Options& how) const;
  std::string why(const Tensor& x, const Dims& cell = {}) const { return why(x, cell, Options{}); }
  // The calls that computed x, and the calls that read it, one per line. Throws ValueError like why.
  std::string made_by(const Tensor& x) const;
  std::string used_in(const Tensor& x) const;

 private:
  Ref<why::ProgramTrace> trace_;
};

}  // namespace glassgrad
