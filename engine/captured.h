// Work on a GPU that is launched again and again as one: CUDA's graphs. A step of a small model is a few
// hundred kernels of a few microseconds each, and launching them one by one takes longer than they do.
#pragma once
#include <functional>

#include "random.h"
#include "tensor.h"

namespace glassgrad {

// Kernels that are kept in the order in which they were called, with their operands' addresses.
class Captured {
 public:
  // draws: the generator of this GPU that the work draws with, if it does; it must outlive this.
  explicit Captured(Device gpu, Generator* draws = nullptr);
  ~Captured();
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  // Calls work(), which runs nothing but notes its kernels. Tensors that it makes keep their memory as long
  // as this lives, also when nobody holds them: replay() writes them again. The work must not read from the
  // GPU (whether indices are in range is not looked at) nor write what the CPU has made, and whatever it does
  // for the first time (choosing an algorithm, making room) should have been done before. No other thread may
  // compute on this GPU meanwhile. What was captured before is dropped. Error if it reads, copies from the
  // CPU, throws, captures work itself, or draws with another generator of the GPU: nothing is captured then.
  void capture(const std::function<void()>& work);
  // Runs what was noted. Inputs that have changed are read as they are now, and random numbers are the next
  // ones of the generator, as if the work had been done again.
  void replay() const;
  explicit operator bool() const { return graph_ != nullptr; }

 private:
  Device gpu_;
  Generator* draws_;
  Tensor drawn_from_;   // the seed and the offset of a replay, on the GPU
  uint64_t words_ = 0;  // of the generator, in one replay
  void* graph_ = nullptr;
};

}  // namespace glassgrad
