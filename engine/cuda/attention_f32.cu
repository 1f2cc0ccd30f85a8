// Attention in float32, exact or in tf32, for packed rows: a block has some queries of a head and loops over
// the head's keys; each of its warps has 32 queries and takes 64 keys at a time. The next keys are copied
// while weights are multiplied by values, the next values while scores are computed.
// Dao 2023, https://arxiv.org/abs/2307.08691
#include "attention_f32.h"

namespace glassgrad::cuda {
namespace {

// A block's own rows are queries.
template <class M, int rows, int teams, int blocks>
struct ForwardShape : BlockShape<M, rows, teams, blocks> {
  struct Memory {
    PaddedRows<ForwardShape::kOwn> q;
    PaddedRows<ForwardShape::kAtOnce> k, v;
    PaddedRows<kWarpRows> room[rows * teams];
    float tops[rows * teams][kWarpRows], sums[rows * teams][kWarpRows];  // of each warp
  };
};

// The state of a thread's queries: the largest score so far, times log2 e, and the sum of the thread's own
// weights.
template <class M>
struct SoftmaxState {
  float top[M::kRows], sum[M::kRows];
};

// Turns scores into weights that are not yet divided by their sum, and scales earlier results down.
template <class M>
__device__ __forceinline__ void online_softmax(typename M::Part& part, SoftmaxState<M>& so_far,
                                               typename M::Part& sums) {
  const auto larger = [](float a, float b) { return fmaxf(a, b); };
  float fade[M::kRows];
  bool fades = false;
  GG_UNROLL for (int i = 0; i < M::kRows; ++i) {
    float top = part[i][0];
    GG_UNROLL for (int j = 1; j < M::kColumns; ++j) top = larger(top, part[i][j]);
    top = larger(so_far.top[i], M::over_row(top, larger));
    const float shift = top == kUnseen ? 0.0f : top;  // no key has been seen: all weights are 0
    fade[i] = quick_exp2(so_far.top[i] - shift);
    fades = fades || fade[i] != 1;
    so_far.top[i] = top;
    float sum = 0;
    GG_UNROLL for (int j = 0; j < M::kColumns; ++j) {
      part[i][j] = quick_exp2(part[i][j] - shift);
      sum += part[i][j];
    }
    so_far.sum[i] = GG_ISA::fma(so_far.sum[i], fade[i], sum);
  }
  if (__ballot_sync(0xffffffffu, fades)) {  // rare after the first tiles
    GG_UNROLL for (int i = 0; i < M::kRows; ++i) {
      GG_UNROLL for (int j = 0; j < M::kColumns; ++j) sums[i][j] *= fade[i];
    }
  }
}

// Adds the other teams' results for the same queries to the first team's, each scaled by its own largest
// score.
template <class S>
__device__ __forceinline__ void join(typename S::M::Part& sums, SoftmaxState<typename S::M>& so_far,
                                     typename S::Memory& m, int warp, int team) {
  using M = typename S::M;
  if (team > 0) {
    M::store_part(m.room[warp].at, sums);
    GG_UNROLL for (int i = 0; i < M::kRows; ++i) m.tops[warp][M::row(i)] = so_far.top[i];
    GG_UNROLL for (int i = 0; i < M::kRows; ++i) m.sums[warp][M::row(i)] = so_far.sum[i];
  }
  __syncthreads();
  for (int other = warp + S::kRows; team == 0 && other < S::kRows * S::kTeams; other += S::kRows) {
    float fade[M::kRows], other_fade[M::kRows];
    GG_UNROLL for (int i = 0; i < M::kRows; ++i) {
      const float other_top = m.tops[other][M::row(i)], top = fmaxf(so_far.top[i], other_top),
                  shift = top == kUnseen ? 0.0f : top;
      fade[i] = quick_exp2(so_far.top[i] - shift), other_fade[i] = quick_exp2(other_top - shift);
      so_far.top[i] = top;
      so_far.sum[i] = so_far.sum[i] * fade[i] + m.sums[other][M::row(i)] * other_fade[i];
    }
    GG_UNROLL for (int n = 0; n < 16; ++n) {
      const Quad of_other = M::load_quad(m.room[other].at, n);
      GG_UNROLL for (int e = 0; e < 4; ++e) {
        const int row = n * M::kRows / 16;
        float& s = number<M>(sums, n, e);
        s = s * fade[row] + of_other.v[e] * other_fade[row];
      }
    }
  }
}

template <class S, bool masked>
__device__ __forceinline__ void attend(const Inputs<float>& in, const HeadMatrices<float>& y, float* log_sums,
                                       int64_t head, int first, typename S::Memory& m) {
  using M = typename S::M;
  const int warp = int(threadIdx.x) / 32, rows = warp % S::kRows * kWarpRows, team = warp / S::kRows,
            query = first + rows, others = team * kOthers, width = int(in.q.columns);
  const int64_t end = in.causal ? least(in.k.rows, first + S::kOwn) : in.k.rows;
  const Loader<M, S::kThreads, S::kAtOnce, true> k(in.k, head), v(in.v, head);
  const Loader<M, S::kThreads, S::kOwn, false> q(in.q, head);
  q.ask(m.q.at, first);
  k.ask(m.k.at, 0);
  cp_async_commit();
  v.ask(m.v.at, 0);
  cp_async_commit();
  cp_async_wait<1>();
  q.round(m.q.at);
  k.round(m.k.at);
  __syncthreads();

  float(*const room)[kRowPitch] = m.room[warp].at;
  typename M::Part sums, part;
  SoftmaxState<M> so_far;
  clear(sums);
  GG_UNROLL for (int i = 0; i < M::kRows; ++i) so_far.top[i] = kUnseen, so_far.sum[i] = 0;
  for (int tile = 0; tile < end; tile += S::kAtOnce) {
    const int key = tile + others;
    const bool sees = key < end && !(in.causal && key >= query + kWarpRows);
    if (sees) {
      clear(part);
      M::add_products_of_rows(part, m.q.at + rows, m.k.at + others, width);
    }
    cp_async_wait<0>();
    v.round(m.v.at);
    __syncthreads();  // the values have arrived, and nobody reads the keys
    if (tile + S::kAtOnce < end) k.ask(m.k.at, tile + S::kAtOnce);
    cp_async_commit();
    if (sees) {
      scale<M, false, masked>(part, Scores<float>(in, head, query, key));
      online_softmax<M>(part, so_far, sums);
      M::publish_part(room, part);
      M::add_weighted(sums, part, room, m.v.at + others);
    }
    cp_async_wait<0>();
    if (tile + S::kAtOnce < end) k.round(m.k.at);
    __syncthreads();  // the next keys have arrived, and nobody reads the values
    if (tile + S::kAtOnce < end) v.ask(m.v.at, tile + S::kAtOnce);
    cp_async_commit();
  }
  cp_async_wait<0>();
  GG_UNROLL for (int i = 0; i < M::kRows; ++i) so_far.sum[i] = M::over_row(so_far.sum[i], Sum());
  if (S::kTeams > 1) join<S>(sums, so_far, m, warp, team);
  if (team > 0) return;
  float factor[M::kRows];
  GG_UNROLL for (int i = 0; i < M::kRows; ++i) {
    const int row = query + M::row(i);
    const float sum = so_far.sum[i];
    factor[i] = sum == 0 ? 0.0f : 1 / sum;
    if (M::column(0) == 0 && row < int(y.rows))
      log_sums[head * in.q.rows + row] = sum == 0 ? 0.0f : GG_ISA::fma(so_far.top[i], kLn2, GG_ISA::log(sum));
  }
  write_part<M, false>(HeadMatrix<float>(y, head), query, sums, factor);
}

template <class S, bool masked>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    attention_f32_kernel(Inputs<float> in, HeadMatrices<float> y, float* log_sums, BlockSchedule order) {
  GG_DYNAMIC_SHARED(typename S::Memory, m);
  const auto [head, tile] = order[int(blockIdx.x)];
  attend<S, masked>(in, y, log_sums, head, (order.tiles - 1 - tile) * S::kOwn, *m);
}

template <class S>
bool run(const AttentionInputs& in, const View& y, const View& log_sums) {
  if (sizeof(typename S::Memory) > most_shared()) return false;
  const BlockSchedule order =
      block_schedule(heads_of(y), size_of(y, 2), S::kOwn, size_of(in.k, 2), kWidth * 2, 1);
  launch("attention_f32", in.mask.data ? attention_f32_kernel<S, true> : attention_f32_kernel<S, false>,
         {dim3(unsigned(heads_of(y) * order.tiles)), S::kThreads, sizeof(typename S::Memory)},
         Inputs<float>(in), HeadMatrices<float>(y), log_sums.as<float>(), order);
  return true;
}

template <class M>
bool run_either(const AttentionInputs& in, const View& y, const View& log_sums) {
  using Large = ForwardShape<M, 4, 1, 2>;
  using Small = ForwardShape<M, 1, 4, 1>;
  const bool large = heads_of(y) * up(size_of(y, 2), Large::kOwn) >= multiprocessors();
  return large || sizeof(typename Small::Memory) > most_shared() ? run<Large>(in, y, log_sums)
                                                                 : run<Small>(in, y, log_sums);
}

}  // namespace

bool attention_f32(const AttentionInputs& in, const View& y, const View& log_sums) {
  if (!has_wide_rows(in.q) || !has_wide_rows(in.k) || !has_wide_rows(in.v) || !has_wide_rows(y) ||
      heads_of(y) * size_of(y, 2) > kMostBlocks)
    return false;
  return in.tf32 ? run_either<Tf32>(in, y, log_sums) : run_either<Exact>(in, y, log_sums);
}

}  // namespace glassgrad::cuda
