// Tiles of bf16 for attention with tensor cores: a block of four warps, each of which has its own rows.
#pragma once
#include "attention.h"
#include "mma.h"

namespace glassgrad::cuda {

constexpr int kWarps = 4, kThreads = kWarps * 32;
constexpr float kLog2E = 1.4426950408889634f;

// So many rows of bf16 in shared memory, four numbers to a piece. They lie 16 bytes more apart than they are
// long: so the 8 rows of a matrix lie in different banks.
template <int count, int size>
struct Rows {
  alignas(16) uint64_t piece[count][size / 4 + 2];

  __device__ const void* at(int row, int column) const { return &piece[row][column / 4]; }
  __device__ void put(int number, const float4& v) {
    const uint64_t pairs = uint64_t(bf16_pair(v.z, v.w)) << 32 | bf16_pair(v.x, v.y);
    piece[number / (size / 4)][number % (size / 4)] = pairs;
  }
};

// f(n) for each piece of a thread. Counted by a constant: a compiler that saw n < … alone would look for a
// rest after each copy.
template <int count, int size, class F>
__device__ __forceinline__ void each_piece(F f) {
  constexpr int of_thread = count * size / 4 / kThreads;
  static_assert(of_thread * kThreads * 4 == count * size);
  GG_UNROLL_4 for (int i = 0; i < of_thread; ++i) f(int(threadIdx.x) + i * kThreads);
}

// x's rows from `first` on; zeros behind the last.
template <int count, int size>
__device__ __forceinline__ void fill(Rows<count, size>& to, const Plane<const float>& x, int first) {
  each_piece<count, size>([&](int n) {
    const int row = first + n / (size / 4);
    float4 v = {0, 0, 0, 0};
    if (row < int(x.all.rows)) v = *reinterpret_cast<const float4*>(&x.at(row, n % (size / 4) * 4));
    to.put(n, v);
  });
}
// The same in two steps, the first of which nobody waits for. Every thread rounds what it has copied itself:
// no barrier between them.
template <int count, int size>
struct Arrivals {
  float4 piece[count * size / 4];

  __device__ __forceinline__ void ask(const Plane<const float>& x, int first) {
    each_piece<count, size>([&](int n) {
      const int row = first + n / (size / 4);
      const bool there = row < int(x.all.rows);
      cp_async_16(&piece[n], &x.at(there ? row : 0, n % (size / 4) * 4), there);
    });
  }
  __device__ __forceinline__ void round(Rows<count, size>& to) const {
    each_piece<count, size>([&](int n) {
      const uint4 bits = *reinterpret_cast<const uint4*>(&piece[n]);  // one access, where float4 makes two
      float4 v;
      memcpy(&v, &bits, sizeof v);
      to.put(n, v);
    });
  }
};

// ---- what ldmatrix takes of Rows
// Rows first … first+16 as a; columns from 16·k on.
template <int count, int size>
__device__ __forceinline__ void load_a(MatrixA& a, const Rows<count, size>& x, int first, int k) {
  const int lane = int(threadIdx.x) % 32;
  ldmatrix<false>(a, x.at(first + lane % 16, k * 16 + lane / 16 * 8));
}
// The same rows as the columns of two b.
template <int count, int size>
__device__ __forceinline__ void load_b_transposed(uint32_t (&b)[4], const Rows<count, size>& x, int first,
                                                  int k) {
  const int lane = int(threadIdx.x) % 32;
  ldmatrix<false>(b, x.at(first + lane / 16 * 8 + lane % 8, k * 16 + lane / 8 % 2 * 8));
}
// Rows from 16·k on as those of two b; columns first … first+16.
template <int count, int size>
__device__ __forceinline__ void load_b(uint32_t (&b)[4], const Rows<count, size>& x, int k, int first) {
  const int lane = int(threadIdx.x) % 32;
  ldmatrix<true>(b, x.at(k * 16 + lane % 16, first + lane / 16 * 8));
}

// ---- a warp's own rows, tiles·16 of them: kept in registers, or loaded each time
template <int tiles, int size, bool kept>
struct OwnRows {
  MatrixA a[tiles][size / 16];
  template <int count>
  __device__ __forceinline__ OwnRows(const Rows<count, size>& x, int first) {
    for (int i = 0; i < tiles; ++i)
      for (int k = 0; k < size / 16; ++k) load_a(a[i][k], x, first + i * 16, k);
  }
  __device__ __forceinline__ void get(MatrixA& to, int i, int k) const {
    for (int n = 0; n < 4; ++n) to[n] = a[i][k][n];
  }
};
template <int tiles, int size>
struct OwnRows<tiles, size, false> {
  const Rows<tiles * 16 * kWarps, size>& x;
  int first;
  __device__ __forceinline__ OwnRows(const Rows<tiles * 16 * kWarps, size>& rows, int first_row)
      : x(rows), first(first_row) {}
  __device__ __forceinline__ void get(MatrixA& to, int i, int k) const { load_a(to, x, first + i * 16, k); }
};

// A warp's results: tiles·16 rows, columns·8 columns. Of tile (i, n) a thread has numbers in two rows:
// c[2·half + e] is that of row 8·half + its group.
template <int tiles, int columns>
struct Results {
  MatrixC c[tiles][columns];

