// The matrix product. Each element is one chain over k, or in some small products sixteen, so its bits depend
// on neither the blocking nor the instruction set: what a block of k leaves in y, the next block takes up.
#include <type_traits>

#include "kernels.h"
#include "parallel.h"
#include "vecmath.h"

namespace glassgrad::GG_ISA {
namespace {

// A tile of the result, kRows by kPanel elements, fits the 16 registers of AVX2 with its operands.
constexpr int kRows = 6, kVectors = 2;
constexpr int64_t kBlock = 256;  // a panel of so many rows of b leaves room in a 32 KB cache
template <class T>
constexpr int kPanel = kVectors* kLanes<T>;

struct Sizes {
  int64_t batches, m, n, depth;
};
struct Strides {
  int64_t row, col;
};
template <class T>
struct Matrix {
  T* data;
  Strides stride;
  GG_INLINE T& at(int64_t i, int64_t j) const { return data[i * stride.row + j * stride.col]; }
  GG_INLINE Matrix from(int64_t i, int64_t j) const { return {&at(i, j), stride}; }
};

template <bool fused, class V>
GG_INLINE V chain(const V& a, const V& b, const V& sum) {
  if constexpr (fused) return fma(a, b, sum);
  return sum + a * b;
}

// sum[i][v] over k, for rows of a and a panel of b whose rows lie ldb apart.
template <bool fused, int rows, int vectors, class T>
GG_INLINE void tile(const Matrix<const T>& a, const T* b, int64_t ldb, int64_t depth,
                    Vec<T> (&sum)[rows][vectors]) {
  for (int64_t k = 0; k < depth; ++k) {
    Vec<T> row[vectors];
    GG_UNROLL for (int v = 0; v < vectors; ++v) row[v] = load(b + k * ldb + v * kLanes<T>);
    GG_UNROLL for (int i = 0; i < rows; ++i) {
      const Vec<T> factor = Vec<T>{} + a.at(i, k);
      GG_UNROLL for (int v = 0; v < vectors; ++v) sum[i][v] = chain<fused>(factor, row[v], sum[i][v]);
    }
  }
}

// Takes the chains of a tile of y further by `depth` products; y has `width` columns, at most a panel's.
template <bool fused, int rows, int vectors, class T>
void advance(Matrix<const T> a, const T* b, int64_t ldb, int64_t depth, T* y, int64_t ldy, int64_t width,
             bool first) {
  constexpr int lanes = kLanes<T>, full = vectors * lanes;
  Vec<T> sum[rows][vectors] = {};
  T edge[rows][full];
  const bool whole = width == full;
  T* const out = whole ? y : edge[0];
  const int64_t step = whole ? ldy : full;
  if (!first) {
    for (int i = 0; i < rows && !whole; ++i)
      for (int64_t j = 0; j < full; ++j) edge[i][j] = j < width ? y[i * ldy + j] : T(0);
    GG_UNROLL for (int i = 0; i < rows; ++i) GG_UNROLL for (int v = 0; v < vectors; ++v) sum[i][v] =
        load(out + i * step + v * lanes);
  }
  tile<fused, rows, vectors>(a, b, ldb, depth, sum);
  GG_UNROLL for (int i = 0; i < rows; ++i) GG_UNROLL for (int v = 0; v < vectors; ++v)
      store(out + i * step + v * lanes, sum[i][v]);
  for (int i = 0; i < rows && !whole; ++i)
    for (int64_t j = 0; j < width; ++j) y[i * ldy + j] = edge[i][j];
}

template <bool fused, int vectors, class T>
void advance_rows(int64_t rows, Matrix<const T> a, const T* b, int64_t ldb, int64_t depth, T* y, int64_t ldy,
                  int64_t width, bool first) {
  switch (rows) {
    case 1:
      return advance<fused, 1, vectors>(a, b, ldb, depth, y, ldy, width, first);
    case 2:
      return advance<fused, 2, vectors>(a, b, ldb, depth, y, ldy, width, first);
    case 3:
      return advance<fused, 3, vectors>(a, b, ldb, depth, y, ldy, width, first);
    case 4:
      return advance<fused, 4, vectors>(a, b, ldb, depth, y, ldy, width, first);
    case 5:
      return advance<fused, 5, vectors>(a, b, ldb, depth, y, ldy, width, first);
    default:
      return advance<fused, kRows, vectors>(a, b, ldb, depth, y, ldy, width, first);
  }
}

#define GG_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
// Eight columns of eight numbers each become rows that lie ldp apart.
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

// The first `width` columns of b as a dense panel of `full` ones, filled up with zeros.
template <class T>
void pack(const Matrix<const T>& b, int64_t depth, int64_t width, int64_t full, T* panel) {
  int64_t k = 0;
  if constexpr (std::is_same_v<T, float>)
    for (; b.stride.row == 1 && width == full && k + 8 <= depth; k += 8)
      for (int64_t j = 0; j < full; j += 8) transpose(&b.at(k, j), b.stride.col, panel + k * full + j, full);
  for (; k < depth; ++k) {
    T* const row = panel + k * full;
    if (b.stride.col == 1 && width == full)
      for (int64_t j = 0; j < full; j += kLanes<T>) store(row + j, load(&b.at(k, j)));
    else
      for (int64_t j = 0; j < full; ++j) row[j] = j < width ? b.at(k, j) : T(0);
  }
}

// m rows and `width` columns of y, at most a panel's.
template <bool fused, class T>
void panel_product(Matrix<const T> a, Matrix<const T> b, T* y, int64_t ldy, int64_t m, int64_t width,
                   int64_t depth) {
  alignas(64) T packed[kBlock * kPanel<T>];
  const bool narrow = width <= kLanes<T>;
  const int64_t full = narrow ? kLanes<T> : kPanel<T>;
  const bool in_place = b.stride.col == 1 && width == full && m <= 2 * kRows;
  const int64_t ldb = in_place ? b.stride.row : full;
  for (int64_t k = 0; k < depth; k += kBlock) {
    const int64_t block = depth - k < kBlock ? depth - k : kBlock;
    const Matrix<const T> rows = b.from(k, 0);
    if (!in_place) pack(rows, block, width, full, packed);
    const T* const panel = in_place ? rows.data : packed;
    for (int64_t i = 0; i < m; i += kRows)
      (narrow ? advance_rows<fused, 1, T> : advance_rows<fused, kVectors, T>)(m - i, a.from(i, k), panel, ldb,
                                                                              block, y + i * ldy, ldy, width,
                                                                              k == 0);
  }
}

// ---- Sixteen chains for an element, k modulo 16 each, and their sum: the order of the dot-like kernels that
// OpenBLAS has for small float32 products with AVX-512.
constexpr int kChains = 16, kChainVectors = kChains / kLanes<float>;

// Elements k … k+count of a row or column, zeros behind them.
GG_INLINE const float* next_chains(const float* x, int64_t stride, int64_t count, float (&buffer)[kChains]) {
  if (stride == 1 && count >= kChains) return x;
  for (int64_t i = 0; i < kChains; ++i) buffer[i] = i < count ? x[i * stride] : 0.0f;
  return buffer;
}

// Neighbours first, then blocks of four; in the corner halves first.
float sum_of_chains(const float (&x)[kChains], bool corner) {
  if (!corner) {
    float s[4];
    for (int i = 0; i < 4; ++i) s[i] = (x[4 * i] + x[4 * i + 1]) + (x[4 * i + 2] + x[4 * i + 3]);
    return (s[0] + s[1]) + (s[2] + s[3]);
  }
  float s[4];
  for (int i = 0; i < 4; ++i) s[i] = (x[i + 12] + x[i + 4]) + (x[i + 8] + x[i]);
  return (s[0] + s[2]) + (s[1] + s[3]);
}

// The columns of one row of y from `first` on.
void interleaved(const Matrix<const float>& a, const Matrix<const float>& b, float* y, int64_t row,
                 const Sizes& s, int64_t first) {
  float left[kChains], right[kChains], chains[kChains];
  for (int64_t j = first; j < s.n; ++j) {
    Vec<float> sum[kChainVectors] = {};
    for (int64_t k = 0; k < s.depth; k += kChains) {
      const float* x = next_chains(&a.at(row, k), a.stride.col, s.depth - k, left);
      const float* column = next_chains(&b.at(k, j), b.stride.row, s.depth - k, right);
      GG_UNROLL for (int v = 0; v < kChainVectors; ++v) {
        const int at = v * kLanes<float>;
        sum[v] = fma(load(x + at), load(column + at), sum[v]);
      }
    }
    for (int v = 0; v < kChainVectors; ++v) store(chains + v * kLanes<float>, sum[v]);
    y[row * s.n + j] = sum_of_chains(chains, row >= (s.m & ~int64_t(3)) && j >= (s.n & ~int64_t(3)));
  }
}

// From which column on OpenBLAS takes those kernels: all where b lies transposed in memory and the result is
// small, else what is left of the columns after blocks of 16, if that is at most 8.
int64_t first_interleaved(const Strides& a, const Strides& b, const Sizes& s) {
  const auto [batches, m, n, depth] = s;
  constexpr int64_t kLeastDepth = 32, kMostProducts = 1'000'000, kMostElements = 1200;
  if (depth < kLeastDepth || double(m) * double(n) * double(depth) > double(kMostProducts)) return n;
  const auto transposed = [](const Strides& x, int64_t rows, int64_t cols) {
    const bool plain = x.col == 1 && x.row >= cols;
    return !plain && x.row == 1 && x.col >= rows;
  };
  if (transposed(a, m, depth)) return n;
  if (transposed(b, depth, n)) return m * n <= kMostElements ? 0 : n;
  return n % 16 <= 8 ? n - n % 16 : n;
}

// ---- all products of a batch
template <class T>
struct Matrices {
  Matrix<const T> first;
  int64_t stride;

