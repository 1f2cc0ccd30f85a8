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

// ---- reductions (cuda/reduce.cu, minmax.cu, statistics.cu). y has x's shape, with stride 0 along what is
// reduced; x has any strides.
// y = Σ x / divisor, of integers without one; of all of x, is all of it, or else any, not 0?
void sum(const View& x, const View& y, int64_t divisor);
void all(const View& x, const View& y, bool of_all);
// The largest or smallest elements, and their numbers among those of their cell; values and indices as y.
void extremes(const View& x, const View& values, const View& indices, bool max);
// Σ (x − mean)² / divisor in double, or its root; Π x; √Σ x².
void spread(const View& x, const View& y, double divisor, bool root);
void prod(const View& x, const View& y);
void norm(const View& x, const View& y);
// y[i] = x[0] + … + x[i] along dimension dim, of floats in double (cuda/scan.cu).
void running_sums(const View& x, const View& y, int dim);

// ---- rows (cuda/softmax.cu, norm.cu): as Kernels has them; dweight and dbias need hold nothing.
void softmax(const View& x, const View& y, int dim, bool logarithm);
void softmax_grad(const View& g, const View& y, const View& dx, int dim, bool logarithm);
void layer_norm(const View& x, const View& weight, const View& bias, double eps, const View& y,
                const View& moments);
void layer_norm_grad(const View& g, const View& x, const View& moments, const View& weight, const View& dx,
                     const View& dweight, const View& dbias);

}  // namespace glassgrad::cuda