  __device__ __forceinline__ void clear() {
    for (auto& row : c)
      for (auto& tile : row)
        for (float& number : tile) number = 0;
  }
};
__device__ inline int group_of_thread() { return int(threadIdx.x) % 32 / 4; }
__device__ inline int column_of_pair() { return int(threadIdx.x) % 4 * 2; }

// y = own·xᵀ.
template <int tiles, int count, int size, bool kept>
__device__ __forceinline__ void multiply_transposed(Results<tiles, count / 8>& y,
                                                    const OwnRows<tiles, size, kept>& own,
                                                    const Rows<count, size>& x) {
  y.clear();
  for (int k = 0; k < size / 16; ++k) {
    MatrixA a[tiles];
    for (int i = 0; i < tiles; ++i) own.get(a[i], i, k);
    for (int n = 0; n < count / 16; ++n) {
      uint32_t b[4];
      load_b_transposed(b, x, n * 16, k);
      for (int i = 0; i < tiles; ++i) {
        mma_bf16(y.c[i][2 * n], a[i], b[0], b[1]);
        mma_bf16(y.c[i][2 * n + 1], a[i], b[2], b[3]);
      }
    }
  }
}
// y += w·x: two of w's tiles, rounded, are an a as they lie.
template <int tiles, int count, int size>
__device__ __forceinline__ void add_product(Results<tiles, size / 8>& y, const Results<tiles, count / 8>& w,
                                            const Rows<count, size>& x) {
  for (int k = 0; k < count / 16; ++k) {
    MatrixA a[tiles];
    for (int i = 0; i < tiles; ++i)
      for (int n = 0; n < 4; ++n)
        a[i][n] = bf16_pair(w.c[i][2 * k + n / 2][n % 2 * 2], w.c[i][2 * k + n / 2][n % 2 * 2 + 1]);
    for (int n = 0; n < size / 16; ++n) {
      uint32_t b[4];
      load_b(b, x, k, n * 16);
      for (int i = 0; i < tiles; ++i) {
        mma_bf16(y.c[i][2 * n], a[i], b[0], b[1]);
        mma_bf16(y.c[i][2 * n + 1], a[i], b[2], b[3]);
      }
    }
  }
}

// Scores are exp2's argument divided by a number that is not negative: where they are plain, it is
// scale·log2 e, and the products are left as they are.
struct Unit {
  bool plain;
  float value;
  __device__ Unit(const Scores<float>& score, int first_query, int last_key)
      : plain(score.in.scale > 0 && score.plain(first_query, last_key)),
        value(plain ? score.in.scale * kLog2E : kLog2E) {}
};

}  // namespace glassgrad::cuda
