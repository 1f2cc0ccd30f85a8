// What a GPU computes: each the counterpart of a kernel of the CPU's (cpu/kernels.h, or a function of the
// op's own file), on views of the current GPU's memory. They return before the GPU is done; reading the
// result on the CPU waits. The same arguments, formulas and dtypes; sums in another, fixed order.
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
void log_sums(const View& x, const View& sums);
void log_softmax_grad_at(const View& g, const View& x, const View& sums, const View& target, const View& dx);
// y[i] = x[i, target[i]] − sums[0, i] − sums[1, i], 0 where there is no such class; all contiguous.
void log_softmax_at(const View& x, const View& sums, const View& target, const View& y);
void layer_norm(const View& x, const View& weight, const View& bias, double eps, const View& y,
                const View& moments);
void layer_norm_grad(const View& g, const View& x, const View& moments, const View& weight, const View& dx,
                     const View& dweight, const View& dbias);
// Of y = layer_norm(sum) with sum = x + branch, in one pass; branch and y are bfloat16, the others float32.
void layer_norm_of_sum(const View& x, const View& branch, const View& weight, const View& bias, double eps,
                       const View& sum, const View& y, const View& moments);
// layer_norm_grad with dx = base + the gradient, and that in g's dtype in `rounded`; both may have no data.
void layer_norm_grad_onto(const View& g, const View& x, const View& moments, const View& weight,
                          const View& base, const View& dx, const View& rounded, const View& dweight,
                          const View& dbias);

// ---- elements chosen, moved and ordered (gather.cu, index.cu, loss.cu, sort.cu, strided.cu)
// Of int64 indices: the number, in logical order, of the first that is not in [low, high), −1 if there is
// none, and how many are `ignored`, which count as neither, if there are ignored ones at all. Waits; while a
// graph is captured, all are taken to be inside.
IndexCheck check_indices(const View& indices, int64_t low, int64_t high, const int64_t* ignored);

// y[…] = x[…, indices[…], …], and y[…, indices[…], …] += source[…] for equal places in the order of the
// source. lines: x or y under the shape of the indices, with stride 0 along dim; `stride`: its stride along
// dim. y is contiguous in gather.
void gather(const View& lines, int64_t stride, const View& indices, const View& y);
void scatter_add(const View& lines, int64_t stride, int dim, const View& indices, const View& source);
// y (n, width) = the rows of weight that n indices name, all contiguous but the weight; and the weight's
// gradient: row i of y, which holds zeros, is the sum of g's rows whose index is i, but for i = padding.
void embedding(const View& weight, const View& indices, const View& y);
void embedding_grad(const View& g, const View& indices, int64_t padding, const View& y);

// offsets[…] = Σ index·stride over the columns of indices, each along its dimension of x; negative ones count
// from the end. Result: the first place with an index outside, in logical order, times 8, and the number of
// the first such column there; −1 if there is none. Waits for it, unless all are known to be inside
// or a graph is captured.
int64_t index_offsets(const IndexColumns& columns, const View& offsets, bool known);
// y[…] = x[… + offsets[…]], y contiguous; x and offsets with strides under y's shape.
void take(const View& x, const View& offsets, const View& y);
// x[… + offsets[…]] = values[…], or += of it, all with strides under one shape, in which each dimension is
// one of the offsets or one of x. Equal offsets in the order of the values, unless the offsets are
// `distinct`.
void index_put(const View& x, const View& offsets, const View& values, bool accumulate, bool distinct);
// sums[i] = how many of x's first i + 1 elements, in logical order, are not 0; the result is that of all.
// Waits. Then row k of positions (count, dims) = the index of the k-th of them.
int64_t count_nonzero(const View& x, const View& sums);
void nonzero(const View& sums, const Dims& shape, const View& positions);

// y = −x[i, target[i], …] for each of `target`, 0 for those ignored; or, y being a number, their sum or mean.
// x (N, C, …) and target (N, …) contiguous. And dx, which holds zeros, from the gradient of each or of the
// number.
void nll(const View& x, const View& target, const NllArguments& arguments, const View& y);
void nll_grad(const View& g, const View& target, const NllArguments& arguments, const View& dx);

// The first of each line of x along dim in order, as many as the results have room for, and where they stood.
// Equal ones in their order; nan behind every number. With strides under x's shape, in which dim is 1 for a
// number.
void sort(const View& x, const View& values, const View& indices, int dim, bool descending);
// order[k]: where the k-th of all elements of x, in order, stands; numbers[k]: how many different ones come
// before it. Result: how many different ones there are. x contiguous. Waits. Then the values, each once, how
// often they are there, and in `inverse` the number of each of x's elements.
int64_t unique_order(const View& x, const View& order, const View& numbers);
void unique(const View& x, const View& order, const View& numbers, const View& values, const View& inverse,
            const View& counts);

