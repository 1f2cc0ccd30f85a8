// Products of tiles for attention in float32 with packed rows: a warp computes 32 rows and 64 columns of a
// result, each thread 8 by 8, with as few reads from shared memory as registers allow. Operands are copied
// there as they are in memory, row by row, 16 bytes at a time.
#pragma once
#include "attention_bf16.h"

#ifdef __CUDACC__
#define GG_PRAGMA(text) _Pragma(#text)
#define GG_UNROLL_BY(n) GG_PRAGMA(unroll n)
#else
#define GG_UNROLL_BY(n)
#endif

namespace glassgrad::cuda {

constexpr float kLn2 = 0.6931471805599453f;
constexpr int kWidth = 64, kWarpRows = 32, kOthers = 64;  // most columns of a head; rows of a warp; others

// Rows in shared memory start 4 of 32 banks apart, so 8 threads that read 16 bytes of a row each have no
// conflict.
constexpr int kRowPitch = kWidth + 4;
template <int count>
struct PaddedRows {
  alignas(16) float at[count][kRowPitch];
};
// A block's shape. It has rows·32 own rows. Each of `teams` teams has `rows` warps; the teams share the other
// rows, 64 per team at a time. The warps exist once for each of `roles` roles. `blocks` blocks run per
// multiprocessor.
template <class M_, int rows, int teams, int blocks, int roles = 1>
struct BlockShape {
  using M = M_;
  static constexpr int kRows = rows, kTeams = teams, kBlocks = blocks, kOwn = rows * kWarpRows,
                       kAtOnce = teams * kOthers, kThreads = rows * teams * roles * 32;
};
struct alignas(16) Quad {
  float v[4];
};
__device__ __forceinline__ const Quad& quad(const float* x) { return *reinterpret_cast<const Quad*>(x); }

// ---- how a warp multiplies: 32 rows by 64 columns of a result, of which each thread has a part. Row i of a
// part is row row(i) of the warp's, its column j is column(j). Row n of the others is in shared memory at
// place(n): the others are the columns of the first product, and the rows of the second product's operand.

// Exact float32. Threads of a half warp that read the same row are neighbours, or next but one, so that two
// 16-byte reads of a quarter warp are merged into one.
struct Exact {
  static constexpr int kRows = 8, kColumns = 8, kSide = 4, kUnroll = 2;  // kSide: adjacent columns
  static constexpr bool kRounds = false;
  using Part = float[kRows][kColumns];
  static __device__ __forceinline__ int thread_row() { return lane() % 2 + lane() / 16 * 2; }
  static __device__ __forceinline__ int thread_column() { return lane() / 2 % 8; }
  static __device__ __forceinline__ int row(int i) { return 4 * i + thread_row(); }
  static __device__ __forceinline__ int column(int j) { return 4 * thread_column() + j % 4 + j / 4 * 32; }
  // A thread's columns are 8 apart.
  static __device__ __forceinline__ constexpr int place(int n) { return n / 4 % 8 + n % 4 * 8 + n / 32 * 32; }
  // Returns f(f(a, b), …) over the threads that share rows, to all of them.
  template <class F>
  static __device__ __forceinline__ float over_row(float v, F f) {
    GG_UNROLL for (int distance = 2; distance < 16; distance *= 2) {
      v = f(v, __shfl_xor_sync(0xffffffffu, v, distance));
    }
    return v;
  }

