// Copies rows of bf16 to and from shared memory, finishes scores, and assigns rows to blocks. Shared by the
// attention kernels on tensor cores.
#pragma once
#include "attention.h"
#include "warpgroup.h"

namespace glassgrad::cuda {

using Bf16 = bfloat16_t;
constexpr float kLog2E = 1.4426950408889634f, kUnseen = -__builtin_inff();

struct Bf16Inputs {
  HeadMatrices<const Bf16> q, k, v;
  HeadMatrices<const bool> taken;         // which keys take part, if it has data
  HeadMatrices<const float> added;        // added to the scores, if it has data
  HeadMatrices<const Bf16> added_narrow;  // the same in bf16
  float scale;
  bool causal;

  explicit Bf16Inputs(const AttentionInputs& in)
      : q(in.q), k(in.k), v(in.v), scale(float(in.scale)), causal(in.causal) {
    if (!in.mask.data) return;
    if (in.mask.dtype == boolean) taken = HeadMatrices<const bool>(in.mask);
    if (in.mask.dtype == float32) added = HeadMatrices<const float>(in.mask);
    if (in.mask.dtype == bfloat16) added_narrow = HeadMatrices<const Bf16>(in.mask);
  }
};

// The elements of result tiles that a thread holds: c[n][2·half + e] is in row 8·half + row_of_lane() of its
// warp's 16, and in column 8·n + column_of_lane() + e.
__device__ __forceinline__ int row_of_lane() { return lane() / 4; }
__device__ __forceinline__ int column_of_lane() { return lane() % 4 * 2; }

template <int tiles>
__device__ __forceinline__ void clear(MatrixC (&c)[tiles]) {
  GG_UNROLL for (int n = 0; n < tiles * 4; ++n) c[n / 4][n % 4] = 0;
}

// The scores of a head, with a mask or without one.
template <bool masked>
struct HeadScores {
  const Bf16Inputs& in;
  const bool* taken = nullptr;
  const float* added = nullptr;
  const Bf16* added_narrow = nullptr;

  __device__ HeadScores(const Bf16Inputs& inputs, int64_t head) : in(inputs) {
    if constexpr (masked) {
      if (in.taken.data) taken = HeadMatrix<const bool>(in.taken, head).data;
      if (in.added.data) added = HeadMatrix<const float>(in.added, head).data;
      if (in.added_narrow.data) added_narrow = HeadMatrix<const Bf16>(in.added_narrow, head).data;
    }
  }
  // Turns products into scores. Rows are the warpgroup's 64 from `first` on, of which `row` is this thread's
  // first; columns start at `other`. Rows are queries and columns keys, or with of_keys the reverse. Returns
  // the factor that turns the scores into exponents of 2.
  template <bool of_keys, int tiles>
  __device__ __forceinline__ float finish(MatrixC (&c)[tiles], int first, int row, int other) const {
    if (masked || in.scale <= 0) {
      GG_UNROLL for (int n = 0; n < tiles * 4; ++n) {
        const int own = row + n % 4 / 2 * 8, column = other + n / 4 * 8 + column_of_lane() + n % 2;
        c[n / 4][n % 4] = of(c[n / 4][n % 4], of_keys ? column : own, of_keys ? own : column);
      }
      __syncwarp();  // the threads of a warp diverge at a mask
      return kLog2E;
    }
    const int first_query = of_keys ? other : first,
              last_key = of_keys ? first + kGroupRows - 1 : other + tiles * 8 - 1, keys = int(in.k.rows);
    if (last_key >= keys || (in.causal && last_key > first_query)) {
      // Rows of keys past the end need no masking: their results are not written.
      GG_UNROLL for (int half = 0; half < 2; ++half) {
        const int own = row + half * 8, before = other + column_of_lane(),
                  begin = of_keys && in.causal ? own - before : 0,
                  end = (in.causal && own < keys ? own + 1 : keys) - before;
        GG_UNROLL for (int n = 0; n < tiles * 2; ++n) {
          const int column = n / 2 * 8 + n % 2;
          if (of_keys ? column < begin : column >= end) c[n / 2][half * 2 + n % 2] = kUnseen;
        }
      }
    }
    return in.scale * kLog2E;
  }

 private:
  // The score of a query and a key, from their product. −∞ where the query does not see the key, whatever the
  // scale.
  __device__ float of(float product, int query, int key) const {
    if (key >= int(in.k.rows) || (in.causal && key > query)) return kUnseen;
    float score = product * in.scale;
    if constexpr (masked) {
      if (query >= int(in.q.rows)) return kUnseen;
      if (taken && !taken[place(in.taken, query, key)]) return kUnseen;
      if (added) score += added[place(in.added, query, key)];
      if (added_narrow) score += float(added_narrow[place(in.added_narrow, query, key)]);
    }
    return score;
  }
  template <class T>
  static __device__ int64_t place(const HeadMatrices<T>& x, int row, int column) {
    return row * x.row + column * x.column;
  }
};

// A matrix of a head; a block's threads copy its rows to shared memory, `count` at a time.
template <int threads, int count, int size>
struct Bf16Loader {
  static constexpr int kPieces = SwizzledRows<count, size>::kPieces, kStep = threads / kPieces;
  static_assert(kStep % 8 == 0 && kStep * kPieces == threads);
  const Bf16* from;  // this thread's piece of row 0
  int64_t stride;
  int rows;

