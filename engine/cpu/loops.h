// Pointwise loops: run a kernel for one row of elements over operands of any strides.
#pragma once
#include <span>

#include "../core/nest.h"
#include "../numbers/tables.h"

namespace glassgrad {

// A tensor in a loop. Null data means that the kernel does not read the operand's values.
struct Operand {
  void* data = nullptr;
  const Dims* shape = nullptr;
  const Dims* strides = nullptr;
  DType dtype = boolean;   // in memory; a GPU's loops read and write narrow numbers themselves
  bool is_number = false;  // one number in the CPU's memory, whatever device the loop runs on
};
inline constexpr int kMaxOperands = 6;  // including the result

// The dimensions of a loop, in the order of the result's memory. A loop over one element has none.
using LoopNest = Nest<kMaxOperands>;
LoopNest nest_of(std::span<const Operand> operands);

// Runs the kernel. operands[0] is the result and has the loop's shape; the others broadcast to it.
void run_loop(RowKernel kernel, std::span<const Operand> operands);

}  // namespace glassgrad
