// The gradients of attention in bf16 on tensor cores: each warpgroup of a block has 64 queries, or 64 keys,
// of a head and loops over all others while the next ones are being copied. The weights are recomputed from
// the logarithms of their sums, in registers, where the next products read them.
// This takes seven products; one kernel for all gradients would need five. But that kernel would sum the
// gradients of queries over many blocks, in float32 in memory, and one block after the other to get the same
// bits each time.
#include "attention_bf16.h"

namespace glassgrad::cuda {
namespace {

// A block's configuration, as in attention_bf16.cu, with 64 others at a time. `held`: both own matrices.
template <int size_, int groups, int ahead, int stages_, int blocks, bool held>
struct BackwardShape {
  static constexpr int size = size_, kOthers = 64, kAhead = ahead, kStages = stages_, kBlocks = blocks;
  static constexpr int kThreads = groups * kGroupThreads, kOwn = groups * kGroupRows;
  static constexpr bool kHeld = held && kProductsGoOn;
  // A tile is still read while the next one is.
  static constexpr bool kOverlaps = kProductsGoOn && kStages >= ahead + 2;
  struct Memory {
    SwizzledRows<kOwn, size> own[2];
    SwizzledRows<kOthers, size> others[kStages][2];
    float known[kStages][2][kOthers];  // for others that are queries: log_sums and sums
  };
};

struct GradientInputs {
  Bf16Inputs in;
  HeadMatrices<const Bf16> g;
  const float *log_sums, *sums;
  HeadMatrices<Bf16> dq, dk, dv;
};

// A thread's share of a warpgroup's 64 rows, which are queries or keys.
template <class S, bool of_keys, bool masked>
struct Gradients {
  static constexpr int size = S::size, others = S::kOthers, tiles = others / 8;
  using Tile = MatrixC[tiles];
  using Known = const float (&)[2][others];
  using Matrix = const SwizzledRows<others, size>&;

  const HeadScores<masked> score;
  const int at, row;  // the warpgroup's first row; the first of this thread's two
  float shift[2] = {0, 0}, sum[2] = {0, 0};
  MatrixC da[size / 8], db[size / 8];  // db: for values
  MatrixA factor_a[others / 16], factor_b[others / 16];

