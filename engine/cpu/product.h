// A block of a matrix product, computed by one thread: tiles of the result stay in registers, panels of the
// second matrix in the innermost cache. For *.isa.cpp files only.
#pragma once
#include <type_traits>

#include "parallel.h"
#include "vec.h"

namespace glassgrad::GG_ISA {
namespace {

// A tile of the result, kRows by kPanel elements, stays in the registers.
constexpr int kRows = kTileRows, kVectors = kTileVectors;
template <class T>
constexpr int kPanel = kVectors* kWide<T>;
// How many rows of a panel are used at a time: enough that the result is rarely read and written.
template <class T>
constexpr int64_t kBlock = 4096 / int64_t(sizeof(T));

struct Strides {
  int64_t row, col;
};
template <class T>
struct Matrix {
  T* data;
  Strides stride;
  GG_INLINE T& at(int64_t i, int64_t j) const { return data[i * stride.row + j * stride.col]; }
  GG_INLINE Matrix from(int64_t i, int64_t j) const { return {&at(i, j), stride}; }
  GG_INLINE Matrix transposed() const { return {data, {stride.col, stride.row}}; }
};

GG_INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
GG_INLINE int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
// a/b, rounded up.
GG_INLINE int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// A step of an element's chain. Rounded: a·b is rounded, then added. Fused: fma. Bf16Pairs: a and b are pairs
// of bf16, and both products are added.
enum class MultiplyAdd { Rounded, Fused, Bf16Pairs };

template <MultiplyAdd kind, class V>
GG_INLINE V multiply_add(const V& a, const V& b, const V& sum) {
  if constexpr (kind == MultiplyAdd::Fused) return fma(a, b, sum);
#ifdef __AVX512BF16__
  if constexpr (kind == MultiplyAdd::Bf16Pairs)
    return _mm512_dpbf16_ps(sum, __builtin_bit_cast(__m512bh, a), __builtin_bit_cast(__m512bh, b));
#endif
  return sum + a * b;
}

constexpr int64_t kLine = 64;  // bytes of a cache line

// Prefetches the part of a that the next tile reads while the current tile is computed. There are `runs`
// runs, to_next_run bytes apart. Each lasts `steps` steps of the chains, and after every `every` steps (a
// power of two) its address moves by `step` bytes. `y`, if not null, is a tile of y to prefetch first.
struct Prefetch {
  const char* first;
  int64_t runs = 0, steps = 0, to_next_run = 0, step = 0, every = 1;
  const void* y = nullptr;
};

// sum[i][v] over k, for rows of a and a panel of b whose rows are ldb apart. One pointer serves three rows,
// so that all addresses fit the processor's registers and addressing modes. The panel comes from an outer
// cache: prefetch it kAhead steps ahead. Branches for prefetches only at the end of a run: leaving the loop
// for them every 32 steps cost 4 to 10 %.
template <MultiplyAdd kind, int rows, int vectors, bool seldom, class T>
GG_INLINE void tile(const Matrix<const T>& a, const T* b, int64_t ldb, int64_t depth,
                    Wide<T> (&sum)[rows][vectors], const Prefetch& ahead) {
  constexpr int kShare = 3, groups = (rows + kShare - 1) / kShare, kAhead = 16;
  const int64_t row_bytes = a.stride.row * int64_t(sizeof(T)), col_bytes = a.stride.col * int64_t(sizeof(T));
  const char* group[groups];
  GG_UNROLL for (int g = 0; g < groups; ++g) group[g] =
      reinterpret_cast<const char*>(a.data) + g * kShare * row_bytes;
  const char* run = ahead.first;
  for (int64_t k = 0, left = ahead.runs; k < depth; --left, run += ahead.to_next_run) {
    const int64_t end = left > 0 ? least(k + ahead.steps, depth) : depth, step = left > 0 ? ahead.step : 0;
    const char* next = run;
    GG_UNROLL_TWICE for (; k < end; ++k) {
      __builtin_prefetch(next);
      next += !seldom || (k & (ahead.every - 1)) == 0 ? step : 0;
      Wide<T> row[vectors];
      GG_UNROLL for (int v = 0; v < vectors; ++v) {
        row[v] = load_wide(b + v * kWide<T>);
        if (v * kWideBytes % kLine == 0) __builtin_prefetch(b + kAhead * ldb + v * kWide<T>);
      }
      b += ldb;
      GG_UNROLL for (int i = 0; i < rows; ++i) {
        T one;
        __builtin_memcpy(&one, group[i / kShare] + i % kShare * row_bytes, sizeof one);
        const Wide<T> factor = one - Wide<T>{};  // not a sum, which would turn −0 into 0
        GG_UNROLL for (int v = 0; v < vectors; ++v) sum[i][v] = multiply_add<kind>(factor, row[v], sum[i][v]);
      }
      GG_UNROLL for (int g = 0; g < groups; ++g) group[g] += col_bytes;
    }
  }
}

// How a tile begins and ends. It starts from 0 (`first`) or from y's values. At the end a row of numbers, as
// wide as a panel, is added unless it is null.
template <class T>
struct Ends {
  bool first;
  const T* bias;
};

// Extends the chains of a tile of y by `depth` products; y has `width` columns, at most a panel's.
template <MultiplyAdd kind, int rows, int vectors, class T>
void advance(Matrix<const T> a, const T* b, int64_t ldb, int64_t depth, T* y, int64_t ldy, int64_t width,
             Ends<T> ends, const Prefetch& ahead) {
  constexpr int lanes = kWide<T>;
  const bool whole = width == vectors * lanes;
  Wide<T> sum[rows][vectors] = {};
  const auto each = [&](const auto& f) {
    GG_UNROLL for (int i = 0; i < rows; ++i) GG_UNROLL for (int v = 0; v < vectors; ++v)
        f(sum[i][v], y + i * ldy + v * lanes, width - v * lanes);
  };
  if (!ends.first && whole) each([](Wide<T>& s, const T* at, int64_t) { s = load_wide(at); });
  if (!ends.first && !whole) each([](Wide<T>& s, const T* at, int64_t count) { s = load_part(at, count); });
  if (const T* const at = static_cast<const T*>(ahead.y))
    GG_UNROLL for (int i = 0; i < rows; ++i)
        GG_UNROLL for (int v = 0; v < vectors; ++v) if (v * kWideBytes % kLine == 0)
            __builtin_prefetch(at + i * ldy + v * lanes, 1);
  // Smaller tiles prefetch at each step, to save code.
  constexpr bool full = rows == kRows && vectors == kVectors;
  if (full && ahead.every > 1)
    tile<kind, rows, vectors, full>(a, b, ldb, depth, sum, ahead);
  else
    tile<kind, rows, vectors, false>(a, b, ldb, depth, sum, ahead);
  if (ends.bias)
    GG_UNROLL for (int i = 0; i < rows; ++i) GG_UNROLL for (int v = 0; v < vectors; ++v) sum[i][v] +=
        load_wide(ends.bias + v * lanes);
  if (whole)
    each([](const Wide<T>& s, T* at, int64_t) { store_wide(at, s); });
  else
    each([](const Wide<T>& s, T* at, int64_t count) { store_part(at, s, count); });
}

// Picks the tile with 1 to kRows rows and 1 to kVectors vectors.
template <MultiplyAdd kind, int rows, int vectors, class T>
GG_INLINE void advance_tile(int64_t wanted_rows, int64_t wanted_vectors, Matrix<const T> a, const T* b,
                            int64_t ldb, int64_t depth, T* y, int64_t ldy, int64_t width, Ends<T> ends,
                            const Prefetch& ahead) {
  if constexpr (vectors > 1)
    if (wanted_vectors < vectors)
      return advance_tile<kind, rows, vectors - 1>(wanted_rows, wanted_vectors, a, b, ldb, depth, y, ldy,
                                                   width, ends, ahead);
  if constexpr (rows > 1)
    if (wanted_rows < rows)
      return advance_tile<kind, rows - 1, vectors>(wanted_rows, vectors, a, b, ldb, depth, y, ldy, width,
                                                   ends, ahead);
  advance<kind, rows, vectors>(a, b, ldb, depth, y, ldy, width, ends, ahead);
}
#define GG_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
// Transposes eight columns of eight numbers into rows that are ldp apart.
GG_INLINE void transpose(const float* x, int64_t ldx, float* panel, int64_t ldp) {
  F32s pairs[8], fours[8];
  GG_UNROLL for (int i = 0; i < 4; ++i) {
    const F32s a = load(x + 2 * i * ldx), b = load(x + (2 * i + 1) * ldx);
    pairs[2 * i] = GG_SHUFFLE(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[2 * i + 1] = GG_SHUFFLE(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  }
  GG_UNROLL for (int i = 0; i < 4; ++i) {
    const int half = i / 2 * 4, odd = i % 2;
    fours[half + 2 * odd] = GG_SHUFFLE(pairs[half + odd], pairs[half + odd + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    fours[half + 2 * odd + 1] =
        GG_SHUFFLE(pairs[half + odd], pairs[half + odd + 2], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  GG_UNROLL for (int i = 0; i < 4; ++i) {
    store(panel + i * ldp, GG_SHUFFLE(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11));
    store(panel + (i + 4) * ldp, GG_SHUFFLE(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15));
  }
}
#undef GG_SHUFFLE

// Packs the first `width` columns of b into a dense panel of `full` columns, padded with zeros.
template <class T>
void pack(const Matrix<const T>& b, int64_t depth, int64_t width, int64_t full, T* panel) {
  int64_t k = 0;
  if constexpr (std::is_same_v<T, float>)
    for (; b.stride.row == 1 && width == full && k + 16 <= depth; k += 16) {  // whole cache lines
      int64_t j = 0;
      for (; j + 8 <= full; j += 8)
        for (int64_t half = k; half < k + 16; half += 8)
          transpose(&b.at(half, j), b.stride.col, panel + half * full + j, full);
      if constexpr (kWide<T> % 8 != 0)  // a panel may have one more vector of four
        for (; j < full; ++j)
          for (int64_t i = k; i < k + 16; ++i) panel[i * full + j] = b.at(i, j);
    }
  for (; b.stride.col == 1 && k < depth; ++k)
    for (int64_t j = 0; j < full; j += kWide<T>)
      store_wide(panel + k * full + j, load_part(&b.at(k, j), width - j));
  for (; k < depth; ++k) {
    T* const row = panel + k * full;
    for (int64_t j = 0; width < full && j < full; j += kWide<T>) store_wide(row + j, Wide<T>{});
    for (int64_t j = 0; j < width; ++j) row[j] = b.at(k, j);
  }
}

// Returns the width, in whole vectors, of the panel that begins n columns before the end. Narrows the last
// panel but one if the last would otherwise be a single vector.
template <class T>
GG_INLINE int64_t panel_width(int64_t n) {
  const int64_t vectors = up(n, kWide<T>);
  return kWide<T> * (vectors == kVectors + 1 ? up(vectors, 2) : least(vectors, kVectors));
}

// Packs the first n columns of b as consecutive panels; if `in_place`, only the panels that need padding.
template <class T>
void pack_panels(const Matrix<const T>& b, int64_t depth, int64_t n, bool in_place, T* packed) {
  constexpr int64_t full = kPanel<T>;
  int64_t j = 0;
  if (!in_place && b.stride.col == 1) {  // along its rows
    int64_t alike = n / full * full;
    if (alike > 0 && panel_width<T>(n - alike + full) < full) alike -= full;
    for (int64_t k = 0; k < depth; ++k)
      for (j = 0; j < alike; j += full)
        GG_UNROLL for (int v = 0; v < kVectors; ++v)
            store_wide(packed + j * depth + k * full + v * kWide<T>, load_wide(&b.at(k, j + v * kWide<T>)));
    j = alike;
  }
  while (j < n) {
    const int64_t width = panel_width<T>(n - j);
    if (!in_place || j + width > n) pack(b.from(0, j), depth, least(n - j, width), width, packed + j * depth);
    j += width;
  }
}

// A result with at most this many rows reads contiguous rows of b in place: packing would not pay.
constexpr int64_t kFewRows = 24;
constexpr int64_t kPanels = kWideBytes == 64 ? 4 : 6, kMostPanels = 32;
template <class T>
constexpr int64_t kRoomForPanels = kPanels* kBlock<T>* kPanel<T>;
// True if a is column-major: each k of a tile then takes a whole cache line.
template <class T>
GG_INLINE bool is_turned(const Matrix<const T>& a) {
  return a.stride.row == 1 && a.stride.col != 1;
}
// The length of a block, in k.
template <class T>
GG_INLINE int64_t block_of(const Matrix<const T>& a, int64_t depth) {
  return least(depth, is_turned(a) ? kBlock<T> / 4 : kBlock<T>);
}
// The most columns to multiply with a tile's rows: as many panels of `rows` rows as the buffer holds.
template <class T>
GG_INLINE int64_t most_columns(int64_t rows) {
  return kPanel<T> * least(kPanels * kBlock<T> / most(1, rows), kMostPanels);
}

// Copies a tile of a that would not stay in the innermost cache. Rows a multiple of 4 KiB apart share a set,
// whose 8 or 12 ways cannot hold a tile and a panel: copy them to rows that are one line more than a block
// apart. The lines of a column-major tile leave the cache before the next panel too: copy them so that a line
// holds two columns.
template <class T>
constexpr int64_t kCopiedRow = kBlock<T> + kLine / int64_t(sizeof(T));
template <class T>
GG_INLINE bool collide(const Matrix<const T>& a) {
  return a.stride.col == 1 && a.stride.row * int64_t(sizeof(T)) % 4096 == 0;
}
template <class T>
Matrix<const T> copied_tile(const Matrix<const T>& a, int64_t rows, int64_t depth, T* copy) {
  const auto by_columns = [&](auto count) {
    for (int64_t k = 0; k < depth; ++k)
      __builtin_memcpy(copy + k * kRows, &a.at(0, k), size_t(count) * sizeof(T));
  };
  if (is_turned(a)) {
    rows == kRows ? by_columns(std::integral_constant<int64_t, kRows>()) : by_columns(rows);
    return {copy, {1, kRows}};
  }
  for (int64_t i = 0; i < rows; ++i)
    __builtin_memcpy(copy + i * kCopiedRow<T>, &a.at(i, 0), size_t(depth) * sizeof(T));
  return {copy, {kCopiedRow<T>, 1}};
}

// Returns what to prefetch during panel number `panel` of `panels`, for the next tile. That has next_rows
// rows and begins `rows` rows further down.
template <class T>
GG_INLINE Prefetch prefetch_for(const Matrix<const T>& a, int64_t rows, int64_t next_rows, int64_t depth,
                                int64_t panel, int64_t panels, bool copies) {
  constexpr int64_t size = sizeof(T);
  const auto at = [&](int64_t i, int64_t k) { return reinterpret_cast<const char*>(&a.at(rows + i, k)); };
  if (is_turned(a) && next_rows > 0) {  // next to this tile's rows: a line per column
    const int64_t of_panel = up(depth, panels), first = panel * of_panel;
    const int64_t bytes = a.stride.col * size, last = next_rows - 1;
    if (copies) return {at(last, first), 1, depth, 0, bytes, panels < 16 ? 8 : 16};
    return {at(last, first), 1, least(of_panel, depth - first), 0, bytes};
  }
  const int64_t of_panel = up(next_rows, panels), first = panel * of_panel;
  const int64_t count = least(of_panel, next_rows - first);
  if (a.stride.col != 1 || count <= 0) return {reinterpret_cast<const char*>(a.data)};
  if (a.stride.row == depth) return {at(first, 0), 1, depth, 0, count * size};  // contiguous rows
  return {at(first, 0), count, up(depth, count), a.stride.row * size, count * size};
}

// all_rows: the rows of the whole result, of which a block computes some. keep: the packed panels of all k,
// which then fit the buffer, stay for the thread's next block. packed: the thread's last block has packed
// them.
struct PanelReuse {
  int64_t all_rows;
  bool keep = false, packed = false;
};

// The part of a tile to compute: columns from … columns − 1 of the result, or a few more; products first …
// last − 1 of each chain, since the others are 0.
struct TileRegion {
  int64_t from, columns, first, last;
};

// Computes m rows of y and at most most_columns of its columns: y = a·b, plus a bias per column if there is
// one; or y += a·b. Packs all panels first, then multiplies each tile's rows with all of them, so that y is
// written along its rows. region(i, rows) returns the part of these rows to compute; finished(i, rows) is
// called when rows are done.
template <MultiplyAdd kind, class T, class E, class F>
void block_product(Matrix<const T> a, Matrix<const T> b, T* y, int64_t ldy, int64_t m, int64_t n,
                   int64_t depth, bool onto, const T* bias, const PanelReuse& reuse, const E& region,
                   const F& finished) {
  constexpr int64_t full = kPanel<T>;
  T* packed = static_cast<T*>(
      thread_scratch(size_t(kRoomForPanels<T> + kRows * kCopiedRow<T>) * sizeof(T), ScratchFor::Panels));
  T* const copied = packed + kRoomForPanels<T>;
  T added[kMostPanels * full];
  for (int64_t j = 0; bias && j < up(n, full) * full; ++j) added[j] = j < n ? bias[j] : T(0);
  const bool few = b.stride.col == 1 && reuse.all_rows <= kFewRows;
  // Prefetch if the data is too large for an inner cache.
  const bool far = reuse.all_rows * most(ldy, depth) > 65536;
  const int64_t most_rows = block_of(a, depth), panels = up(n, full);
  // With fewer panels, the copy costs more than it saves.
  const bool copies = is_turned(a) ? panels >= 8 : collide(a) && panels >= 4;
  for (int64_t k = 0; k < depth; k += most_rows) {
    const int64_t block = least(depth - k, most_rows);
    if (!reuse.packed) pack_panels(b.from(k, 0), block, n, few, packed);
    for (int64_t i = 0, tiles = up(m, kRows); tiles > 0; --tiles) {
      const int64_t rows = up(m - i, tiles), next_rows = tiles > 1 ? up(m - i - rows, tiles - 1) : 0;
      const TileRegion wanted = region(i, rows);
      const int64_t first = most(wanted.first - k, 0), last = least(wanted.last - k, block);
      Matrix<const T> left = a.from(i, k);
      if (copies) left = copied_tile(left, rows, block, copied);
      left = left.from(0, first);
      for (int64_t j = 0, to = 0; j < wanted.columns; j += to) {
        to = panel_width<T>(n - j);
        if (j + to <= wanted.from) continue;
        const int64_t vectors = least(to / kWide<T>, up(wanted.columns - j, kWide<T>));
        const int64_t width = least(n - j, vectors * kWide<T>);
        const bool in_place = few && n - j >= to;
        const T* const panel = in_place ? &b.at(k, j) : packed + j * block;
        const int64_t ldb = in_place ? b.stride.row : to;
        const Ends<T> ends{k == 0 && !onto, bias && k + block == depth ? added + j : nullptr};
        T* const out = y + i * ldy + j;
        Prefetch ahead{reinterpret_cast<const char*>(panel)};
        if (far) {
          ahead = prefetch_for(a.from(i, k), rows, next_rows, block, j / full, panels, copies);
          ahead.y = ends.first ? out : out + to;  // prefetch what is read first one tile earlier
        }
        advance_tile<kind, kRows, kVectors>(rows, vectors, left, panel + first * ldb, ldb, last - first, out,
                                            ldy, width, ends, ahead);
      }
      if (k + block == depth) finished(i, rows);
      i += rows;
    }
    if (reuse.keep) packed += block * panels * full;
  }
}

}  // namespace
}  // namespace glassgrad::GG_ISA
