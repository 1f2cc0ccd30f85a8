// The loops worth compiling once per instruction set. Each *.isa.cpp fills its part of the table inside its
// own namespace (GG_ISA), so nothing compiled for a newer processor can be linked into an older one's path.
// Every fma is written out and contraction is off: all instruction sets give the same bits.
#pragma once
#include <span>

#include "../core/kernel_arguments.h"
#include "loops.h"

namespace glassgrad {

// What is done to a product's results beside writing them, where m, k and n are not 0 and n is not 1.
struct Epilogue {
  const void* bias = nullptr;  // n numbers side by side that are added to each row at the end; or null
  // Called for each block of a result that is finished, bias and all, by the thread that made it, while its
  // cache still holds it. Every element is in one call; their order is not fixed. Must not throw.
  void (*finished)(const void* self, int64_t batch, int64_t row, int64_t rows, int64_t column,
                   int64_t columns) = nullptr;
  const void* self = nullptr;
};

struct Kernels {
  const char* isa = "";  // "portable", "avx2", "avx512"

  // y = a·b for (m,k)·(k,n) or, batched, (b,m,k)·(b,k,n); any strides, y contiguous; not bool.
  void (*matmul)(const View& a, const View& b, const View& y, Adding adding, const Epilogue& end) = nullptr;

  // The same from inputs rounded to bf16, added up in float32; null where the processor has no instruction
  // for it. First, pairs (…, m, k/2 rounded up) of neighbours in k are made of x (…, m, k): its rows lie side
  // by side, or else its columns do, as they then must in x. Then y = a·b from the pairs of a and those of
  // bᵀ, transposed. m, k and n are not 0.
  void (*bf16_pairs)(const View& x, const View& pairs) = nullptr;
  void (*bf16_matmul)(const View& a, const View& b, const View& y, const Epilogue& end) = nullptr;

  // y += the sums of x, in the order of PyTorch's cascade sum: y has x's shape, with stride 0 along what is
  // summed, and holds zeros. float32, float64; int64 and bool into int64.
  void (*sum)(const View& x, const View& y) = nullptr;

  // y = softmax of x over dimension dim, or its logarithm; both contiguous; float32 or float64.
  void (*softmax)(const View& x, const View& y, int dim, bool logarithm) = nullptr;
  // From the gradient g of y = softmax(x) that of x: y ⊙ (g − Σ g⊙y), or g − exp(y) Σ g for the logarithm.
  void (*softmax_grad)(const View& g, const View& y, const View& dx, int dim, bool logarithm) = nullptr;

  // sums (2, rows) = the largest number of each row of x (rows, n), and log Σ exp(x − it).
  void (*log_sums)(const View& x, const View& sums) = nullptr;
  // dx[i, j] = g[i]·(1 if j is target[i], else 0, minus exp(x[i, j] − sums[0, i] − sums[1, i])); dx may be x.
  void (*log_softmax_grad_at)(const View& g, const View& x, const View& sums, const View& target,
                              const View& dx) = nullptr;

  // y = (x − mean)·rstd·weight + bias for each row of x (rows, n), with rstd = 1/√(variance + eps); moments
  // (rows, 2) gets mean and rstd. All contiguous, float32 or float64; a weight or a bias is none without
  // data.
  void (*layer_norm)(const View& x, const View& weight, const View& bias, double eps, const View& y,
                     const View& moments) = nullptr;
  // From the gradient g of y those of x, weight and bias, each where its data is not null. dweight and dbias
  // hold zeros.
  void (*layer_norm_grad)(const View& g, const View& x, const View& moments, const View& weight,
                          const View& dx, const View& dweight, const View& dbias) = nullptr;

  // y (…, T, D) = softmax(q·kᵀ·scale, masked)·v, where the softmax of no key at all is 0; norms (2, …, T)
  // gets the largest score of each query, and 1/Σ exp(score − it), or twice 0 for one that sees no key.
  // float32 or float64; y's columns lie side by side, norms is contiguous.
  void (*attention)(const AttentionInputs& in, const View& y, const View& norms) = nullptr;
  // Writes dq and adds to dk and dv, which have the shapes of q, k and v, from the gradient g of y; sums (…,
  // T), contiguous, gets Σ weight·its gradient of each query. The columns of dq, dk, dv lie side by side.
  void (*attention_grad)(const AttentionInputs& in, const View& g, const View& norms, const View& sums,
                         const View& dq, const View& dk, const View& dv) = nullptr;

  // One step of an optimizer on n numbers p with their gradient g and their state; all contiguous, float32
  // or float64. A momentum without data is none.
  void (*adam)(int64_t n, const View& p, const View& g, const View& mean, const View& square,
               const AdamArguments& arguments) = nullptr;
  void (*sgd)(int64_t n, const View& p, const View& g, const View& momentum,
              const SgdArguments& arguments) = nullptr;

  // Of each whole block of 16 uniforms y makes 16 normals, as fill_normal of random.h has it.
  void (*normal)(float* y, int64_t n, float mean, float std) = nullptr;
  // Multiplies and adds in registers for so many rounds: the number of operations, two for each fma.
  int64_t (*fma_chains)(int64_t rounds) = nullptr;

  PointwiseKernels pointwise;
  // y = gelu(x) of n numbers side by side, or its form with tanh, and in the place of x the slope of gelu
  // there; float32 or float64.
  void (*gelu_and_slope)(int64_t n, DType t, void* x, void* y, bool tanh) = nullptr;

  // out = f(in[0], in[1], in[2]), of which f takes as many as numbers/scalar.def says, computed in dtype t,
  // which is that of the operands; false where there is no such function of this dtype.
  bool (*scalar)(ScalarFunction f, DType t, const Scalar* in, Scalar& out) = nullptr;
};

// The best table for this processor, or the one that GLASSGRAD_CPU names; chosen once. ValueError: there is
// no such table here.
const Kernels& kernels();
// Every table this processor can run, best first: a test holds them equal bit for bit.
std::span<const Kernels> all_kernels();

}  // namespace glassgrad
