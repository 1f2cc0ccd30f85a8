// The loops worth compiling once per instruction set. Each *.isa.cpp fills its part of the table inside its
// own namespace (GG_ISA), so code compiled for a newer processor is never linked into an older one's path.
// Every fma is written out and contraction is off: all instruction sets give the same bits.
#pragma once
#include <span>

#include "../core/kernel_arguments.h"
#include "loops.h"

namespace glassgrad {

// Work on a product's results beyond writing them. Requires m, k and n that are not 0 and n that is not 1.
struct Epilogue {
  const void* bias = nullptr;  // n adjacent numbers to add to each row at the end; or null
  // Called for each finished block of a result, bias included, by the thread that computed it, while the
  // block is in its cache. Each element is in exactly one call; the order of calls is not fixed. Must not
  // throw.
  void (*finished)(const void* self, int64_t batch, int64_t row, int64_t rows, int64_t column,
                   int64_t columns) = nullptr;
  const void* self = nullptr;
};

struct Kernels {
  const char* isa = "";  // "portable", "avx2", "avx512" or "neon"

  // y = a·b for (m,k)·(k,n) or, batched, (b,m,k)·(b,k,n); any strides, y contiguous; not bool.
  void (*matmul)(const View& a, const View& b, const View& y, MatmulArithmetic arithmetic,
                 const Epilogue& end) = nullptr;

  // The same with inputs rounded to bf16 and sums in float32; null if the processor has no instruction for
  // it. bf16_pairs packs each two neighbours along k of x (…, m, k) into pairs (…, m, ⌈k/2⌉), row-major, or
  // column-major if x is. Then bf16_matmul computes y = a·b from the pairs of a and the transposed pairs of
  // bᵀ. m, k and n are not 0.
  void (*bf16_pairs)(const View& x, const View& pairs) = nullptr;
  void (*bf16_matmul)(const View& a, const View& b, const View& y, const Epilogue& end) = nullptr;

  // y += the sums of x, in the order of PyTorch's cascade sum: y has x's shape, with stride 0 along the
  // summed dimensions, and holds zeros. float32, float64; int64 and bool into int64.
  void (*sum)(const View& x, const View& y) = nullptr;

  // y = softmax of x over dimension dim, or its logarithm; both contiguous; float32 or float64.
  void (*softmax)(const View& x, const View& y, int dim, bool logarithm) = nullptr;
  // dx = the gradient of x, given the gradient g of y = softmax(x): y ⊙ (g − Σ g⊙y), or g − exp(y) Σ g for
  // the logarithm.
  void (*softmax_grad)(const View& g, const View& y, const View& dx, int dim, bool logarithm) = nullptr;

  // sums (2, rows) = the largest number of each row of x (rows, n), and log Σ exp(x − largest).
  void (*log_sums)(const View& x, const View& sums) = nullptr;
  // dx[i, j] = g[i]·(1 if j is target[i], else 0, minus exp(x[i, j] − sums[0, i] − sums[1, i])); dx may be x.
  void (*log_softmax_grad_at)(const View& g, const View& x, const View& sums, const View& target,
                              const View& dx) = nullptr;

  // y = (x − mean)·rstd·weight + bias for each row of x (rows, n), with rstd = 1/√(variance + eps); moments
  // (rows, 2) gets mean and rstd. All contiguous, float32 or float64. weight and bias may have no data.
  void (*layer_norm)(const View& x, const View& weight, const View& bias, double eps, const View& y,
                     const View& moments) = nullptr;
  // Computes the gradients of x, weight and bias from the gradient g of y; skips those without data. dweight
  // and dbias must hold zeros.
  void (*layer_norm_grad)(const View& g, const View& x, const View& moments, const View& weight,
                          const View& dx, const View& dweight, const View& dbias) = nullptr;

  // y (…, T, D) = softmax(q·kᵀ·scale, masked)·v, where the softmax over no keys is 0; norms (2, …, T) gets
  // the largest score of each query and 1/Σ exp(score − largest), both 0 for a query that sees no key.
  // float32 or float64; y's columns are adjacent, norms is contiguous.
  void (*attention)(const AttentionInputs& in, const View& y, const View& norms) = nullptr;
  // Writes dq and adds to dk and dv, which have the shapes of q, k and v, from the gradient g of y; sums (…,
  // T), contiguous, gets Σ weight·(gradient of the weight) of each query. The columns of dq, dk, dv are
  // adjacent.
  void (*attention_grad)(const AttentionInputs& in, const View& g, const View& norms, const View& sums,
                         const View& dq, const View& dk, const View& dv) = nullptr;

  // One optimizer step on n numbers p with their gradient g and their state; all contiguous, float32 or
  // float64. A momentum without data means none.
  void (*adam)(int64_t n, const View& p, const View& g, const View& mean, const View& square,
               const AdamArguments& arguments) = nullptr;
  void (*sgd)(int64_t n, const View& p, const View& g, const View& momentum,
              const SgdArguments& arguments) = nullptr;

  // Turns each whole block of 16 uniforms in y into 16 normals, as fill_normal in random.h describes.
  void (*normal)(float* y, int64_t n, float mean, float std) = nullptr;
  // Runs fma in registers for this many rounds. Returns the number of operations, two per fma.
  int64_t (*fma_chains)(int64_t rounds) = nullptr;

  PointwiseKernels pointwise;
  // y = gelu(x) of n adjacent numbers, or its tanh form; overwrites x with the slope of gelu there. float32
  // or float64.
  void (*gelu_and_slope)(int64_t n, DType t, void* x, void* y, bool tanh) = nullptr;

  // out = f(in[0], in[1], in[2]), computed in dtype t. f reads as many of them as numbers/scalar.def says.
  // Returns false if f does not exist for this dtype.
  bool (*scalar)(ScalarFunction f, DType t, const Scalar* in, Scalar& out) = nullptr;
};

// The best table for this processor, or the one that GLASSGRAD_CPU names; chosen once. Throws ValueError if
// there is no such table here.
const Kernels& kernels();
// Every table that this processor can run, best first. A test checks that all agree bit for bit.
std::span<const Kernels> all_kernels();

}  // namespace glassgrad
