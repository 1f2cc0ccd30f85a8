// The gradients of attention in tiles. Weights are recomputed from the logarithms of their sums. A block has
// 64 queries and loops over all keys, for the gradient of the queries, or 64 keys and loops over all queries,
// for the gradients of keys and values: so no two blocks add to the same sum, and every sum has a fixed
// order.
#include "attention_tiles.h"

namespace glassgrad::cuda {
namespace {

using namespace GG_ISA;

template <class T>
struct GradientInputs {
  Inputs<T> in;
  HeadMatrices<const T> g;   // the gradient of the result
  const T *log_sums, *sums;  // per query: attention's log_sums, and Σ g⊙y
  HeadMatrices<T> dq, dk, dv;
};

// Turns products q·k into weights. The rows of a tile are queries, or with of_keys keys.
template <class T, bool of_keys>
__device__ __forceinline__ void weigh(T (&weights)[4][4], const GradientInputs<T>& d, int64_t head,
                                      const Scores<T>& score) {
  const T* const log_sums = d.log_sums + head * d.in.q.rows + score.query;
  const bool plain = score.plain(0, kTile - 1);
  GG_UNROLL for (int n = 0; n < 16; ++n) {
    const int row = row_of_thread(n / 4), column = score_column(n % 4), query = of_keys ? column : row;
    T& p = weights[n / 4][n % 4];
    p = plain ? p * d.in.scale : score.of(p, query, of_keys ? row : column);
    p = exp(p - (query < score.queries ? log_sums[query] : T(0)));
  }
}
// Turns products g·v into the gradients of the products q·k, from the stored weights p:
// p ⊙ (g·v − Σ p⊙g·v)·scale.
template <class T, bool of_keys>
__device__ __forceinline__ void slope(T (&slopes)[4][4], const SharedTiles<T>& w, const GradientInputs<T>& d,
                                      int64_t head, const Scores<T>& score) {
  const T* const sums = d.sums + head * d.in.q.rows + score.query;
  GG_UNROLL for (int n = 0; n < 16; ++n) {
    const int row = row_of_thread(n / 4), column = score_column(n % 4), query = of_keys ? column : row;
    const T sum = query < score.queries ? sums[query] : T(0);
    slopes[n / 4][n % 4] = w.weights[column][row] * (slopes[n / 4][n % 4] - sum) * d.in.scale;
  }
}

template <int chunks, class T>
__device__ __forceinline__ void add_to(const T (&sums)[chunks][4][4], const HeadMatrix<T>& y, int64_t first,
                                       int64_t column) {
  GG_UNROLL for (int n = 0; n < chunks * 16; ++n) {
    const int c = n / 16, i = n / 4 % 4, j = n % 4;
    const int64_t row = first + row_of_thread(i), at = column + c * kTile + column_of_thread(j);
    if (y.has(row, at)) y.at(row, at) += sums[c][i][j];
  }
}

// Adds the gradient of 64 queries, chunks·64 columns of it.
template <class T, int chunks>
__device__ void add_query_gradient(const GradientInputs<T>& d, int64_t head, int64_t first, int64_t column,
                                   SharedTiles<T>& w) {
  const HeadMatrix<const T> q(d.in.q, head), k(d.in.k, head), v(d.in.v, head), g(d.g, head);
  T dq[chunks][4][4] = {};
  const int64_t end = d.in.causal ? least(d.in.k.rows, first + kTile) : d.in.k.rows;
  for (int64_t key = 0; key < end; key += kTile) {
    const Scores<T> score(d.in, head, first, key);
    T tile[4][4];
    multiply_rows(tile, w, q, first, k, key);
    weigh<T, false>(tile, d, head, score);
    store_weights(w, tile);
    multiply_rows(tile, w, g, first, v, key);
    slope<T, false>(tile, w, d, head, score);
    store_weights(w, tile);
    add_weighted<chunks>(dq, w, k, key, int(least(kTile, end - key)), column);
  }
  add_to<chunks>(dq, HeadMatrix<T>(d.dq, head), first, column);
}

// Adds the gradients of 64 keys and of their values.
template <class T, int chunks>
__device__ void add_key_gradients(const GradientInputs<T>& d, int64_t head, int64_t first, int64_t column,
                                  SharedTiles<T>& w) {
  const HeadMatrix<const T> q(d.in.q, head), k(d.in.k, head), v(d.in.v, head), g(d.g, head);
  T dk[chunks][4][4] = {}, dv[chunks][4][4] = {};
  for (int64_t query = d.in.causal ? first : 0; query < d.in.q.rows; query += kTile) {
    const int count = int(least(kTile, d.in.q.rows - query));
    const Scores<T> score(d.in, head, query, first);
    T tile[4][4];
    multiply_rows(tile, w, k, first, q, query);
    weigh<T, true>(tile, d, head, score);
    store_weights(w, tile);
    add_weighted<chunks>(dv, w, g, query, count, column);
    multiply_rows(tile, w, v, first, g, query);
    slope<T, true>(tile, w, d, head, score);
    store_weights(w, tile);
    add_weighted<chunks>(dk, w, q, query, count, column);
  }
  add_to<chunks>(dk, HeadMatrix<T>(d.dk, head), first, column);
  add_to<chunks>(dv, HeadMatrix<T>(d.dv, head), first, column);
}

template <class T, int chunks, bool of_keys>
constexpr unsigned blocks_at_once() {
  return chunks > 1 && of_keys ? 1 : kBlocksAtOnce<T>;
}

template <class T, int chunks, bool of_keys>
__global__ void __launch_bounds__(kTileThreads, blocks_at_once<T, chunks, of_keys>())
    gradient_kernel(GradientInputs<T> d, int64_t tiles, int64_t groups, int64_t items) {
  GG_DYNAMIC_SHARED(SharedTiles<T>, w);
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const int64_t tile = item / groups % tiles, head = item / groups / tiles,
                  column = item % groups * chunks * kTile;
    if (of_keys)
      add_key_gradients<T, chunks>(d, head, tile * kTile, column, *w);
    else
      add_query_gradient<T, chunks>(d, head, (tiles - 1 - tile) * kTile, column, *w);
  }
}

template <class T, int chunks, bool of_keys>
void run(const GradientInputs<T>& d, int64_t heads, int64_t columns) {
  const int64_t tiles = up(of_keys ? d.in.k.rows : d.in.q.rows, kTile), groups = up(columns, chunks * kTile),
                items = heads * tiles * groups;
  if (items == 0) return;
  launch("attention_grad", gradient_kernel<T, chunks, of_keys>,
         grid_of_blocks(items, kTileThreads, sizeof(SharedTiles<T>)), d, tiles, groups, items);
}
template <class T>
void run_any(const AttentionInputs& in, const View& g, const View& log_sums, const View& sums, const View& dq,
             const View& dk, const View& dv) {
  const GradientInputs<T> d{Inputs<T>(in),      HeadMatrices<const T>(g), log_sums.as<const T>(),
                            sums.as<const T>(), HeadMatrices<T>(dq),      HeadMatrices<T>(dk),
                            HeadMatrices<T>(dv)};
  const int64_t heads = heads_of(g), width = d.in.q.columns,
                widest = width > d.in.v.columns ? width : d.in.v.columns;
  // Two chunks of float64 would not fit into a thread's registers.
  constexpr int two = sizeof(T) == 4 ? 2 : 1;
  width <= kTile ? run<T, 1, false>(d, heads, width) : run<T, two, false>(d, heads, width);
  widest <= kTile ? run<T, 1, true>(d, heads, widest) : run<T, two, true>(d, heads, widest);
}

}  // namespace

void attention_grad(const AttentionInputs& in, const View& g, const View& log_sums, const View& sums,
                    const View& dq, const View& dk, const View& dv) {
  if (fits_tensor_cores(in)) return attention_grad_bf16(in, g, log_sums, sums, dq, dk, dv);
  if (attention_grad_f32(in, g, log_sums, sums, dq, dk, dv)) return;
  floats(g.dtype, [&](auto zero) { run_any<decltype(zero)>(in, g, log_sums, sums, dq, dk, dv); });
}

}  // namespace glassgrad::cuda
