// The GPU's kernels, on views of the current GPU's memory. They return before the GPU is done; reading the
// result on the CPU waits. A kernel that CPUs have too is declared by the GG_KERNEL of its op's file
// (ops/kernels.h) and has the same arguments, formulas and dtypes; sums have a different, fixed order.
// Declared here are the kernels that only GPUs have, and those that other .cu files call.
#pragma once
#include <string>
#include <vector>

#include "../core/kernel_arguments.h"
#include "../cpu/kernels.h"

namespace glassgrad::cuda {

// Runs a whole loop: operands[0] is the result, the others broadcast to it (cuda/pointwise.cu).
using LoopKernel = void (*)(std::span<const Operand> operands);
using Loops = PointwiseTable<LoopKernel>;
const Loops& loops();

// As in ops/reduce.cpp; norm_grad.cu calls it.
void sum(const View& x, const View& y, int64_t divisor);

// y = layer_norm(sum) with sum = x + branch, in one pass; branch and y are bfloat16, the others float32
// (cuda/norm.cu).
void layer_norm_of_sum(const View& x, const View& branch, const View& weight, const View& bias, double eps,
                       const View& sum, const View& y, const View& moments);
// layer_norm_grad with dx = base + the gradient; `rounded` gets dx in g's dtype. base and rounded may have no
// data.
void layer_norm_grad_onto(const View& g, const View& x, const View& moments, const View& weight,
                          const View& base, const View& dx, const View& rounded, const View& dweight,
                          const View& dbias);

// ---- products (cuda/matmul.cu)
// y = a·b like Kernels::matmul, plus a bias, a contiguous row of n numbers, if there is one. Takes float64,
// float32 and int64, and bfloat16 and float16 matrices, whose sums are kept in float32: then y and the bias
// have their dtype, rounded once, or float32. y has any strides. Large products of float32 and of halves go
// to cuBLASLt if it is installed; float32 inputs are rounded to tf32 at that precision, and exact at any
// other. All other products are exact: each element is one chain, except in products of a matrix and a vector
// with long rows, where it is 32 chains and a tree.
void matmul(const View& a, const View& b, const View& y, MatmulArithmetic arithmetic,
            MatmulPrecision precision, const void* bias);

// ---- many tensors at once (cuda/together.cu): contiguous ones of the current GPU
// to = from, between float32 and a half dtype.
struct Conversion {
  int64_t n;
  const void* from;
  void* to;
};
void convert_all(std::span<const Conversion> all, DType from, DType to);

// ---- attention (cuda/attention*.cu)
// True if tensor cores can compute it: bf16, E = D = 64 or 128, and packed rows. The rows of y, g and the
// gradients must be packed, too.
bool fits_tensor_cores(const AttentionInputs& in);
// True if a row's elements are contiguous, and rows of bf16 begin at multiples of 16 bytes.
bool has_packed_rows(const View& x);
// y (…, m), contiguous, = Σ a⊙b over the last dimension of a and b (…, m, n), of any strides; y is float32
// for bf16.
void row_dots(const View& a, const View& b, const View& y);

// ---- random numbers (random.cu): Philox4x32-10 draws y, which is one stretch of memory. Returns how far the
// generator's offset advances. Uniform, Normal and Exponential are for floats only.
uint64_t draw(const View& y, const PhiloxState& stream, const Distribution& d);
// y = 1 where a number drawn uniformly in the same way is at most p, else 0; both contiguous, of one floating
// dtype.
uint64_t draw_by_chances(const View& p, const View& y, const PhiloxState& stream);

// ---- large products by NVIDIA's cuBLASLt (cuda/blas.cu). It is never linked: the library of this build's
// CUDA is opened at the first such product; without it, the project's own kernel computes the products.
// y = a·b, plus a row of n numbers if there is a bias, like matmul above, for float32 or halves. Returns
// false, and does nothing, if the product is small, a or b is neither row-major nor column-major, y is not
// row-major, or cuBLASLt has no algorithm for it. A shape is computed by the first algorithm that the library
// proposes, so every run has the same bits on the same kind of GPU and with the same cuBLASLt.
bool blas_product(const View& a, const View& b, const View& y, MatmulPrecision precision, const void* bias);

// Lists the products requested of cuBLASLt so far, one line for each kind, such as `2048×768·768×2304ᵀ, bf16
// to bf16, with a bias, aligned: algorithm 66, tile 23, stages 36, in halves`: the sizes; layout and dtypes
// of the matrices; cuBLASLt's numbers for the kernel (cublasLt.h has the names of tiles and stages); and the
// formats that it multiplies in. A line ends with NOT IN halves if halves were requested but the kernel
// multiplies in tf32.
std::vector<std::string> blas_plans();

}  // namespace glassgrad::cuda
