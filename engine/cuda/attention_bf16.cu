// Attention in bf16 on tensor cores. Each warpgroup of a block has 64 queries of a head and loops over the
// head's keys while the next keys are copied. Scores and weights stay in registers; all sums are float32. A
// tile's weights are multiplied by its values while the next tile's scores are computed. Dao 2023,
// https://arxiv.org/abs/2307.08691; Shah et al. 2024, https://arxiv.org/abs/2407.08608
#include "attention_bf16.h"

namespace glassgrad::cuda {
namespace {

// A block's configuration: warpgroups, keys per tile, tiles of keys copied ahead, tiles that shared memory
// holds, blocks per multiprocessor, and whether queries are held in registers.
template <int size_, int groups, int keys, int ahead, int stages_, int blocks, bool held>
struct ForwardShape {
  static constexpr int size = size_, kKeys = keys, kAhead = ahead, kStages = stages_, kBlocks = blocks;
  static constexpr int kThreads = groups * kGroupThreads, kQueries = groups * kGroupRows;
  static constexpr bool kHeld = held && kProductsGoOn;
  // The previous tile's values are still read while the last requested tile arrives.
  static constexpr bool kOverlaps = kStages >= ahead + 2;
  struct Tile {
    SwizzledRows<keys, size> k, v;
  };
  struct Memory {
    SwizzledRows<kQueries, size> q;
    Tile tile[kStages];
  };
};

// f(f(a, b), …) over the four threads that share rows; all of them get the result.
template <class F>
__device__ __forceinline__ float over_row(float v, F f) {
  v = f(v, __shfl_xor_sync(0xffffffffu, v, 1));
  return f(v, __shfl_xor_sync(0xffffffffu, v, 2));
}

// For one of a thread's rows: the largest score so far, times log2 e, and the sum of the thread's own
// weights.
struct SoftmaxState {
  float top = kUnseen, sum = 0;
};

// Turns scores into weights that are not yet divided by their sum. Returns the factor that rescales earlier
// results. Scores times `unit`, which is positive, are the arguments of exp2.
template <int tiles>
__device__ __forceinline__ float online_softmax(MatrixC (&c)[tiles], int half, float unit,
                                                SoftmaxState& so_far) {
  const auto larger = [](float a, float b) { return fmaxf(a, b); };
  float top[2] = {kUnseen, kUnseen}, sum[2] = {0, 0};
  GG_UNROLL for (int n = 0; n < tiles * 2; ++n) top[n % 2] = larger(top[n % 2], c[n / 2][half * 2 + n % 2]);
  const float now = larger(so_far.top, over_row(larger(top[0], top[1]), larger) * unit);
  const float shift = now == kUnseen ? 0.0f : now;  // no key has been seen: all weights are 0
  const float fade = quick_exp2(so_far.top - shift);
  GG_UNROLL for (int n = 0; n < tiles * 2; ++n) {
    float& s = c[n / 2][half * 2 + n % 2];
    s = quick_exp2(GG_ISA::fma(s, unit, -shift));
    sum[n % 2] += s;
  }
  so_far.top = now;
  so_far.sum = GG_ISA::fma(so_far.sum, fade, sum[0] + sum[1]);
  return fade;
}

// A thread's share of its warpgroup's 64 queries.
template <class S, bool masked>
struct Attention {
  static constexpr int size = S::size, keys = S::kKeys;
  using Scores = MatrixC[keys / 8];

  const HeadScores<masked> score;
  const int query, row;  // the warpgroup's first query; the first of this thread's two rows
  MatrixC sums[size / 8];
  MatrixA weights[keys / 16];
  SoftmaxState so_far[2];
  float fade[2];  // factors for the sums so far

