// What kernels of every device are told beside the views of their tensors: plain data.
#pragma once
#include "types.h"

namespace glassgrad {

// What the inputs of products of two float32 matrices are rounded to, forward and backward: nothing (fp32),
// tf32 or bf16, which have 11 and 8 bits of precision instead of 24. Sums are kept in float32, and so are the
// tensors themselves. It concerns mm, bmm, addmm and what is made of them (matmul, linear); not products with
// a vector. Where there are no instructions for it, and on a GPU where a product is small, nothing is
// rounded. fp32 at first.
enum class MatmulPrecision : uint8_t { fp32, tf32, bf16 };

// How the products of an element are added: each rounded before, as PyTorch does in small batched products;
// or in a chain of fma over ascending k from 0, of which some small float32 products have sixteen, as
// OpenBLAS does; or in one chain whatever the sizes, from numbers that no precision above rounds.
enum class Adding : uint8_t { Rounded, Fused, OneChain };

// A contiguous tensor as (outer, n, inner) around dimension dim.
struct DimSplit {
  int64_t outer = 1, n = 1, inner = 1;
  GG_HOST_INLINE DimSplit(const Dims& shape, int dim) {
    for (int d = 0; d < shape.n; ++d) (d < dim ? outer : d == dim ? n : inner) *= shape.v[d];
  }
  GG_HOST_INLINE int64_t numel() const { return outer * n * inner; }
};

// What attention reads: q (…, T, E), k (…, S, E), v (…, S, D), mask (…, T, S), bool or of their dtype, or
// without data; one batch, any strides. On a GPU they may be bf16, where they fit its tensor cores, and what
// the mask adds bf16 or float32.
struct AttentionInputs {
  View q, k, v, mask;
  double scale;
  bool causal;        // key j is seen from query j on
  bool tf32 = false;  // a GPU may round inputs of its products to tf32
};

// What a look over int64 indices found: the number, in logical order, of the first outside of the range, −1
// if there is none, and how many are the ignored one.
struct IndexCheck {
  int64_t first_outside = -1, ignored = 0;
};

// The tensors of x[i, j, …], each with the dimension of x that it chooses along.
struct IndexColumns {
  int count = 0;
  const int64_t* indices[kMaxDims];
  Dims strides[kMaxDims];  // of the indices under the shape of the offsets
  int64_t size[kMaxDims], stride[kMaxDims];
};

// The sizes of a negative log likelihood.
struct NllArguments {
  int64_t classes, positions, ignored;  // C; targets of each of N; what counts as no target
  int64_t counted;                      // targets that are not ignored; a GPU counts them itself
  bool each, mean;                      // a loss for each target; the sum divided by how many count
  bool picked;                          // x is (N): of each target's class the number alone
};

// ---- optimizers
struct AdamArguments {
  double shrink, decay;  // p is multiplied by shrink; decay·p is added to g
  double beta1, beta2, eps, step_size, root_correction;
};
struct SgdArguments {
  double lr, momentum, dampening, decay;
  bool nesterov, first;  // first: the momentum holds nothing yet
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
// Where a Philox4x32-10 generator stands.
struct PhiloxState {
  uint64_t seed, offset;
  const int64_t* replayed_from = nullptr;  // Generator::replayed_from
};
struct Distribution {
  enum Kind { Uniform, Normal, Exponential, Bernoulli, DropoutMask, Integers } kind;
  double a = 0, b = 0;  // from and to; mean and std; lambda; p
  int64_t low = 0;      // of Integers: low … low + range − 1
  uint64_t range = 0;
};

}  // namespace glassgrad
