// The GPU's kernels. Each is the counterpart of a CPU kernel (cpu/kernels.h, or a function in the op's own
// file) on views of the current GPU's memory, with the same arguments, formulas and dtypes; sums have a
// different, fixed order. They return before the GPU is done; reading the result on the CPU waits.
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

// arange of integers (cuda/pointwise.cu).
void count_up(const View& y, int64_t start, int64_t step);

// ---- reductions (cuda/reduce.cu, minmax.cu, statistics.cu). y has x's shape, with stride 0 along the
// reduced dimensions; x has any strides.
// sum: y = Σ x / divisor; integers ignore the divisor. all: true if all elements of x, or any of them, are
// not 0.
void sum(const View& x, const View& y, int64_t divisor);
void all(const View& x, const View& y, bool of_all);
// The largest or smallest element of each cell, and its position within the cell; values and indices are laid
// out like y.
void extremes(const View& x, const View& values, const View& indices, bool max);
// Σ (x − mean)² / divisor in double, or its square root; Π x; √Σ x².
void spread(const View& x, const View& y, double divisor, bool root);
void prod(const View& x, const View& y);
void norm(const View& x, const View& y);
// y[i] = x[0] + … + x[i] along dimension dim; floats are summed in double (cuda/scan.cu).
void running_sums(const View& x, const View& y, int dim);

// ---- rows (cuda/softmax.cu, norm.cu): like those of Kernels, but dweight and dbias need not hold zeros.
void softmax(const View& x, const View& y, int dim, bool logarithm);
void softmax_grad(const View& g, const View& y, const View& dx, int dim, bool logarithm);
void log_sums(const View& x, const View& sums);
void log_softmax_grad_at(const View& g, const View& x, const View& sums, const View& target, const View& dx);
// y[i] = x[i, target[i]] − sums[0, i] − sums[1, i], or 0 if there is no such class; all contiguous.
void log_softmax_at(const View& x, const View& sums, const View& target, const View& y);
void layer_norm(const View& x, const View& weight, const View& bias, double eps, const View& y,
                const View& moments);
void layer_norm_grad(const View& g, const View& x, const View& moments, const View& weight, const View& dx,
                     const View& dweight, const View& dbias);
// y = layer_norm(sum) with sum = x + branch, in one pass; branch and y are bfloat16, the others float32.
void layer_norm_of_sum(const View& x, const View& branch, const View& weight, const View& bias, double eps,
                       const View& sum, const View& y, const View& moments);
// layer_norm_grad with dx = base + the gradient; `rounded` gets dx in g's dtype. base and rounded may have no
// data.
void layer_norm_grad_onto(const View& g, const View& x, const View& moments, const View& weight,
                          const View& base, const View& dx, const View& rounded, const View& dweight,
                          const View& dbias);

// ---- elements chosen, moved and ordered (gather.cu, index.cu, loss.cu, sort.cu, strided.cu)
// Checks int64 indices. Returns the position, in logical order, of the first that is not in [low, high), −1
// if there is none, and how many equal *ignored, if given, which are not checked. Waits; while a graph is
// captured, does not check.
IndexCheckResult check_indices(const View& indices, int64_t low, int64_t high, const int64_t* ignored);

// y[…] = x[…, indices[…], …], and y[…, indices[…], …] += source[…], adding to one place in the order of the
// source. lines: x or y with the shape of the indices and stride 0 along dim; `stride`: its stride along dim.
// y is contiguous in gather.
void gather(const View& lines, int64_t stride, const View& indices, const View& y);
void scatter_add(const View& lines, int64_t stride, int dim, const View& indices, const View& source);
// embedding: y (n, width) = the rows of weight at n indices. All are contiguous except the weight.
// embedding_grad: row i of y, which holds zeros, becomes the sum of g's rows whose index is i, except for i =
// padding.
void embedding(const View& weight, const View& indices, const View& y);
void embedding_grad(const View& g, const View& indices, int64_t padding, const View& y);

