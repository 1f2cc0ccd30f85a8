// The arguments, besides views of tensors, of the kernels of every device: plain data.
#pragma once
#include "types.h"

namespace glassgrad {

// The precision to which matrix products round their float32 inputs, forward and backward: fp32 (24 bits, not
// rounded), tf32 (11 bits) or bf16 (8 bits). Sums and the tensors themselves stay float32. Applies to mm,
// bmm, addmm and the ops made of them (matmul, linear), not to products with a vector. Nothing is rounded if
// the processor has no instruction for it, or in small products on a GPU. The default is fp32.
enum class MatmulPrecision : uint8_t { fp32, tf32, bf16 };

// How the products of an element are added. Rounded: each product is rounded first, as PyTorch does in small
// batched products. Fused: a chain of fma over ascending k from 0; some small float32 products have sixteen
// chains, as in OpenBLAS. SequentialFma: one chain, whatever the sizes; MatmulPrecision does not round its
// inputs.
enum class MatmulArithmetic : uint8_t { Rounded, Fused, SequentialFma };

// A contiguous tensor as (outer, n, inner) around dimension dim.
struct DimSplit {
  int64_t outer = 1, n = 1, inner = 1;
  GG_HOST_INLINE DimSplit(const Dims& shape, int dim) {
    for (int d = 0; d < shape.n; ++d) (d < dim ? outer : d == dim ? n : inner) *= shape.v[d];
  }
  GG_HOST_INLINE int64_t numel() const { return outer * n * inner; }
};

// The inputs of attention: q (…, T, E), k (…, S, E), v (…, S, D), mask (…, T, S), bool or of their dtype
// (data null: no mask); one batch, any strides. On a GPU they may be bf16 if the sizes fit its tensor cores;
// an additive mask is then bf16 or float32.
struct AttentionInputs {
  View q, k, v, mask;
  double scale;
  bool causal;        // query i sees the keys j ≤ i only
  bool tf32 = false;  // a GPU may round inputs of its products to tf32
};

// The result of checking int64 indices: the number, in logical order, of the first one out of range (−1:
// none), and how many indices equal the ignored one.
struct IndexCheckResult {
  int64_t first_outside = -1, ignored = 0;
};

// The index tensors of x[i, j, …], each with the size and stride of the dimension of x that it indexes.
struct IndexColumns {
  int count = 0;
  const int64_t* indices[kMaxDims];
  Dims strides[kMaxDims];  // of the indices, expanded to the shape of the offsets
  int64_t size[kMaxDims], stride[kMaxDims];
};

// The sizes and options of nll_loss.
struct NllArguments {
  int64_t classes, positions, ignored;  // C; targets per row of N; the target to ignore
  int64_t counted;                      // targets that are not ignored; a GPU counts them itself
  bool each, mean;                      // each: a loss per target; mean: divides the sum by `counted`
  bool picked;                          // x is (N): one log-probability per target, already picked
};

// ---- optimizers
struct AdamArguments {
  double shrink, decay;  // p is multiplied by shrink; decay·p is added to g
  double beta1, beta2, eps, step_size, root_correction;
};
struct SgdArguments {
  double lr, momentum, dampening, decay;
  bool nesterov, first;  // first: the momentum is not initialised yet
};
struct AdamTensors {
  int64_t n;
  void* p;
  const void* g;
  void *mean, *square;
  AdamArguments arguments;
};
struct SgdTensors {
  int64_t n;
  void* p;
  const void* g;
  void* momentum;
  SgdArguments arguments;
};

// ---- random numbers
// The state of a Philox4x32-10 generator.
struct PhiloxState {
  uint64_t seed, offset;
  const int64_t* replayed_from = nullptr;  // Generator::replayed_from
};
struct Distribution {
  enum Kind { Uniform, Normal, Exponential, Bernoulli, DropoutMask, Integers } kind;
  double a = 0, b = 0;  // from and to; mean and std; lambda; p
  int64_t low = 0;      // for Integers: low … low + range − 1
  uint64_t range = 0;
};

}  // namespace glassgrad