  // part += the products of rows of a with rows of b. a: the warp's first row; b: place 0 of the others.
  static __device__ __forceinline__ void add_products_of_rows(Part& part, const float (*a)[kRowPitch],
                                                              const float (*b)[kRowPitch], int depth) {
    const float *const x = a[thread_row()], *const y = b[thread_column()];
    GG_UNROLL_BY(kUnroll) for (int k = 0; k < depth; k += 4) {
      Quad of_b[8];
      GG_UNROLL for (int j = 0; j < 8; ++j) of_b[j] = quad(y + j * 8 * kRowPitch + k);
      GG_UNROLL for (int i = 0; i < 8; ++i) {
        const Quad of_a = quad(x + i * 4 * kRowPitch + k);
        GG_UNROLL for (int n = 0; n < 32; ++n) {
          part[i][n % 8] = GG_ISA::fma(of_a.v[n / 8], of_b[n % 8].v[n / 8], part[i][n % 8]);
        }
      }
    }
  }
  // sums += weights times the others' rows. The weights are in the warp's buffer.
  static __device__ __forceinline__ void add_weighted(Part& sums, const Part&,
                                                      const float (*weights)[kRowPitch],
                                                      const float (*others)[kRowPitch]) {
    const float *const x = weights[thread_row()], *const y = others[0] + thread_column() * 4;
    GG_UNROLL_BY(kUnroll) for (int k = 0; k < kOthers; k += 4) {
      Quad of_weights[8];
      GG_UNROLL for (int i = 0; i < 8; ++i) of_weights[i] = quad(x + i * 4 * kRowPitch + k);
      const float* const at = y + place(k) * kRowPitch;
      GG_UNROLL for (int e = 0; e < 4; ++e) {
        const Quad low = quad(at + e * 8 * kRowPitch), high = quad(at + e * 8 * kRowPitch + 32);
        GG_UNROLL for (int n = 0; n < 64; ++n) {
          const float other = n % 8 < 4 ? low.v[n % 4] : high.v[n % 4];
          sums[n / 8][n % 8] = GG_ISA::fma(of_weights[n / 8].v[e], other, sums[n / 8][n % 8]);
        }
      }
    }
  }
  // Writes a part to the warp's buffer for add_weighted, once no thread reads the buffer.
  static __device__ __forceinline__ void publish_part(float (*room)[kRowPitch], const Part& part) {
    __syncwarp();
    store_part(room, part);
    __syncwarp();
  }
  // store_part writes a thread's part to the buffer; load_quad returns quad n of the 16 that the same thread
  // has stored there.
  static __device__ __forceinline__ void store_part(float (*room)[kRowPitch], const Part& part) {
    float* const at = room[thread_row()] + thread_column() * 4;
    GG_UNROLL for (int n = 0; n < 16; ++n) {
      const float* const from = &part[n / 2][n % 2 * 4];
      *reinterpret_cast<Quad*>(at + n / 2 * 4 * kRowPitch +
                               n % 2 * 32) = {{from[0], from[1], from[2], from[3]}};
    }
  }
  static __device__ __forceinline__ Quad load_quad(const float (*room)[kRowPitch], int n) {
    return quad(room[thread_row()] + thread_column() * 4 + n / 2 * 4 * kRowPitch + n % 2 * 32);
  }
};

// Tensor cores, on numbers rounded to tf32. The weights stay in registers: among every 8 others, a thread's
// pair of weights is used as numbers k and k + 4.
struct Tf32 {
  static constexpr int kRows = 4, kColumns = 16, kSide = 2;
  static constexpr bool kRounds = true;
  using Part = float[kRows][kColumns];
  static __device__ __forceinline__ int row(int i) { return 8 * i + row_of_lane(); }
  static __device__ __forceinline__ int column(int j) { return 8 * (j / 2) + column_of_lane() + j % 2; }
  static __device__ __forceinline__ constexpr int place(int n) { return n; }
  template <class F>
  static __device__ __forceinline__ float over_row(float v, F f) {
    v = f(v, __shfl_xor_sync(0xffffffffu, v, 1));
    return f(v, __shfl_xor_sync(0xffffffffu, v, 2));
  }
  static __device__ __forceinline__ void multiply(Part& c, int m, int n, const MatrixA& a, uint32_t b0,
                                                  uint32_t b1) {
    mma_tf32(c[2 * m][2 * n], c[2 * m][2 * n + 1], c[2 * m + 1][2 * n], c[2 * m + 1][2 * n + 1], a, b0, b1);
  }