// offsets[…] = Σ index·stride over the columns of indices, each along its dimension of x; negative ones count
// from the end. Returns −1 if all indices are in range, else 8·(the first place, in logical order, with an
// index out of range) + the first such column there. Waits for the result, unless the indices are `known` to
// be in range or a graph is captured.
int64_t index_offsets(const IndexColumns& columns, const View& offsets, bool known);
// y[…] = x[… + offsets[…]], y contiguous; x and offsets have strides for y's shape.
void take(const View& x, const View& offsets, const View& y);
// x[… + offsets[…]] = values[…], or += with accumulate. All have strides for one shape, each dimension of
// which belongs either to the offsets or to x. Values with equal offsets are written in order; `distinct`
// says that no two offsets are equal.
void index_put(const View& x, const View& offsets, const View& values, bool accumulate, bool distinct);
// sums[i] = how many of x's first i + 1 elements, in logical order, are not 0; returns the total. Waits. Then
// nonzero sets row k of positions (count, dims) to the index of the k-th such element.
int64_t count_nonzero(const View& x, const View& sums);
void nonzero(const View& sums, const Dims& shape, const View& positions);

// y = −x[i, target[i], …] for each target, 0 for ignored ones; or their sum or mean, if y is a number. x (N,
// C, …) and target (N, …) are contiguous. nll_grad writes dx, which must hold zeros, from the gradient of y.
void nll(const View& x, const View& target, const NllArguments& arguments, const View& y);
void nll_grad(const View& g, const View& target, const NllArguments& arguments, const View& dx);

// Sorts each line of x along dim. Writes as many of the first elements as `values` holds, and their positions
// in the line. Stable; nan comes after every number. All have strides for x's shape; a 0-d tensor is passed
// with a dimension of size 1.
void sort(const View& x, const View& values, const View& indices, int dim, bool descending);
// order[k] gets the position in x of the k-th element in sorted order, numbers[k] how many distinct values
// come before it. Returns the number of distinct values. x is contiguous. Waits. Then unique writes each
// value once, its count, and to `inverse` the index of each element's value.
int64_t unique_order(const View& x, const View& order, const View& numbers);
void unique(const View& x, const View& order, const View& numbers, const View& values, const View& inverse,
            const View& counts);

// y[…, i, j] = x[…, i, j] where j − i is at most (lower) or at least `diagonal`, else 0; y contiguous.
void triangle(const View& x, const View& y, int64_t diagonal, bool lower);
// y[Σ index·stride] += v[index] for all indices, in order; y's data begins where the region does.
void add_strided(const View& v, const Dims& strides, const View& y);

// ---- products (cuda/matmul.cu)
// y = a·b like Kernels::matmul, plus a bias, a contiguous row of n numbers, if there is one. Takes float64,
// float32 and int64, and bfloat16 and float16 matrices, whose sums are kept in float32: then y and the bias
// have their dtype, rounded once, or float32. y has any strides. Large products of float32 and of halves go
// to cuBLASLt if it is installed; float32 inputs are rounded to tf32 at that precision, and exact at any
// other. All other products are exact: each element is one chain, except in products of a matrix and a vector
// with long rows, where it is 32 chains and a tree.
void matmul(const View& a, const View& b, const View& y, MatmulArithmetic arithmetic,
            MatmulPrecision precision, const void* bias);
// y = a·x for a matrix and a column; always exact.
void multiply_vector(const View& a, const View& x, const View& y);
// y = Σ a·b for two vectors of any strides: products are rounded, floats are summed in double.
void dot(const View& a, const View& b, const View& y);

// ---- optimizer steps (cuda/optimize.cu), like Kernels::adam and sgd, on several parameters of one dtype at
// once; all contiguous. A null momentum means none.
void adam(std::span<const AdamTensors> all, DType dtype);
void sgd(std::span<const SgdTensors> all, DType dtype);

// ---- many tensors at once (cuda/together.cu, statistics.cu): contiguous ones of the current GPU
// to = from, between float32 and a half dtype.
struct Conversion {
  int64_t n;
  const void* from;
  void* to;
};
void convert_all(std::span<const Conversion> all, DType from, DType to);
// x ·= *factor, in float32.
void scale_all(std::span<const View> all, const float* factor);
// y[i] = the norm of tensor i, in float32, with the same bits as `norm`.
void norms(std::span<const View> all, float* y);

// ---- attention (cuda/attention*.cu)
// Like the CPU's (cpu/kernels.h), but log_sums gets only log Σ exp of each query's scores. `sums` holds Σ
// g⊙y. bf16 only where fits_tensor_cores: then y, g and the gradients are bf16, the sums float32, and
// gradients are written instead of added to.
void attention(const AttentionInputs& in, const View& y, const View& log_sums);
void attention_grad(const AttentionInputs& in, const View& g, const View& log_sums, const View& sums,
                    const View& dq, const View& dk, const View& dv);
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
