// Attention in tiles of 64 queries and 64 keys. Scores never leave the block. A running maximum and sum carry
// the softmax from tile to tile.
// Dao 2023, https://arxiv.org/abs/2307.08691
#include "attention_tiles.h"

namespace glassgrad::cuda {
namespace {

using namespace GG_ISA;

// The running maximum and sum of each of a thread's queries. The sum covers only the thread's own keys.
template <class T>
struct SoftmaxState {
  T top[4], sum[4];
};

// Turns scores into weights that are not yet divided by their sum; `fade` gets the factor that rescales
// earlier results.
template <class T>
__device__ __forceinline__ void online_softmax(T (&scores)[4][4], SoftmaxState<T>& so_far, T (&fade)[4]) {
  const auto larger = [](T a, T b) { return b > a ? b : a; };
  GG_UNROLL for (int i = 0; i < 4; ++i) {
    T top = so_far.top[i];
    for (int j = 0; j < 4; ++j) top = larger(top, scores[i][j]);
    top = over_row(top, larger);
    const T shift = top == Scores<T>::kNone ? T(0) : top;  // no key has been seen: all weights are 0
    fade[i] = exp(so_far.top[i] - shift);
    so_far.top[i] = top;
    so_far.sum[i] *= fade[i];
    for (int j = 0; j < 4; ++j) {
      scores[i][j] = exp(scores[i][j] - shift);
      so_far.sum[i] += scores[i][j];
    }
  }
}

template <int chunks, class T>
__device__ __forceinline__ void write(const T (&sums)[chunks][4][4], const T (&factor)[4],
                                      const HeadMatrix<T>& y, int64_t first, int64_t column) {
  GG_UNROLL for (int n = 0; n < chunks * 16; ++n) {
    const int c = n / 16, i = n / 4 % 4, j = n % 4;
    const int64_t row = first + row_of_thread(i), at = column + c * kTile + column_of_thread(j);
    if (y.has(row, at)) y.at(row, at) = factor[i] == 0 ? T(0) : sums[c][i][j] * factor[i];
  }
}

// 64 queries of a head, and chunks·64 columns of their values.
template <class T, int chunks>
__device__ void attend(const Inputs<T>& in, const HeadMatrices<T>& y, T* log_sums, int64_t head,
                       int64_t first, int64_t column, SharedTiles<T>& w) {
  const HeadMatrix<const T> q(in.q, head), k(in.k, head), v(in.v, head);
  T sums[chunks][4][4] = {}, factor[4];
  SoftmaxState<T> so_far;
  for (int i = 0; i < 4; ++i) so_far.top[i] = Scores<T>::kNone, so_far.sum[i] = 0;
  const int64_t end = in.causal ? least(in.k.rows, first + kTile) : in.k.rows;
  for (int64_t key = 0; key < end; key += kTile) {
    T weights[4][4];
    multiply_rows(weights, w, q, first, k, key);
    const Scores<T> score(in, head, first, key);
    const bool plain = score.plain(0, kTile - 1);
    GG_UNROLL for (int n = 0; n < 16; ++n) {
      T& s = weights[n / 4][n % 4];
      s = plain ? s * in.scale : score.of(s, row_of_thread(n / 4), score_column(n % 4));
    }
    online_softmax(weights, so_far, factor);
    GG_UNROLL for (int n = 0; n < chunks * 16; ++n) sums[n / 16][n / 4 % 4][n % 4] *= factor[n / 4 % 4];
    store_weights(w, weights);
    add_weighted<chunks>(sums, w, v, key, int(least(kTile, end - key)), column);
  }
  GG_UNROLL for (int i = 0; i < 4; ++i) {
    const T sum = over_row(so_far.sum[i], Sum());
    factor[i] = sum == 0 ? T(0) : 1 / sum;
    const int64_t row = first + row_of_thread(i);
    if (column == 0 && threadIdx.x % 16 == 0 && row < in.q.rows)
      log_sums[head * in.q.rows + row] = sum == 0 ? T(0) : so_far.top[i] + log(sum);
  }
  write<chunks>(sums, factor, HeadMatrix<T>(y, head), first, column);
}

// Starts with the last queries of a head: with causal they take the longest.
template <class T, int chunks>
__global__ void __launch_bounds__(kTileThreads, kBlocksAtOnce<T>)
    attention_kernel(Inputs<T> in, HeadMatrices<T> y, T* log_sums, int64_t tiles, int64_t groups,
                     int64_t items) {
  GG_DYNAMIC_SHARED(SharedTiles<T>, w);
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const int64_t tile = item / groups % tiles, head = item / groups / tiles;
    attend<T, chunks>(in, y, log_sums, head, (tiles - 1 - tile) * kTile, item % groups * chunks * kTile, *w);
  }
}

template <class T, int chunks>
void run(const AttentionInputs& in, const View& y, const View& log_sums) {
  const int64_t tiles = up(size_of(y, 2), kTile), groups = up(size_of(y, 1), chunks * kTile),
                items = heads_of(y) * tiles * groups;
  launch("attention", attention_kernel<T, chunks>,
         grid_of_blocks(items, kTileThreads, sizeof(SharedTiles<T>)), Inputs<T>(in), HeadMatrices<T>(y),
         log_sums.as<T>(), tiles, groups, items);
}

template <class T>
void run_any(const AttentionInputs& in, const View& y, const View& log_sums) {
  size_of(y, 1) <= kTile ? run<T, 1>(in, y, log_sums) : run<T, 2>(in, y, log_sums);
}

}  // namespace

void attention(const AttentionInputs& in, const View& y, const View& log_sums) {
  if (y.shape.numel() == 0) return;
  if (fits_tensor_cores(in)) return attention_bf16(in, y, log_sums);
  if (attention_f32(in, y, log_sums)) return;
  floats(y.dtype, [&](auto zero) { run_any<decltype(zero)>(in, y, log_sums); });
}

}  // namespace glassgrad::cuda