  static __device__ __forceinline__ void add_products_of_rows(Part& part, const float (*a)[kRowPitch],
                                                              const float (*b)[kRowPitch], int depth) {
    const float *const x = a[lane() % 16] + lane() / 16 * 4, *const y = b[lane() % 8] + lane() / 8 * 4;
    GG_UNROLL_BY(2) for (int k = 0; k < depth; k += 16) {
      MatrixA of_a[4];
      GG_UNROLL for (int n = 0; n < 4; ++n)
          ldmatrix<false>(of_a[n], x + n / 2 * 16 * kRowPitch + n % 2 * 8 + k);
      GG_UNROLL for (int n = 0; n < 8; ++n) {
        uint32_t of_b[4];
        ldmatrix<false>(of_b, y + n * 8 * kRowPitch + k);
        GG_UNROLL for (int m = 0; m < 4; ++m)
            multiply(part, m % 2, n, of_a[m % 2 * 2 + m / 2], of_b[m / 2 * 2], of_b[m / 2 * 2 + 1]);
      }
    }
  }
  static __device__ __forceinline__ void add_weighted(Part& sums, const Part& weights,
                                                      const float (*)[kRowPitch],
                                                      const float (*others)[kRowPitch]) {
    const float* const y = others[column_of_lane()] + row_of_lane();
    GG_UNROLL for (int k = 0; k < 8; ++k) {
      MatrixA of_weights[2];
      GG_UNROLL for (int n = 0; n < 8; ++n) {
        of_weights[n / 4][n % 4] = tf32_of(weights[n / 4 * 2 + n % 2][k * 2 + n % 4 / 2]);
      }
      GG_UNROLL for (int n = 0; n < 8; ++n) {
        const float* const at = y + k * 8 * kRowPitch + n * 8;
        const uint32_t b0 = __builtin_bit_cast(uint32_t, at[0]),
                       b1 = __builtin_bit_cast(uint32_t, at[kRowPitch]);
        GG_UNROLL for (int m = 0; m < 2; ++m) multiply(sums, m, n, of_weights[m], b0, b1);
      }
    }
  }
  static __device__ __forceinline__ void publish_part(float (*)[kRowPitch], const Part&) {}
  static __device__ __forceinline__ void store_part(float (*room)[kRowPitch], const Part& part) {
    GG_UNROLL for (int n = 0; n < 16; ++n) {
      const float* const from = &part[n / 4][n % 4 * 4];
      *reinterpret_cast<Quad*>(&room[0][0] + (n * 32 + lane()) * 4) = {{from[0], from[1], from[2], from[3]}};
    }
  }
  static __device__ __forceinline__ Quad load_quad(const float (*room)[kRowPitch], int n) {
    return quad(&room[0][0] + (n * 32 + lane()) * 4);
  }
};

template <class Part>
__device__ __forceinline__ void clear(Part& part) {
  for (auto& row : part)
    for (float& x : row) x = 0;
}

// Element e of quad n of a part, in the order of store_part and load_quad.
template <class M>
__device__ __forceinline__ float& number(typename M::Part& part, int n, int e) {
  constexpr int quads = M::kColumns / 4;
  return part[n / quads][n % quads * 4 + e];
}

// A matrix of a head; a block's threads copy its rows to shared memory, `count` at a time, in the order of
// own rows or of others.
template <class M, int threads, int count, bool others>
struct Loader {
  static constexpr int kPieces = kWidth / 4, kStep = threads / kPieces;
  const float* from;  // this thread's piece of row 0
  int64_t stride;
  int rows;
  bool inside;  // whether the row has the piece