  __device__ __forceinline__ Gradients(const GradientInputs& d, int64_t head, int first)
      : score(d.in, head), at(first), row(first + warp_of_group() * 16 + row_of_lane()) {
    clear(da), clear(db);
    const int64_t of_head = head * d.in.q.rows;
    GG_UNROLL for (int half = 0; half < 2; ++half) {
      if (const int r = row + half * 8; !of_keys && r < int(d.in.q.rows))
        shift[half] = -kLog2E * d.log_sums[of_head + r], sum[half] = d.sums[of_head + r];
    }
  }
  static __device__ __forceinline__ float2 of_column(Known known, int which, int n) {
    return of_keys ? *reinterpret_cast<const float2*>(&known[which][n * 8 + column_of_lane()])
                   : make_float2(0, 0);
  }
  // Turns products q·k into weights.
  __device__ __forceinline__ void weigh(Tile& p, int other, Known known) {
    const float unit = score.template finish<of_keys>(p, at, row, other);
    GG_UNROLL for (int n = 0; n < tiles; ++n) {
      const float2 logs = of_column(known, 0, n), by = make_float2(-kLog2E * logs.x, -kLog2E * logs.y);
      GG_UNROLL for (int e = 0; e < 4; ++e) {
        const float minus = of_keys ? (e % 2 ? by.y : by.x) : shift[e / 2];
        p[n][e] = quick_exp2(GG_ISA::fma(p[n][e], unit, minus));
      }
    }
    pin(p);  // keeps this code before the wait for products
  }
  // Turns products g·v into the gradients of the scores: p ⊙ (g·v − Σ p⊙g·v).
  __device__ __forceinline__ void slope(Tile& slopes, const Tile& p, Known known) {
    GG_UNROLL for (int n = 0; n < tiles; ++n) {
      const float2 by = of_column(known, 1, n);
      GG_UNROLL for (int e = 0; e < 4; ++e) {
        slopes[n][e] = p[n][e] * (slopes[n][e] - (of_keys ? (e % 2 ? by.y : by.x) : sum[e / 2]));
      }
    }
    pin(slopes);
  }
  __device__ __forceinline__ void round_values(const Tile& p) {
    if constexpr (of_keys) pin(factor_b), pin(db), round_to(factor_b, p);
  }
  __device__ __forceinline__ void round(const Tile& slopes) {
    pin(factor_a), pin(da), round_to(factor_a, slopes);
  }
  __device__ __forceinline__ void add_values(Matrix other_1) {
    if constexpr (of_keys) add_product(db, factor_b, other_1);
  }
  __device__ __forceinline__ void add(Matrix other_0) { add_product(da, factor_a, other_0); }
};

template <class S, bool of_keys, bool masked>
__device__ __forceinline__ void find_gradients(const GradientInputs& d, int64_t head, int first,
                                               typename S::Memory& m) {
  constexpr int size = S::size, others = S::kOthers;
  const Bf16Loader<S::kThreads, others, size> other_0(of_keys ? d.in.q : d.in.k, head),
      other_1(of_keys ? d.g : d.in.v, head);
  const float *const log_sums = d.log_sums + head * d.in.q.rows, *const sums = d.sums + head * d.in.q.rows;
  const int queries = int(d.in.q.rows), own = group_of_block() * kGroupRows, at = first + own;
  // The tiles of others that these rows see, and those that the block's rows see.
  const auto begin_of = [&](int row) { return of_keys && d.in.causal ? row / others : 0; };
  const auto end_of = [&](int last) {
    return (int(!of_keys && d.in.causal ? least(d.in.k.rows, last) : other_0.rows) + others - 1) / others;
  };
  const int begin = begin_of(first), end = end_of(first + S::kOwn), own_end = end_of(at + kGroupRows),
            own_begin = int(least(begin_of(at), own_end));
  const auto ask = [&](int tile) {
    if (tile < end) {
      const int stage = tile % S::kStages, other = tile * others;
      other_0.ask(m.others[stage][0], other), other_1.ask(m.others[stage][1], other);
      if (const int n = int(threadIdx.x); of_keys && n < others * 2)
        cp_async_4(&m.known[stage][n / others][n % others],
                   (n < others ? log_sums : sums) + other + n % others, other + n % others < queries);
    }
    cp_async_commit();
  };
  // Waits for all requested tiles but the last `kAhead - 1`. After that no thread reads the buffer that the
  // next tile overwrites.
  const auto next = [&](int tile) {
    cp_async_wait<S::kAhead - 1>();
    show_to_tensor_cores();
    __syncthreads();
    ask(tile);
  };
  const auto other = [&](int tile, int which) -> const SwizzledRows<others, size>& {
    return m.others[tile % S::kStages][which];
  };
  Bf16Loader<S::kThreads, S::kOwn, size>(of_keys ? d.in.k : d.in.q, head).ask(m.own[0], first);
  Bf16Loader<S::kThreads, S::kOwn, size>(of_keys ? d.in.v : d.g, head).ask(m.own[1], first);
  GG_UNROLL for (int n = 0; n < S::kAhead; ++n) ask(begin + n);

  Gradients<S, of_keys, masked> x(d, head, at);
  FirstFactor<S::kHeld, S::kOwn, size> own_0(m.own[0], own);
  FirstFactor<S::kHeld, S::kOwn, size> own_1(m.own[1], own);
  const auto known = [&](int tile) -> const float(&)[2][others] { return m.known[tile % S::kStages]; };
  // True if the products of weights and result gradients start at once, because no registers are left to keep
  // the weights.
  constexpr bool at_once = of_keys && (!S::kOverlaps || size > 64);
  const auto add = [&](int tile) {
    begin_products();
    if (!at_once) x.add_values(other(tile, 1));
    x.add(other(tile, 0));
    end_products();
  };
  // No step of a loop leaves products in flight (attention_bf16.cu).
  constexpr std::true_type at_first;
  constexpr std::false_type then;
  MatrixC p[others / 8], slopes[others / 8];
  const auto step = [&](auto which, int tile) {
    constexpr bool follows = S::kOverlaps && !decltype(which)::value;
    next(tile + S::kAhead);
    if (decltype(which)::value) own_0.hold(), own_1.hold();
    begin_products();
    set_product(p, own_0, other(tile, 0));
    end_products();
    set_product(slopes, own_1, other(tile, 1));
    end_products();
    if (follows) add(tile - 1);
    wait_for_products<1 + follows>();
    pin(p);
    x.weigh(p, tile * others, known(tile));
    if (at_once) {
      x.round_values(p);
      begin_products(), x.add_values(other(tile, 1)), end_products();
    }
    wait_for_products<follows + at_once>();
    pin(slopes);
    x.slope(slopes, p, known(tile));
    wait_for_products<0>();
    if (!at_once) x.round_values(p);
    x.round(slopes);
    if (!S::kOverlaps) {
      begin_products(), x.add(other(tile, 0)), end_products();
      wait_for_products<0>();
    }
  };
  for (int tile = begin; tile < own_begin; ++tile) next(tile + S::kAhead);  // loads for other warpgroups
  if (own_begin < own_end) {
    step(at_first, own_begin);
    for (int tile = own_begin + 1; tile < own_end; ++tile) step(then, tile);
    if (S::kOverlaps) add(own_end - 1);
    wait_for_products<0>();
  }
  for (int tile = own_end; tile < end; ++tile) next(tile + S::kAhead);
  pin(x.factor_a), pin(x.da);
  if constexpr (of_keys) pin(x.factor_b), pin(x.db);
  cp_async_wait<0>();
  if (begin >= end) __syncthreads();  // the copied rows are about to be overwritten
  const int of_warp = warp_of_group() * 16;
  const float by_scale[2] = {d.in.scale, d.in.scale}, by_one[2] = {1, 1};
  write_rows(x.da, by_scale, m.own[0], own + of_warp, HeadMatrix<Bf16>(of_keys ? d.dk : d.dq, head),
             at + of_warp);
  if (of_keys) write_rows(x.db, by_one, m.own[1], own + of_warp, HeadMatrix<Bf16>(d.dv, head), at + of_warp);
}

template <class S, bool of_keys, bool masked>
__global__ void __launch_bounds__(S::kThreads, masked ? 1 : S::kBlocks)
    gradient_kernel(GradientInputs d, BlockSchedule order) {
  GG_DYNAMIC_SHARED(char, memory);
  const auto [head, tile] = order[int(blockIdx.x)];
  find_gradients<S, of_keys, masked>(d, head, (of_keys ? tile : order.tiles - 1 - tile) * S::kOwn,
                                     aligned<typename S::Memory>(memory));
}

template <class S, bool of_keys>
void run(const GradientInputs& d, int64_t heads, bool masked) {
  const int64_t rows = of_keys ? d.in.k.rows : d.in.q.rows, others = of_keys ? d.in.q.rows : d.in.k.rows;
  if (heads * rows == 0) return;
  const BlockSchedule order = block_schedule(heads, rows, S::kOwn, others, S::size, S::kBlocks);
  launch("attention_grad_bf16",
         masked ? gradient_kernel<S, of_keys, true> : gradient_kernel<S, of_keys, false>,
         {dim3(unsigned(heads * order.tiles)), S::kThreads, shared_for<typename S::Memory>()}, d, order);
}
template <bool of_keys, class Large, class Small>
void run_either(const GradientInputs& d, int64_t heads, bool masked) {
  const int64_t rows = of_keys ? d.in.k.rows : d.in.q.rows;
  up(rows, Large::kOwn) * heads >= multiprocessors() && has_room<typename Large::Memory>()
      ? run<Large, of_keys>(d, heads, masked)
      : run<Small, of_keys>(d, heads, masked);
}

}  // namespace

void attention_grad_bf16(const AttentionInputs& in, const View& g, const View& log_sums, const View& sums,
                         const View& dq, const View& dk, const View& dv) {
  const GradientInputs d{Bf16Inputs(in),         HeadMatrices<const Bf16>(g), log_sums.as<const float>(),
                         sums.as<const float>(), HeadMatrices<Bf16>(dq),      HeadMatrices<Bf16>(dk),
                         HeadMatrices<Bf16>(dv)};
  const int64_t heads = heads_of(g);
  const bool masked = in.mask.data;
  if (d.g.columns == 64) {
    // Small blocks that wait for their products are faster here than large blocks that start products ahead.
    using Few = BackwardShape<64, 1, 1, 3, 2, true>;
    using Many = BackwardShape<64, 1, 1, 3, 3, false>;
    has_few_blocks(heads, d.in.q.rows) ? run<Few, false>(d, heads, masked)
                                       : run<Many, false>(d, heads, masked);
    run<Few, true>(d, heads, masked);
  } else {
    using Large = BackwardShape<128, 2, 2, 4, 1, false>;
    using Small = BackwardShape<128, 1, 1, 2, 1, false>;
    run_either<false, Large, Small>(d, heads, masked);
    run_either<true, Large, Small>(d, heads, masked);
  }
}

}  // namespace glassgrad::cuda
