// Products of tiles of 64 rows and 64 columns for attention in float32 and float64: a block of 256 threads,
// each with 4 rows and 4 columns of the result. Operands of any strides and any depth pass through shared
// memory, 32 of the depth at a time; elements outside of a matrix are 0.
#pragma once
#include "attention.h"

namespace glassgrad::cuda {

constexpr int kTile = 64, kDepth = 32, kPitch = kTile + 4;
constexpr unsigned kTileThreads = 256;
template <class T>
constexpr unsigned kBlocksAtOnce = sizeof(T) == 4 ? 2 : 1;  // per multiprocessor, limited by registers

template <class T>
struct SharedTiles {
  alignas(16) T a[kDepth][kPitch], b[kDepth][kPitch];  // [k][row of a], [k][column of b]
  T weights[kTile][kPitch];                            // [k][row]
};

template <class T>
struct alignas(16) Four {
  T v[4];
};

// A thread's rows are adjacent, and so are its columns of a result. Its columns of scores are 16 apart, so
// that the threads' writes of weights go to different banks.
__device__ inline int row_of_thread(int i) { return int(threadIdx.x) / 16 * 4 + i; }
__device__ inline int column_of_thread(int j) { return int(threadIdx.x) % 16 * 4 + j; }
__device__ inline int score_column(int j) { return int(threadIdx.x) % 16 + j * 16; }

// Loads `count` numbers of one column of x: from rows that are `step` apart to places that are `apart` apart;
// 0 past the last row.
template <int count, class T>
__device__ __forceinline__ void load(T* to, int apart, const HeadMatrix<const T>& x, int64_t row, int step,
                                     int64_t column) {
  const int64_t left = column < x.all.columns ? x.all.rows - row : 0;
  const int rows = int(least(left, count * step));
  const T* from = x.data + row * x.all.row + column * x.all.column;
  const int64_t distance = step * x.all.row;
  for (int n = 0; n < count; ++n) {
    to[n * apart] = n * step < rows ? *from : T(0);
    from += distance;
  }
}
// to[k][place] = x(first + the row of that place, depth + k). A warp reads 8 numbers of 4 rows at a time.
template <bool as_scores, class T>
__device__ __forceinline__ void load_rows(T (&to)[kDepth][kPitch], const HeadMatrix<const T>& x,
                                          int64_t first, int64_t depth) {
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
  const int k = warp % 4 * 8 + lane % 8, place = warp / 4 * 4 + lane / 8;
  const int row = as_scores ? place / 4 + place % 4 * 16 : place;
  load<8>(&to[k][place], 8, x, first + row, as_scores ? 2 : 8, depth + k);
}
// to[k][c] = x(first + k, column + c).
template <class T>
__device__ __forceinline__ void load_columns(T (&to)[kDepth][kPitch], const HeadMatrix<const T>& x,
                                             int64_t first, int64_t column) {
  const int k = int(threadIdx.x) / kTile, c = int(threadIdx.x) % kTile;
  load<8>(&to[k][c], 4 * kPitch, x, first + k, 4, column + c);
}

// Rounds the depth up to a multiple of 4; the added numbers are zeros.
template <class T>
__device__ __forceinline__ void accumulate(T (&sums)[4][4], const T (*a)[kPitch], const T (*b)[kPitch],
                                           int depth) {
  const int row = row_of_thread(0), column = column_of_thread(0);
  for (int first = 0; first < depth; first += 4) {
    GG_UNROLL for (int k = first; k < first + 4; ++k) {
      const Four<T> x = *reinterpret_cast<const Four<T>*>(&a[k][row]),
                    y = *reinterpret_cast<const Four<T>*>(&b[k][column]);
      GG_UNROLL for (int n = 0; n < 16; ++n) {
        sums[n / 4][n % 4] = GG_ISA::fma(x.v[n / 4], y.v[n % 4], sums[n / 4][n % 4]);
      }
    }
  }
}

// sums(i, j) = the products of a's rows from first_a on with b's rows, with columns placed like those of
// scores.
template <class T>
__device__ __forceinline__ void multiply_rows(T (&sums)[4][4], SharedTiles<T>& w,
                                              const HeadMatrix<const T>& a, int64_t first_a,
                                              const HeadMatrix<const T>& b, int64_t first_b) {
  for (auto& row : sums)
    for (T& sum : row) sum = 0;
  for (int64_t depth = 0; depth < a.all.columns; depth += kDepth) {
    __syncthreads();
    load_rows<false>(w.a, a, first_a, depth);
    load_rows<true>(w.b, b, first_b, depth);
    __syncthreads();
    accumulate(sums, w.a, w.b, int(least(kDepth, a.all.columns - depth)));
  }
}

template <class T>
__device__ __forceinline__ void store_weights(SharedTiles<T>& w, const T (&weights)[4][4]) {
  __syncthreads();  // wait for the previous tile's readers
  for (int j = 0; j < 4; ++j) {
    const Four<T> column = {{weights[0][j], weights[1][j], weights[2][j], weights[3][j]}};
    *reinterpret_cast<Four<T>*>(&w.weights[score_column(j)][row_of_thread(0)]) = column;
  }
}
// sums += the stored weights times rows first … first+count of b, from `column` on, 64 columns per chunk.
template <int chunks, class T>
__device__ __forceinline__ void add_weighted(T (&sums)[chunks][4][4], SharedTiles<T>& w,
                                             const HeadMatrix<const T>& b, int64_t first, int count,
                                             int64_t column) {
  for (int k = 0; k < count; k += kDepth) {
    GG_UNROLL for (int c = 0; c < chunks; ++c) {
      __syncthreads();
      load_columns(w.b, b, first + k, column + c * kTile);
      __syncthreads();
      accumulate(sums[c], w.weights + k, w.b, int(least(kDepth, count - k)));
    }
  }
}

// Returns f(f(a, b), …) over the 16 threads that share rows, to all of them.
template <class T, class F>
__device__ T over_row(T v, F f) {
  GG_UNROLL for (int distance = 8; distance > 0; distance /= 2) {
    v = f(v, __shfl_xor_sync(0xffffffffu, v, distance));
  }
  return v;
}

}  // namespace glassgrad::cuda