  __device__ __forceinline__ Loader(const HeadMatrices<const float>& x, int64_t head)
      : from(HeadMatrix<const float>(x, head).data + int(threadIdx.x) % kPieces * 4 +
             int(threadIdx.x) / kPieces * x.row),
        stride(x.row),
        rows(int(x.rows)),
        inside(int(threadIdx.x) % kPieces * 4 < int(x.columns)) {}
  static __device__ __forceinline__ float* place(float (*to)[kRowPitch], int row) {
    const int n = row + int(threadIdx.x) / kPieces;
    return &to[others ? M::place(n) : n][int(threadIdx.x) % kPieces * 4];
  }
  static __device__ __forceinline__ bool has(int row) {
    return count % kStep == 0 || row + int(threadIdx.x) / kPieces < count;
  }
  // Starts to copy the rows from `first` on, with zeros past the last.
  __device__ __forceinline__ void ask(float (*to)[kRowPitch], int first) const {
    const float* at = from + first * stride;
    GG_LOOP for (int row = 0; row < count; row += kStep) {
      if (has(row))
        cp_async_16(place(to, row), at, inside && first + row + int(threadIdx.x) / kPieces < rows);
      at += kStep * stride;
    }
  }
  // Each thread rounds the numbers that it copied, once they have arrived.
  __device__ __forceinline__ void round(float (*to)[kRowPitch]) const {
    if constexpr (M::kRounds) GG_UNROLL for (int row = 0; row < count; row += kStep) {
        if (!has(row)) continue;
        Quad& x = *reinterpret_cast<Quad*>(place(to, row));
        Quad y = x;
        GG_UNROLL for (int e = 0; e < 4; ++e) y.v[e] = __builtin_bit_cast(float, tf32_of(y.v[e]));
        x = y;
      }
  }
};

// Turns products of queries and keys into scores times log2 e. The rows are queries; with of_keys, they are
// keys.
template <class M, bool of_keys, bool masked>
__device__ __forceinline__ void scale(typename M::Part& part, const Scores<float>& score) {
  const float unit = score.in.scale * kLog2E;
  const bool plain = score.plain(0, of_keys ? kWarpRows - 1 : kOthers - 1);
  GG_UNROLL for (int i = 0; i < M::kRows; ++i) {
    GG_UNROLL for (int j = 0; j < M::kColumns; ++j) {
      if (!masked || plain) part[i][j] *= unit;
    }
  }
  if (plain) return;
  GG_UNROLL for (int i = 0; i < M::kRows; ++i) {
    GG_UNROLL for (int j = 0; j < M::kColumns; ++j) {
      const int row = M::row(i), column = M::column(j), query = of_keys ? column : row,
                key = of_keys ? row : column;
      if (masked)
        part[i][j] = score.of(part[i][j], query, key) * kLog2E;
      else if (key >= score.keys || key - query > score.ahead)
        part[i][j] = kUnseen;
    }
  }
  if (masked) __syncwarp();  // the threads diverge at the mask
}

// Writes a thread's part, times a factor for each row, to rows of y from `first` on, or adds it to them.
template <class M, bool adds>
__device__ __forceinline__ void write_part(const HeadMatrix<float>& y, int first,
                                           const typename M::Part& part, const float (&factor)[M::kRows]) {
  struct alignas(4 * M::kSide) Side {
    float v[M::kSide];
  };
  GG_UNROLL for (int i = 0; i < M::kRows; ++i) {
    GG_UNROLL for (int j = 0; j < M::kColumns; j += M::kSide) {
      const int row = first + M::row(i), column = M::column(j);
      if (row >= int(y.all.rows) || column >= int(y.all.columns)) continue;
      Side &to = *reinterpret_cast<Side*>(&y.at(row, column)), sum = {};
      if (adds) {
        sum = to;
      }
      GG_UNROLL for (int e = 0; e < M::kSide; ++e) sum.v[e] += part[i][j + e] * factor[i];
      to = sum;
    }
  }
}

// Whether rows begin at multiples of 16 bytes and consist of whole 16-byte pieces, at most 64 numbers.
inline bool has_wide_rows(const View& x) {
  const int last = x.shape.n - 1;
  const int64_t width = x.shape.v[last];
  bool packed = x.dtype == float32 && width <= kWidth && width % 4 == 0 &&
                (width == 1 || x.strides.v[last] == 1) && reinterpret_cast<uintptr_t>(x.data) % 16 == 0 &&
                x.shape.v[last - 1] < int64_t(1) << 30;  // row numbers fit into int
  for (int d = 0; d < last; ++d) packed = packed && (x.shape.v[d] == 1 || x.strides.v[d] % 4 == 0);
  return packed;
}

}  // namespace glassgrad::cuda