  __device__ __forceinline__ Bf16Loader(const HeadMatrices<const Bf16>& x, int64_t head)
      : from(HeadMatrix<const Bf16>(x, head).data + int(threadIdx.x) % kPieces * 8 +
             int(threadIdx.x) / kPieces * x.row),
        stride(x.row),
        rows(int(x.rows)) {}
  // Starts to copy the rows from `first` on, with zeros past the last.
  __device__ __forceinline__ void ask(SwizzledRows<count, size>& to, int first) const {
    const int own = int(threadIdx.x) / kPieces, column = int(threadIdx.x) % kPieces * 8;
    const Bf16* at = from + first * stride;
    GG_UNROLL for (int row = 0; row < count; row += kStep) {
      if (count % kStep == 0 || row + own < count)
        cp_async_16(to.at(row + own, column), at, first + row + own < rows);
      at += kStep * stride;
    }
  }
};

// Writes a warp's 16 rows of results, times a factor for each half of them, rounded, to rows of y from
// `first` on. They pass through 16 rows of the warp's shared memory, so that whole pieces are written.
template <int count, int size>
__device__ __forceinline__ void write_rows(const MatrixC (&c)[size / 8], const float (&factor)[2],
                                           SwizzledRows<count, size>& by, int own, const HeadMatrix<Bf16>& y,
                                           int first) {
  constexpr int pieces = size / 8;
  GG_UNROLL for (int n = 0; n < pieces * 2; ++n) {
    const int half = n % 2;
    const float f = factor[half];
    *static_cast<uint32_t*>(by.at(own + half * 8 + row_of_lane(), n / 2 * 8 + column_of_lane())) =
        bf16_pair(c[n / 2][half * 2] * f, c[n / 2][half * 2 + 1] * f);
  }
  __syncwarp();
  GG_UNROLL for (int n = lane(); n < 16 * pieces; n += 32) {
    const int row = n / pieces, column = n % pieces * 8;
    if (first + row < int(y.all.rows))
      *reinterpret_cast<uint4*>(y.data + (first + row) * y.all.row + column) =
          *static_cast<const uint4*>(by.at(own + row, column));
  }
}

// ---- assigns rows to blocks. Blocks start in the order of their numbers, and with causal some tiles take
// longer than others. Takes as many heads at a time as fit into the L2 cache, and tile 0 of all of them,
// which takes longest, before tile 1.
struct BlockSchedule {
  int tiles, heads, at_once;
  int fold;  // 0, or the blocks from this number on run in reverse order, beside the first ones

  struct Item {
    int head, tile;
  };
  __device__ Item operator[](int n) const {
    if (fold && n >= fold) n = fold + tiles * heads - 1 - n;
    const int first = n / (at_once * tiles) * at_once, rest = n % (at_once * tiles),
              together = at_once < heads - first ? at_once : heads - first;
    return {first + rest % together, rest / together};
  }
};
// For tiles of `tile` rows, each of which reads `others` rows of two matrices, `size` wide.
inline BlockSchedule block_schedule(int64_t heads, int64_t rows, int tile, int64_t others, int size,
                                    int blocks_at_once) {
  constexpr int64_t cache = int64_t(16) << 20;
  const int64_t tiles = up(rows, tile), items = heads * tiles, places = multiprocessors(),
                at_once = cache / (others * size * 4 + 1);
  return {int(tiles), int(heads), int(at_once < 1 ? 1 : least(at_once, heads)),
          items > places && items <= places * blocks_at_once ? int(places) : 0};
}

// Shared memory for M, whose panels begin at multiples of 1024.
template <class M>
constexpr size_t shared_for() {
  return sizeof(M) + 1024;
}
template <class M>
__device__ __forceinline__ M& aligned(void* shared) {
#ifdef GG_CUDA_EMULATED
  return *reinterpret_cast<M*>((reinterpret_cast<uintptr_t>(shared) + 1023) / 1024 * 1024);
#else
  const auto at = uint32_t(__cvta_generic_to_shared(shared));
  return *reinterpret_cast<M*>(static_cast<char*>(shared) + ((at + 1023) / 1024 * 1024 - at));
#endif
}
template <class M>
bool has_room() {
  return shared_for<M>() <= most_shared();
}
// True if there are so few rows that each multiprocessor gets at most two blocks of 128 rows.
inline bool has_few_blocks(int64_t heads, int64_t rows) {
  return heads * up(rows, 128) <= 2 * multiprocessors();
}

}  // namespace glassgrad::cuda
