// What a GPU computes: each the counterpart of a kernel of the CPU's (cpu/kernels.h, or a function of the
// op's own file), on views of the current GPU's memory. They return before the GPU is done; reading the
// result on the CPU waits. The same arguments, formulas and dtypes; sums in another, fixed order.
#pragma once
#include "../cpu/loops.h"

namespace glassgrad::cuda {

// Runs a whole loop: operands[0] is the result, the others broadcast to it (cuda/pointwise.cu).
using LoopKernel = void (*)(std::span<const Operand> operands);
using Loops = PointwiseTable<LoopKernel>;
const Loops& loops();

// arange of integers (cuda/create.cu).
void count_up(const View& y, int64_t start, int64_t step);

}  // namespace glassgrad::cuda