  explicit Matrices(const View& v) {
    const int rows = v.shape.n - 2;
    first = {v.as<const T>(), {v.strides[rows], v.strides[rows + 1]}};
    stride = rows ? v.strides[0] : 0;
  }
  Matrix<const T> operator[](int64_t batch) const { return {first.data + batch * stride, first.stride}; }
  Matrices transposed() const {
    Matrices t = *this;
    t.first.stride = {first.stride.col, first.stride.row};
    return t;
  }
};

// a/b, rounded up.
GG_INLINE int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The first n columns of the results, in panels cut into blocks of rows.
template <bool fused, class T>
void ordered_products(const Matrices<T>& a, const Matrices<T>& b, T* y, const Sizes& s, int64_t n) {
  constexpr int64_t kMostRows = 240;  // so many outweigh the packing of a panel
  const int64_t least_blocks = up(s.m, kMostRows), rows = up(s.m, least_blocks * kRows) * kRows;
  const int64_t blocks = up(s.m, rows), panels = up(n, kPanel<T>);
  parallel(s.batches * blocks * panels, piece_of(rows * s.depth), [&](int64_t at, int64_t end) {
    for (; at < end; ++at) {
      const int64_t batch = at / (blocks * panels), i = at / panels % blocks * rows,
                    j = at % panels * kPanel<T>;
      panel_product<fused>(a[batch].from(i, 0), b[batch].from(0, j), y + (batch * s.m + i) * s.n + j, s.n,
                           s.m - i < rows ? s.m - i : rows, n - j < kPanel<T> ? n - j : kPanel<T>, s.depth);
    }
  });
}

template <bool fused, class T>
void products(const View& a, const View& b, const View& y) {
  const int first = y.shape.n - 2;
  Sizes s{first ? y.shape[0] : 1, y.shape[first], y.shape[first + 1], a.shape[first + 1]};
  // A column becomes the row of the transposed product: so its elements share vectors.
  const bool column = s.n == 1;
  if (column) s = {s.batches, 1, s.m, s.depth};
  const Matrices<T> left = column ? Matrices<T>(b).transposed() : Matrices<T>(a);
  const Matrices<T> right = column ? Matrices<T>(a).transposed() : Matrices<T>(b);
  T* const out = y.as<T>();
  if (s.depth == 0) return void(__builtin_memset(out, 0, size_t(s.batches * s.m * s.n) * sizeof(T)));
  int64_t ordered = s.n;
  if constexpr (fused && std::is_same_v<T, float>) {
    ordered = first_interleaved(left.first.stride, right.first.stride, s);
    parallel(ordered < s.n ? s.batches * s.m : 0, piece_of((s.n - ordered) * s.depth / kLanes<T>),
             [&](int64_t at, int64_t end) {
               for (; at < end; ++at) {
                 const int64_t batch = at / s.m;
                 interleaved(left[batch], right[batch], out + batch * s.m * s.n, at % s.m, s, ordered);
               }
             });
  }
  ordered_products<fused>(left, right, out, s, ordered);
}

void matmul(const View& a, const View& b, const View& y, bool fused) {
  if (y.shape.numel() == 0) return;
  if (y.dtype == DType::Int64) return products<false, uint64_t>(a, b, y);  // wraps around
  floats(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    (fused ? products<true, T> : products<false, T>)(a, b, y);
  });
}

}  // namespace

void fill_matmul(Kernels& k) { k.matmul = matmul; }

}  // namespace glassgrad::GG_ISA
