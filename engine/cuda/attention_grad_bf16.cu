// The gradients of attention from inputs rounded to bf16, with tensor cores: a block has 64 queries, or 64
// keys, of a head, and goes over all others, the next of which are on their way meanwhile. The weights are
// made anew from the logarithms of their sums, in registers, where the next products take them.
#include "attention_bf16.h"

namespace glassgrad::cuda {
namespace {

constexpr int kOwn = 16 * kWarps;

template <int size>
struct Backward {
  static constexpr int kOthers = size == 64 ? 64 : 32;  // as registers allow
  static constexpr bool kKept = size == 64;
  struct Memory {
    Arrivals<kOthers, size> next[2];
    Rows<kOthers, size> others[2];
    Rows<kOwn, size> own[2];
    float log_sums[kOthers], sums[kOthers];  // of others that are queries
  };
};

struct GradientInputs {
  Inputs<float> in;
  Matrices<const float> g;
  const float *log_sums, *sums;
  Matrices<float> dq, dk, dv;
};

// What is known of the queries of a head, 0 behind the last.
struct OfQueries {
  const float *log_sums, *sums;
  int count;

  __device__ float log_sum(int query) const { return query < count ? log_sums[query] * kLog2E : 0.0f; }
  __device__ float sum(int query) const { return query < count ? sums[query] : 0.0f; }
};

// Products q·k become weights p, and g·v the gradients of the scaled scores: p ⊙ (g·v − Σ p⊙g·v)·scale.
// numbers(half, column) are a query's log_sum and sum.
template <bool of_keys, int columns, class Numbers>
__device__ __forceinline__ void weigh(Results<1, columns>& weights, Results<1, columns>& slopes,
                                      const Scores<float>& score, int own, Numbers numbers) {
  const Unit unit(score, of_keys ? 0 : own, of_keys ? own + 15 : columns * 8 - 1);
  GG_UNROLL for (int n = 0; n < columns * 4; ++n) {
    const int column = n / 4 * 8 + column_of_pair() + n % 2, half = n % 4 / 2;
    const int row = own + half * 8 + group_of_thread();
    float &p = weights.c[0][n / 4][n % 4], &slope = slopes.c[0][n / 4][n % 4];
    if (!unit.plain) p = score.of(p, of_keys ? column : row, of_keys ? row : column);
    const float2 known = numbers(half, column);
    p = quick_exp2(GG_ISA::fma(p, unit.value, -known.x));
    slope = p * (slope - known.y) * score.in.scale;
  }
}

template <int columns>
__device__ __forceinline__ void add_to(const Plane<float>& y, const Results<1, columns>& sums, int first) {
  for (int half = 0; half < 2; ++half) {
    const int row = first + half * 8 + group_of_thread();
    if (row >= int(y.all.rows)) continue;
    for (int n = 0; n < columns; ++n) {
      auto* const at = reinterpret_cast<float2*>(&y.at(row, n * 8 + column_of_pair()));
      const float2 before = *at;
      *at = make_float2(before.x + sums.c[0][n][half * 2], before.y + sums.c[0][n][half * 2 + 1]);
    }
  }
}

template <int size, bool of_keys>
__device__ void add_gradients(const GradientInputs& d, int64_t head, int first,
                              typename Backward<size>::Memory& m) {
  constexpr int others = Backward<size>::kOthers;
  const Plane<const float> q(d.in.q, head), k(d.in.k, head), v(d.in.v, head), g(d.g, head);
  const auto &own_0 = of_keys ? k : q, &own_1 = of_keys ? v : g, &other_0 = of_keys ? q : k,
             &other_1 = of_keys ? g : v;
  const OfQueries of{d.log_sums + head * d.in.q.rows, d.sums + head * d.in.q.rows, int(d.in.q.rows)};
  const int begin = of_keys && d.in.causal ? first : 0,
            end = int(!of_keys && d.in.causal ? least(d.in.k.rows, first + kOwn) : other_0.all.rows);
  const auto ask = [&](int other) {
    m.next[0].ask(other_0, other), m.next[1].ask(other_1, other);
    cp_async_commit();
  };
  if (begin < end) ask(begin);
  __syncthreads();  // nobody reads the rows of the time before
  fill(m.own[0], own_0, first), fill(m.own[1], own_1, first);
  __syncthreads();
  const int own = int(threadIdx.x) / 32 * 16;
  const OwnRows<1, size, Backward<size>::kKept> a(m.own[0], own);
  const OwnRows<1, size, Backward<size>::kKept && !of_keys> b(m.own[1], own);
  const int row = first + own + group_of_thread();
  const float2 of_row[2] = {make_float2(of.log_sum(row), of.sum(row)),
                            make_float2(of.log_sum(row + 8), of.sum(row + 8))};
  Results<1, size / 8> da, db;
  da.clear(), db.clear();
  for (int other = begin; other < end; other += others) {
    cp_async_wait<0>();
    __syncthreads();  // nobody reads the others of the time before
    m.next[0].round(m.others[0]), m.next[1].round(m.others[1]);
    if (const int n = int(threadIdx.x); of_keys && n < others)
      m.log_sums[n] = of.log_sum(other + n), m.sums[n] = of.sum(other + n);
    if (other + others < end) ask(other + others);
    __syncthreads();
    Results<1, others / 8> weights, slopes;
    multiply_transposed(weights, a, m.others[0]);
    multiply_transposed(slopes, b, m.others[1]);
    const Scores<float> score(d.in, head, of_keys ? other : first, of_keys ? first : other);
    weigh<of_keys>(weights, slopes, score, own, [&](int half, int column) {
      return of_keys ? make_float2(m.log_sums[column], m.sums[column]) : of_row[half];
    });
    __syncwarp();  // a mask parts the threads of a warp; the next products take all of them at once
    if (of_keys) add_product(db, weights, m.others[1]);
    add_product(da, slopes, m.others[0]);
  }
  add_to(Plane<float>(of_keys ? d.dk : d.dq, head), da, first + own);
  if (of_keys) add_to(Plane<float>(d.dv, head), db, first + own);
}

template <int size, bool of_keys>
__global__ void __launch_bounds__(kThreads, 2)
    gradient_kernel(GradientInputs d, int64_t tiles, int64_t items) {
  GG_DYNAMIC_SHARED(typename Backward<size>::Memory, memory);
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    // The longest of a head first, where it is causal.
    const int tile = int(of_keys ? item % tiles : tiles - 1 - item % tiles);
    add_gradients<size, of_keys>(d, item / tiles, tile * kOwn, *memory);
  }
}

template <int size, bool of_keys>
void run(const GradientInputs& d, int64_t heads) {
  const int64_t tiles = up(of_keys ? d.in.k.rows : d.in.q.rows, kOwn), items = heads * tiles;
  if (items == 0) return;
  launch("attention_grad_bf16", gradient_kernel<size, of_keys>,
         grid_of_blocks(items, kThreads, sizeof(typename Backward<size>::Memory)), d, tiles, items);
}
template <int size>
void run_both(const GradientInputs& d, int64_t heads) {
  run<size, false>(d, heads);
  run<size, true>(d, heads);
}

}  // namespace

void attention_grad_bf16(const AttentionInputs& in, const View& g, const View& log_sums, const View& sums,
                         const View& dq, const View& dk, const View& dv) {
  const GradientInputs d{Inputs<float>(in),      Matrices<const float>(g), log_sums.as<const float>(),
                         sums.as<const float>(), Matrices<float>(dq),      Matrices<float>(dk),
                         Matrices<float>(dv)};
  d.g.columns == 64 ? run_both<64>(d, heads_of(g)) : run_both<128>(d, heads_of(g));
}

}  // namespace glassgrad::cuda