// y[…, i, j] = x[…, i, j] where j − i is at most (lower) or at least `diagonal`, else 0; y contiguous.
void triangle(const View& x, const View& y, int64_t diagonal, bool lower);
// y[Σ index·stride] += v[index], for all its indices in order; y's data begins where the region does.
void add_strided(const View& v, const Dims& strides, const View& y);

// ---- products (cuda/matmul.cu)
// y = a·b as Kernels::matmul has it, plus a row of n numbers side by side if there is a bias; of float64,
// float32 and int64, and of bfloat16 and float16 matrices, whose sums are kept in float32: then y and the
// bias are of their dtype, rounded once, or of float32. y has any strides. Large products of float32 and of
// halves are cuBLASLt's where it is installed, those of float32 from inputs rounded to tf32 at that precision
// and exact at any other; all others are exact: each element one chain, but for long rows by columns of a
// matrix and a vector, whose sums are 32 chains and a tree.
void matmul(const View& a, const View& b, const View& y, Adding adding, MatmulPrecision precision,
            const void* bias);
// y = a·x of a matrix and a column, exact in any case.
void multiply_vector(const View& a, const View& x, const View& y);
// y = Σ a·b of two vectors, any strides: products rounded, the sum of floats kept in double.
void dot(const View& a, const View& b, const View& y);

// ---- steps of optimizers (cuda/optimize.cu), as Kernels::adam and sgd have them, on several parameters of
// one dtype at once; all contiguous. A momentum of null is none.
void adam(std::span<const AdamTensors> all, DType dtype);
void sgd(std::span<const SgdTensors> all, DType dtype);

// ---- many tensors at once (cuda/together.cu, statistics.cu): contiguous ones of the current GPU
// to = from, as float32 and a half or the other way round.
struct Conversion {
  int64_t n;
  const void* from;
  void* to;
};
void convert_all(std::span<const Conversion> all, DType from, DType to);
// x ·= *factor, of float32.
void scale_all(std::span<const View> all, const float* factor);
// y[i] = the norm of number i, of float32, in the bits of `norm`.
void norms(std::span<const View> all, float* y);

// ---- attention (cuda/attention*.cu)
// As the CPU's (cpu/kernels.h), but of norms the first half alone is written: log Σ exp of each query's
// scores; and sums holds Σ g⊙y. Of bf16 alone where tensor cores compute it: y, g and the gradients are bf16
// then, the sums float32, and gradients are written instead of added to.
void attention(const AttentionInputs& in, const View& y, const View& log_sums);
void attention_grad(const AttentionInputs& in, const View& g, const View& log_sums, const View& sums,
                    const View& dq, const View& dk, const View& dv);
// Can tensor cores compute it? For bf16, E = D = 64 or 128, and packed rows; those of y, g and the gradients
// are to be packed, too.
bool fits_tensor_cores(const AttentionInputs& in);
// Do a row's elements lie side by side, and do rows of bf16 begin at multiples of 16 bytes?
bool has_packed_rows(const View& x);
// y (…, m), contiguous, = Σ a⊙b over the last dimension of a and b (…, m, n), of any strides; of bf16, y is
// float32.
void row_dots(const View& a, const View& b, const View& y);

// ---- random numbers (random.cu): y, of one stretch of memory, is drawn by Philox4x32-10. Result: by how
// much the offset moves on. Uniform, Normal and Exponential of floats alone.
uint64_t draw(const View& y, const PhiloxState& stream, const Distribution& d);
// y = 1 where a number drawn so is at most p, else 0; both contiguous, of one floating dtype.
uint64_t draw_by_chances(const View& p, const View& y, const PhiloxState& stream);

// ---- large products by NVIDIA's cuBLASLt (cuda/blas.cu). It is never linked: the library of this build's
// CUDA is opened at the first such product; where there is none, products stay with the project's own kernel.
// y = a·b, and a row of n numbers added to each row if there is a bias, as matmul above has it, of float32 or
// halves. False, and nothing is done, where the product is small, a or b lies neither by rows nor by columns,
// y not by rows, or cuBLASLt has no algorithm for it. A shape is computed by the first algorithm that the
// library proposes, so every run has the same bits, on the same kind of GPU and with the same cuBLASLt.
bool blas_product(const View& a, const View& b, const View& y, MatmulPrecision precision, const void* bias);

// What it was asked for so far, a line for each kind of product, as
// `2048×768·768×2304ᵀ, bf16 to bf16, with a bias, aligned: algorithm 66, tile 23, stages 36, in halves`: its
// sizes; how its matrices lie and of what; cuBLASLt's numbers of the kernel's kind (cublasLt.h has the names
// of tiles and stages); and what it multiplies in. A line ends with NOT IN halves where that was asked for
// and tf32 is what it is.
std::vector<std::string> blas_plans();

}  // namespace glassgrad::cuda
