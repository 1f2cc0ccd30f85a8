// Attention from inputs rounded to bf16, with tensor cores: a block has 128 queries of a head, and goes over
// the keys 64 or 32 at a time, the next of which are on their way meanwhile. Scores and weights stay in
// registers; all sums are kept in float32.
// Dao 2023, https://arxiv.org/abs/2307.08691
#include "attention_bf16.h"

namespace glassgrad::cuda {
namespace {

constexpr int kTiles = 2, kQueries = kTiles * 16 * kWarps;  // a warp has two tiles of 16 queries

template <int size>
struct Forward {
  static constexpr int kKeys = size == 64 ? 64 : 32;  // as registers allow
  struct Memory {
    Arrivals<kKeys, size> next_k, next_v;
    Rows<kKeys, size> k, v;
    Rows<kQueries, size> q;
  };
};

// f(f(a, b), …) over the four threads that share rows; in each of them.
template <class F>
__device__ __forceinline__ float over_row(float v, F f) {
  v = f(v, __shfl_xor_sync(0xffffffffu, v, 1));
  return f(v, __shfl_xor_sync(0xffffffffu, v, 2));
}

// Of one of a thread's rows: the largest score so far, times log2 e, and the sum of the thread's own weights.
struct SoFar {
  float top = Scores<float>::kNone, sum = 0;
};

// Scores of a query, half of those of tiles, that are not plain.
template <int columns>
__device__ __forceinline__ void mask(MatrixC (&c)[columns], int half, const Scores<float>& score, int query) {
  GG_UNROLL for (int n = 0; n < columns * 2; ++n) {
    float& s = c[n / 2][half * 2 + n % 2];
    s = score.of(s, query, n / 2 * 8 + column_of_pair() + n % 2);
  }
}

// The scores become weights that are not divided yet by their sum. Returns what earlier ones are to be
// multiplied by.
template <int columns>
__device__ __forceinline__ float absorb(MatrixC (&c)[columns], int half, float unit, SoFar& so_far) {
  const auto larger = [](float a, float b) { return b > a ? b : a; };
  float top = Scores<float>::kNone;
  GG_UNROLL for (int n = 0; n < columns * 2; ++n) top = larger(top, c[n / 2][half * 2 + n % 2]);
  top = larger(so_far.top, over_row(top, larger) * unit);
  const float shift = top == Scores<float>::kNone ? 0.0f : top;  // no key has been seen: all weights are 0
  const float fade = quick_exp2(so_far.top - shift);
  so_far.top = top;
  so_far.sum *= fade;
  GG_UNROLL for (int n = 0; n < columns * 2; ++n) {
    float& s = c[n / 2][half * 2 + n % 2];
    s = quick_exp2(GG_ISA::fma(s, unit, -shift));
    so_far.sum += s;
  }
  return fade;
}

// A row of the result, and the logarithm of its sum.
template <int columns>
__device__ __forceinline__ void write(const MatrixC (&c)[columns], int half, const SoFar& so_far,
                                      const Plane<float>& y, float* log_sums, int row) {
  const float sum = over_row(so_far.sum, Sum());
  if (row >= int(y.all.rows)) return;
  const float factor = sum == 0 ? 0.0f : 1 / sum;
  GG_UNROLL for (int n = 0; n < columns; ++n) {
    const float2 pair = make_float2(c[n][half * 2] * factor, c[n][half * 2 + 1] * factor);
    *reinterpret_cast<float2*>(&y.at(row, n * 8 + column_of_pair())) = pair;
  }
  if (threadIdx.x % 4 == 0) log_sums[row] = sum == 0 ? 0.0f : so_far.top / kLog2E + GG_ISA::log(sum);
}

template <int size>
__device__ void attend(const Inputs<float>& in, const Matrices<float>& y, float* log_sums, int64_t head,
                       int first, typename Forward<size>::Memory& m) {
  constexpr int keys = Forward<size>::kKeys;
  const Plane<const float> q(in.q, head), k(in.k, head), v(in.v, head);
  const int end = int(in.causal ? least(in.k.rows, first + kQueries) : in.k.rows);
  const auto ask = [&](int key) {
    m.next_k.ask(k, key), m.next_v.ask(v, key);
    cp_async_commit();
  };
  if (end > 0) ask(0);
  __syncthreads();  // nobody reads the queries of the time before
  fill(m.q, q, first);
  __syncthreads();
  const int own = int(threadIdx.x) / 32 * kTiles * 16;
  const OwnRows<kTiles, size, false> queries(m.q, own);
  Results<kTiles, size / 8> sums;
  sums.clear();
  SoFar so_far[kTiles * 2];
  const int row = own + group_of_thread();
  for (int key = 0; key < end; key += keys) {
    cp_async_wait<0>();
    __syncthreads();  // nobody reads the keys of the time before
    m.next_k.round(m.k), m.next_v.round(m.v);
    if (key + keys < end) ask(key + keys);
    __syncthreads();
    Results<kTiles, keys / 8> weights;
    multiply_transposed(weights, queries, m.k);
    const Scores<float> score(in, head, first, key);
    const Unit unit(score, own, keys - 1);
    GG_UNROLL for (int i = 0; i < kTiles * 2; ++i) {
      if (!unit.plain) mask(weights.c[i / 2], i % 2, score, row + i * 8);
      const float fade = absorb(weights.c[i / 2], i % 2, unit.value, so_far[i]);
      GG_UNROLL for (auto& c : sums.c[i / 2]) c[i % 2 * 2] *= fade, c[i % 2 * 2 + 1] *= fade;
    }
    add_product(sums, weights, m.v);
  }
  const Plane<float> out(y, head);
  GG_UNROLL for (int i = 0; i < kTiles * 2; ++i) {
    write(sums.c[i / 2], i % 2, so_far[i], out, log_sums + head * y.rows, first + row + i * 8);
  }
}

// The last queries of a head first: where it is causal they take the longest.
template <int size>
__global__ void __launch_bounds__(kThreads, 2)
    attention_kernel(Inputs<float> in, Matrices<float> y, float* log_sums, int64_t tiles, int64_t items) {
  GG_DYNAMIC_SHARED(typename Forward<size>::Memory, memory);
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x)
    attend<size>(in, y, log_sums, item / tiles, int(tiles - 1 - item % tiles) * kQueries, *memory);
}

template <int size>
void run(const AttentionInputs& in, const View& y, const View& log_sums) {
  const int64_t tiles = up(size_of(y, 2), kQueries), items = heads_of(y) * tiles;
  launch("attention_bf16", attention_kernel<size>,
         grid_of_blocks(items, kThreads, sizeof(typename Forward<size>::Memory)), Inputs<float>(in),
         Matrices<float>(y), log_sums.as<float>(), tiles, items);
}

}  // namespace

bool has_packed_rows(const View& x) {
  const int last = x.shape.n - 1;
  bool packed = x.strides.v[last] == 1 && reinterpret_cast<uintptr_t>(x.data) % 16 == 0;
  for (int d = 0; d < last; ++d) packed = packed && (x.shape.v[d] == 1 || x.strides.v[d] % 4 == 0);
  return packed;
}
bool fits_tensor_cores(const AttentionInputs& in) {
  const int64_t width = size_of(in.q, 1), most = int64_t(1) << 30;  // int has room for numbers of rows
  return in.bf16 && size_of(in.q, 2) < most && size_of(in.k, 2) < most && in.q.dtype == float32 &&
         (width == 64 || width == 128) && size_of(in.v, 1) == width && has_packed_rows(in.q) &&
         has_packed_rows(in.k) && has_packed_rows(in.v);
}

void attention_bf16(const AttentionInputs& in, const View& y, const View& log_sums) {
  size_of(y, 1) == 64 ? run<64>(in, y, log_sums) : run<128>(in, y, log_sums);
}

}  // namespace glassgrad::cuda
