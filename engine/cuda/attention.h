// Shared by the attention kernels: a head's matrices, and how a score is scaled and masked for the softmax.
#pragma once
#include "../core/nest.h"
#include "../numbers/exp_log.h"
#include "kernels.h"
#include "launch.h"

#ifdef __CUDACC__
#define GG_UNROLL _Pragma("unroll")
#else
#define GG_UNROLL
#endif

namespace glassgrad::cuda {

inline int64_t size_of(const View& x, int from_last) { return x.shape.v[x.shape.n - from_last]; }
inline int64_t heads_of(const View& x) {
  int64_t heads = 1;
  for (int d = 0; d < x.shape.n - 2; ++d) heads *= x.shape.v[d];
  return heads;
}
inline constexpr int64_t up(int64_t n, int64_t step) { return (n + step - 1) / step; }
GG_INLINE constexpr int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// The matrices of all heads. Kernels take them as a parameter, so that strides and sizes are in constant
// memory and need no registers.
template <class T>
struct HeadMatrices {
  T* data;
  int64_t row, column;  // element (i, j) of a head lies at its first one + i·row + j·column
  int64_t rows, columns;
  Nest<1> heads;  // the other dimensions

  HeadMatrices() : data(nullptr), row(0), column(0), rows(0), columns(0) {}
  explicit HeadMatrices(const View& x)
      : data(x.as<T>()),
        row(x.strides.v[x.shape.n - 2]),
        column(x.strides.v[x.shape.n - 1]),
        rows(size_of(x, 2)),
        columns(size_of(x, 1)) {
    for (int d = 0; d < x.shape.n - 2; ++d) heads.push(x.shape, {x.strides}, d);
  }
};
template <class T>
struct HeadMatrix {
  const HeadMatrices<T>& all;
  T* data;

  __device__ HeadMatrix(const HeadMatrices<T>& x, int64_t head)
      : all(x), data(x.data + x.heads.at(unsigned(head))[0]) {}
  __device__ T& at(int64_t i, int64_t j) const { return data[i * all.row + j * all.column]; }
  __device__ bool has(int64_t i, int64_t j) const { return i < all.rows && j < all.columns; }
};

template <class T>
struct Inputs {
  HeadMatrices<const T> q, k, v;
  HeadMatrices<const T> added;     // added to the scores, if it has data
  HeadMatrices<const bool> taken;  // which keys take part, if it has data
  T scale;
  bool causal;

  explicit Inputs(const AttentionInputs& in)
      : q(in.q), k(in.k), v(in.v), scale(T(in.scale)), causal(in.causal) {
    if (in.mask.data && in.mask.dtype == boolean) taken = HeadMatrices<const bool>(in.mask);
    if (in.mask.data && in.mask.dtype != boolean) added = HeadMatrices<const T>(in.mask);
  }
};

// The scores of at most 128 queries and 128 keys of a head: which are inside, and their values.
template <class T>
struct Scores {
  static constexpr T kNone = T(-__builtin_inf());
  static constexpr int kMost = 128;

  const Inputs<T>& in;
  HeadMatrix<const T> added;
  HeadMatrix<const bool> taken;

  int64_t query, key;  // the first ones
  int queries, keys;   // how many there are
  int ahead;           // query i sees keys up to i + ahead

  __device__ Scores(const Inputs<T>& inputs, int64_t head, int64_t first_query, int64_t first_key)
      : in(inputs),
        added(inputs.added, head),
        taken(inputs.taken, head),
        query(first_query),
        key(first_key),
        queries(int(least(kMost, in.q.rows - query))),
        keys(int(least(kMost, in.k.rows - key))),
        ahead(in.causal ? int(least(kMost, query > key - kMost ? query - key : -kMost)) : kMost) {}
  // True if all queries from number i on see all keys up to number j, and no mask is added.
  __device__ bool plain(int i, int j) const {
    return !in.added.data && !in.taken.data && j < keys && j - i <= ahead;
  }
  // The score of query i and key j, from their product. −∞ where the query does not see the key, whatever the
  // scale.
  __device__ T of(T product, int i, int j) const {
    if (i >= queries || j >= keys || j - i > ahead) return kNone;
    if (in.taken.data && !taken.at(query + i, key + j)) return kNone;
    return product * in.scale + (in.added.data ? added.at(query + i, key + j) : T(0));
  }
};

// The grid for `items` pieces of work: a block takes one after another.
inline Grid grid_of_blocks(int64_t items, unsigned threads, size_t shared) {
  return {dim3(unsigned(least(items, kMostBlocks))), threads, shared};
}

// The kernels on tensor cores (attention_bf16.cu, attention_grad_bf16.cu), for inputs that fits_tensor_cores
// accepts.
void attention_bf16(const AttentionInputs& in, const View& y, const View& log_sums);
void attention_grad_bf16(const AttentionInputs& in, const View& g, const View& log_sums, const View& sums,
                         const View& dq, const View& dk, const View& dv);

// The kernels for float32 with packed rows of at most 64 numbers (attention_f32.cu, attention_grad_f32.cu).
// They return false, and do nothing, for other inputs.
bool attention_f32(const AttentionInputs& in, const View& y, const View& log_sums);
bool attention_grad_f32(const AttentionInputs& in, const View& g, const View& log_sums, const View& sums,
                        const View& dq, const View& dk, const View& dv);

}  // namespace glassgrad::cuda
