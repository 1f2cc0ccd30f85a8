// The gradients of attention in float32, exact or in tf32, for packed rows. A block has some queries and
// loops over all keys, for the gradient of the queries, or has keys and loops over all queries, for the
// gradients of keys and values: so no two blocks add to the same sum, and every sum has a fixed order.
#include "attention_f32.h"

namespace glassgrad::cuda {
namespace {

struct GradientInputs {
  Inputs<float> in;
  HeadMatrices<const float> g;   // the gradient of the result
  const float *log_sums, *dots;  // per query: attention's log_sums, and Σ g⊙y
  HeadMatrices<float> dq, dk, dv;
};

struct QueryBlock {};
struct KeyBlock {};
template <class M, int rows, int teams, int blocks>
struct QueryShape : BlockShape<M, rows, teams, blocks> {
  using Block = QueryBlock;
  static constexpr bool kOfKeys = false;
  struct Memory {
    PaddedRows<QueryShape::kOwn> q, g;
    PaddedRows<QueryShape::kAtOnce> k, v;
    PaddedRows<kWarpRows> part[rows * teams];
  };
};
// Half of the warps compute weights and the gradient of values, the others the gradients of scores and of
// keys.
template <class M, int rows, int teams, int blocks>
struct KeyShape : BlockShape<M, rows, teams, blocks, 2> {
  using Block = KeyBlock;
  static constexpr bool kOfKeys = true;
  struct Memory {
    PaddedRows<KeyShape::kOwn> own[2];                 // keys and values
    PaddedRows<KeyShape::kAtOnce> others[2][2];        // queries and g, double-buffered
    alignas(16) float known[2][2][KeyShape::kAtOnce];  // for queries: log_sums and dots
    PaddedRows<kWarpRows> part[2][rows * teams];       // weights, gradients of scores
  };
};

// The first team adds up all teams' results, and adds the total to y.
template <class S>
__device__ __forceinline__ void add_to(const HeadMatrix<float>& y, int first, typename S::M::Part& sums,
                                       int team, int warp, PaddedRows<kWarpRows>* room) {
  using M = typename S::M;
  if (S::kTeams > 1) {
    if (team > 0) M::store_part(room[warp].at, sums);
    __syncthreads();
    if (team > 0) return;
    for (int t = 1; t < S::kTeams; ++t) {
      GG_UNROLL for (int n = 0; n < 16; ++n) {
        const Quad other = M::load_quad(room[warp + t * S::kRows].at, n);
        GG_UNROLL for (int e = 0; e < 4; ++e) number<M>(sums, n, e) += other.v[e];
      }
    }
  }
  float one[M::kRows];
  for (float& x : one) x = 1;
  write_part<M, true>(y, first, sums, one);
}

template <class S, bool masked>
__device__ __forceinline__ void find_gradients(const GradientInputs& d, int64_t head, int first, QueryBlock,
                                               typename S::Memory& m) {
  using M = typename S::M;
  const Inputs<float>& in = d.in;
  const int warp = int(threadIdx.x) / 32, rows = warp % S::kRows * kWarpRows, team = warp / S::kRows,
            query = first + rows, others = team * kOthers, queries = int(in.q.rows);
  const int64_t end = in.causal ? least(in.k.rows, first + S::kOwn) : in.k.rows;
  const Loader<M, S::kThreads, S::kAtOnce, true> k(in.k, head), v(in.v, head);
  const Loader<M, S::kThreads, S::kOwn, false> q(in.q, head), g(d.g, head);
  q.ask(m.q.at, first), g.ask(m.g.at, first);
  v.ask(m.v.at, 0);
  cp_async_commit();
  k.ask(m.k.at, 0);
  cp_async_commit();
  float shift[M::kRows], dot[M::kRows];
  GG_UNROLL for (int i = 0; i < M::kRows; ++i) {
    const int row = query + M::row(i);
    shift[i] = row < queries ? d.log_sums[head * queries + row] * kLog2E : 0.0f;
    dot[i] = row < queries ? d.dots[head * queries + row] : 0.0f;
  }
  cp_async_wait<1>();
  q.round(m.q.at), g.round(m.g.at), v.round(m.v.at);
  __syncthreads();

  float(*const slopes)[kRowPitch] = m.part[warp].at;
  typename M::Part sums, part;
  clear(sums);
  for (int tile = 0; tile < end; tile += S::kAtOnce) {
    const int key = tile + others;
    const bool sees = key < end && !(in.causal && key >= query + kWarpRows);
    if (sees) {  // gradients of the weights: registers cannot hold them while scores are computed
      clear(part);
      M::add_products_of_rows(part, m.g.at + rows, m.v.at + others, int(in.v.columns));
      __syncwarp();
      M::store_part(slopes, part);
    }
    cp_async_wait<0>();
    k.round(m.k.at);
    __syncthreads();  // the keys have arrived, and nobody reads the values
    if (tile + S::kAtOnce < end) v.ask(m.v.at, tile + S::kAtOnce);
    cp_async_commit();
    if (sees) {
      clear(part);
      M::add_products_of_rows(part, m.q.at + rows, m.k.at + others, int(in.q.columns));
      scale<M, false, masked>(part, Scores<float>(in, head, query, key));
      GG_UNROLL for (int n = 0; n < 16; ++n) {
        const Quad of_weights = M::load_quad(slopes, n);
        GG_UNROLL for (int e = 0; e < 4; ++e) {
          const int row = n * M::kRows / 16;
          float& s = number<M>(part, n, e);
          s = quick_exp2(s - shift[row]) * (of_weights.v[e] - dot[row]) * in.scale;
        }
      }
      M::publish_part(slopes, part);
      M::add_weighted(sums, part, slopes, m.k.at + others);
    }
    cp_async_wait<0>();
    if (tile + S::kAtOnce < end) v.round(m.v.at);
    __syncthreads();  // the next values have arrived, and nobody reads the keys
    if (tile + S::kAtOnce < end) k.ask(m.k.at, tile + S::kAtOnce);
    cp_async_commit();
  }
  cp_async_wait<0>();
  add_to<S>(HeadMatrix<float>(d.dq, head), query, sums, team, warp, m.part);
}

template <class S, bool masked>
__device__ __forceinline__ void find_gradients(const GradientInputs& d, int64_t head, int first, KeyBlock,
                                               typename S::Memory& m) {
  constexpr int warps = S::kRows * S::kTeams;
  using M = typename S::M;
  const Inputs<float>& in = d.in;
  const int warp = int(threadIdx.x) / 32 % warps, role = int(threadIdx.x) / 32 / warps,
            rows = warp % S::kRows * kWarpRows, team = warp / S::kRows, key = first + rows,
            others = team * kOthers, queries = int(in.q.rows);
  const float* const of_queries = (int(threadIdx.x) < S::kThreads / 2 ? d.log_sums : d.dots) + head * queries;
  const Loader<M, S::kThreads, S::kAtOnce, true> q(in.q, head), g(d.g, head);
  const auto ask = [&](int query, int stage) {
    if (query < queries) {
      q.ask(m.others[stage][0].at, query), g.ask(m.others[stage][1].at, query);
      for (int n = int(threadIdx.x) % (S::kThreads / 2); n < S::kAtOnce; n += S::kThreads / 2)
        cp_async_4(&m.known[stage][role][n], of_queries + query + n, query + n < queries);
    }
    cp_async_commit();
  };
  const Loader<M, S::kThreads, S::kOwn, false> k(in.k, head), v(in.v, head);
  k.ask(m.own[0].at, first), v.ask(m.own[1].at, first);
  const int begin = in.causal ? first / kOthers * kOthers : 0;
  ask(begin, 0);

  float(*const own)[kRowPitch] = m.part[role][warp].at;
  const int depth = int(role == 0 ? in.k.columns : in.v.columns);
  typename M::Part sums, part;
  clear(sums);
  for (int tile = begin, stage = 0; tile < queries; tile += S::kAtOnce, stage ^= 1) {
    const int query = tile + others;
    const bool sees = query < queries && !(in.causal && key >= query + kOthers);
    cp_async_wait<0>();
    if (tile == begin) k.round(m.own[0].at), v.round(m.own[1].at);
    q.round(m.others[stage][0].at), g.round(m.others[stage][1].at);
    __syncthreads();  // the tile has arrived, and nobody reads the previous one
    ask(tile + S::kAtOnce, stage ^ 1);
    const float* const known = m.known[stage][role] + others;
    if (sees) {
      clear(part);
      M::add_products_of_rows(part, m.own[role].at + rows, m.others[stage][role].at + others, depth);
    }
    if (sees && role == 0) {
      scale<M, true, masked>(part, Scores<float>(in, head, query, key));
      GG_UNROLL for (int j = 0; j < M::kColumns; ++j) {
        const float shift = known[M::column(j)] * kLog2E;
        GG_UNROLL for (int i = 0; i < M::kRows; ++i) part[i][j] = quick_exp2(part[i][j] - shift);
      }
      M::store_part(own, part);
    }
    __syncthreads();  // the weights are written
    if (!sees) continue;
    if (role == 1) {
      GG_UNROLL for (int n = 0; n < 16; ++n) {
        const Quad p = M::load_quad(m.part[0][warp].at, n);
        GG_UNROLL for (int e = 0; e < 4; ++e) {
          float& s = number<M>(part, n, e);
          s = p.v[e] * (s - known[M::column(n * 4 % M::kColumns + e)]) * in.scale;
        }
      }
      M::publish_part(own, part);
    }
    M::add_weighted(sums, part, own, m.others[stage][1 - role].at + others);
  }
  cp_async_wait<0>();
  __syncthreads();
  const HeadMatrices<float>& to = role == 0 ? d.dv : d.dk;
  add_to<S>(HeadMatrix<float>(to, head), key, sums, team, warp, m.part[role]);
}

template <class S, bool masked>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    attention_grad_f32_kernel(GradientInputs d, BlockSchedule order) {
  GG_DYNAMIC_SHARED(typename S::Memory, m);
  const auto [head, tile] = order[int(blockIdx.x)];
  find_gradients<S, masked>(d, head, (S::kOfKeys ? tile : order.tiles - 1 - tile) * S::kOwn,
                            typename S::Block(), *m);
}

template <class S>
void run(const GradientInputs& d, int64_t heads) {
  const bool masked = d.in.added.data || d.in.taken.data;
  const int64_t rows = S::kOfKeys ? d.in.k.rows : d.in.q.rows,
                others = S::kOfKeys ? d.in.q.rows : d.in.k.rows;
  if (heads * rows == 0) return;
  const BlockSchedule order = block_schedule(heads, rows, S::kOwn, others, kWidth * 2, 1);
  launch("attention_grad_f32",
         masked ? attention_grad_f32_kernel<S, true> : attention_grad_f32_kernel<S, false>,
         {dim3(unsigned(heads * order.tiles)), S::kThreads, sizeof(typename S::Memory)}, d, order);
}
template <class Large, class Small>
void run_either(const GradientInputs& d, int64_t heads) {
  const int64_t blocks = heads * up(Large::kOfKeys ? d.in.k.rows : d.in.q.rows, Large::kOwn);
  blocks >= multiprocessors() && sizeof(typename Large::Memory) <= most_shared() ? run<Large>(d, heads)
                                                                                 : run<Small>(d, heads);
}

template <class M>
void run_all(const GradientInputs& d, int64_t heads) {
  run_either<QueryShape<M, 4, 2, 1>, QueryShape<M, 1, 2, 1>>(d, heads);
  run_either<KeyShape<M, 4, 1, 1>, KeyShape<M, 2, 1, 1>>(d, heads);
}

}  // namespace

bool attention_grad_f32(const AttentionInputs& in, const View& g, const View& log_sums, const View& dots,
                        const View& dq, const View& dk, const View& dv) {
  for (const View* x : {&in.q, &in.k, &in.v, &g, &dq, &dk, &dv})
    if (!has_wide_rows(*x)) return false;
  const int64_t heads = heads_of(g);
  using SmallQ = QueryShape<Exact, 1, 2, 1>;
  using SmallK = KeyShape<Exact, 2, 1, 1>;
  if (heads * (size_of(in.q, 2) + size_of(in.k, 2)) > kMostBlocks || sizeof(SmallQ::Memory) > most_shared() ||
      sizeof(SmallK::Memory) > most_shared())
    return false;
  const GradientInputs d{Inputs<float>(in),      HeadMatrices<const float>(g), log_sums.as<const float>(),
                         dots.as<const float>(), HeadMatrices<float>(dq),      HeadMatrices<float>(dk),
                         HeadMatrices<float>(dv)};
  in.tf32 ? run_all<Tf32>(d, heads) : run_all<Exact>(d, heads);
  return true;
}

}  // namespace glassgrad::cuda