  __device__ __forceinline__ Attention(const Bf16Inputs& in, int64_t head, int first_query)
      : score(in, head), query(first_query), row(first_query + warp_of_group() * 16 + row_of_lane()) {
    clear(sums);
  }
  // Turns products with keys from `first` on into weights.
  __device__ __forceinline__ void weigh(Scores& c, int first) {
    const float unit = score.template finish<false>(c, query, row, first);
    GG_UNROLL for (int half = 0; half < 2; ++half) fade[half] = online_softmax(c, half, unit, so_far[half]);
    pin(c);  // keeps this code before the wait for products
  }
  // Rounds the weights for their product, once the previous products are done.
  __device__ __forceinline__ void settle(const Scores& c) {
    wait_for_products<0>();
    pin(sums), pin(weights);
    if (__ballot_sync(0xffffffffu, fade[0] != 1 || fade[1] != 1)) {  // rare after the first tiles
      GG_UNROLL for (int n = 0; n < size / 2; ++n) sums[n / 4][n % 4] *= fade[n % 4 / 2];
    }
    round_to(weights, c);
  }
  __device__ __forceinline__ void add(const SwizzledRows<keys, size>& values) {
    begin_products();
    add_product(sums, weights, values);
    end_products();
  }
};

template <class S, bool masked>
__device__ __forceinline__ void attend(const Bf16Inputs& in, const HeadMatrices<Bf16>& y, float* log_sums,
                                       int64_t head, int first, typename S::Memory& m) {
  constexpr int keys = S::kKeys;
  const Bf16Loader<S::kThreads, keys, S::size> k(in.k, head), v(in.v, head);
  const int own = group_of_block() * kGroupRows;
  const auto tiles_to = [&](int queries) {
    return (int(in.causal ? least(in.k.rows, queries) : in.k.rows) + keys - 1) / keys;
  };
  const int tiles = tiles_to(first + S::kQueries), own_tiles = tiles_to(first + own + kGroupRows);
  const auto ask = [&](int tile) {
    if (tile < tiles) {
      typename S::Tile& to = m.tile[tile % S::kStages];
      k.ask(to.k, tile * keys), v.ask(to.v, tile * keys);
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
  const auto keys_of = [&](int tile) -> const SwizzledRows<keys, S::size>& {
    return m.tile[tile % S::kStages].k;
  };
  const auto values_of = [&](int tile) -> const SwizzledRows<keys, S::size>& {
    return m.tile[tile % S::kStages].v;
  };

  Bf16Loader<S::kThreads, S::kQueries, S::size>(in.q, head).ask(m.q, first);
  for (int tile = 0; tile < S::kAhead; ++tile) ask(tile);
  Attention<S, masked> a(in, head, first + own);
  FirstFactor<S::kHeld, S::kQueries, S::size> q(m.q, own);
  MatrixC c[keys / 8];
  // The first tile's step is compiled separately and no step of the loop is skipped, so that the compiler
  // knows which products are in flight.
  constexpr std::true_type at_first;
  constexpr std::false_type then;
  const auto step = [&](auto which, int tile) {
    constexpr bool follows = S::kOverlaps && !decltype(which)::value;
    next(tile + S::kAhead);
    if (decltype(which)::value) q.hold();
    begin_products();
    set_product(c, q, keys_of(tile));
    end_products();
    if (follows) a.add(values_of(tile - 1));
    wait_for_products<follows>();
    pin(c);
    a.weigh(c, tile * keys);
    a.settle(c);
    if (!S::kOverlaps) a.add(values_of(tile)), wait_for_products<0>();
  };
  if (own_tiles > 0) {
    step(at_first, 0);
    for (int tile = 1; tile < own_tiles; ++tile) step(then, tile);
    if (S::kOverlaps) a.add(values_of(own_tiles - 1));
    wait_for_products<0>();
  }
  for (int tile = own_tiles; tile < tiles; ++tile) next(tile + S::kAhead);  // loads for other warpgroups
  pin(a.sums), pin(a.weights);
  cp_async_wait<0>();
  if (tiles == 0) __syncthreads();  // the copied rows are about to be overwritten
  float factor[2];
  GG_UNROLL for (int half = 0; half < 2; ++half) {
    const SoftmaxState& so_far = a.so_far[half];
    const float sum = over_row(so_far.sum, Sum());
    factor[half] = sum == 0 ? 0.0f : 1 / sum;
    if (const int r = a.row + half * 8; lane() % 4 == 0 && r < int(in.q.rows))
      log_sums[head * in.q.rows + r] = sum == 0 ? 0.0f : so_far.top / kLog2E + GG_ISA::log(sum);
  }
  const int of_warp = warp_of_group() * 16;
  write_rows(a.sums, factor, m.q, own + of_warp, HeadMatrix<Bf16>(y, head), a.query + of_warp);
}

template <class S, bool masked>
__global__ void __launch_bounds__(S::kThreads, masked ? 1 : S::kBlocks)
    attention_kernel(Bf16Inputs in, HeadMatrices<Bf16> y, float* log_sums, BlockSchedule order) {
  GG_DYNAMIC_SHARED(char, memory);
  const auto [head, tile] = order[int(blockIdx.x)];
  attend<S, masked>(in, y, log_sums, head, (order.tiles - 1 - tile) * S::kQueries,
                    aligned<typename S::Memory>(memory));
}

template <class S>
void run(const AttentionInputs& in, const View& y, const View& log_sums) {
  const int64_t heads = heads_of(y), rows = size_of(y, 2);
  const BlockSchedule order = block_schedule(heads, rows, S::kQueries, size_of(in.k, 2), S::size, S::kBlocks);
  launch("attention_bf16", in.mask.data ? attention_kernel<S, true> : attention_kernel<S, false>,
         {dim3(unsigned(heads * order.tiles)), S::kThreads, shared_for<typename S::Memory>()}, Bf16Inputs(in),
         HeadMatrices<Bf16>(y), log_sums.as<float>(), order);
}

}  // namespace

bool has_packed_rows(const View& x) {
  const int last = x.shape.n - 1;
  bool packed = x.strides.v[last] == 1 && reinterpret_cast<uintptr_t>(x.data) % 16 == 0;
  for (int d = 0; d < last; ++d) packed = packed && (x.shape.v[d] == 1 || x.strides.v[d] % 8 == 0);
  return packed;
}
bool fits_tensor_cores(const AttentionInputs& in) {
  const int64_t width = size_of(in.q, 1), most = int64_t(1) << 30;  // row numbers fit into int
  const bool narrow = in.q.dtype == bfloat16 && in.k.dtype == bfloat16 && in.v.dtype == bfloat16;
  return narrow && size_of(in.q, 2) < most && size_of(in.k, 2) < most && (width == 64 || width == 128) &&
         size_of(in.v, 1) == width && has_packed_rows(in.q) && has_packed_rows(in.k) && has_packed_rows(in.v);
}

void attention_bf16(const AttentionInputs& in, const View& y, const View& log_sums) {
  if (size_of(y, 1) == 64) {
    using Few = ForwardShape<64, 1, 128, 1, 3, 2, true>;
    using Many = ForwardShape<64, 2, 64, 2, 4, 2, false>;
    has_few_blocks(heads_of(y), size_of(y, 2)) && has_room<Few::Memory>() ? run<Few>(in, y, log_sums)
                                                                          : run<Many>(in, y, log_sums);
  } else {
    using Ahead = ForwardShape<128, 1, 64, 1, 3, 2, false>;
    using Plain = ForwardShape<128, 1, 64, 1, 2, 1, false>;
    has_room<Ahead::Memory>() ? run<Ahead>(in, y, log_sums) : run<Plain>(in, y, log_sums);
  }
}

}  // namespace glassgrad::cuda
