// The matrix product. Each element is one chain over k, or in some small products sixteen, so its bits depend
// on neither the blocking nor the instruction set: what a block of k leaves in y, the next block takes up.
#include <type_traits>

#include "kernels.h"
#include "vecmath.h"

namespace glassgrad::GG_ISA {
namespace {

// A tile of the result, kRows by kPanel elements, fits the 16 registers of AVX2 with its operands.
constexpr int kRows = 6, kVectors = 2;
constexpr int64_t kBlock = 256;  // a panel of so many rows of b leaves room in a 32 KB cache
template <class T>
constexpr int kPanel = kVectors* kLanes<T>;

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
  T edge[rows][full] = {};
  if (!first)
    for (int i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < width; ++j) edge[i][j] = y[i * ldy + j];
      for (int v = 0; v < vectors; ++v) sum[i][v] = load(edge[i] + v * lanes);
    }
  tile<fused, rows, vectors>(a, b, ldb, depth, sum);
  if (width == full) {
    for (int i = 0; i < rows; ++i)
      for (int v = 0; v < vectors; ++v) store(y + i * ldy + v * lanes, sum[i][v]);
    return;
  }
  for (int i = 0; i < rows; ++i) {
    for (int v = 0; v < vectors; ++v) store(edge[i] + v * lanes, sum[i][v]);
    for (int64_t j = 0; j < width; ++j) y[i * ldy + j] = edge[i][j];
  }
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

// The columns j … j+width of b as a dense panel, filled up with zeros.
template <class T>
void pack(const Matrix<const T>& b, int64_t depth, int64_t width, int64_t full, T* panel) {
  for (int64_t k = 0; k < depth; ++k, panel += full) {
    if (b.stride.col == 1 && width == full)
      __builtin_memcpy(panel, &b.at(k, 0), size_t(full) * sizeof(T));
    else
      for (int64_t j = 0; j < full; ++j) panel[j] = j < width ? b.at(k, j) : T(0);
  }
}

template <bool fused, class T>
void product(Matrix<const T> a, Matrix<const T> b, T* y, int64_t m, int64_t n, int64_t depth) {
  alignas(64) T packed[kBlock * kPanel<T>];
  for (int64_t k = 0; k < depth; k += kBlock) {
    const int64_t block = depth - k < kBlock ? depth - k : kBlock;
    for (int64_t j = 0; j < n; j += kPanel<T>) {
      const int64_t width = n - j < kPanel<T> ? n - j : kPanel<T>;
      const bool narrow = width <= kLanes<T>;
      const int64_t full = narrow ? kLanes<T> : kPanel<T>;
      const Matrix<const T> columns = b.from(k, j);
      const T* panel = columns.data;
      int64_t ldb = columns.stride.row;
      const bool in_place = columns.stride.col == 1 && width == full && m <= 2 * kRows;
      if (!in_place) {
        pack(columns, block, width, full, packed);
        panel = packed;
        ldb = full;
      }
      for (int64_t i = 0; i < m; i += kRows)
        (narrow ? advance_rows<fused, 1, T> : advance_rows<fused, kVectors, T>)(m - i, a.from(i, k), panel,
                                                                                ldb, block, y + i * n + j, n,
                                                                                width, k == 0);
    }
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

// The columns from `first` on.
void interleaved(const Matrix<const float>& a, const Matrix<const float>& b, float* y, int64_t m, int64_t n,
                 int64_t depth, int64_t first) {
  float left[kChains], right[kChains], chains[kChains];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = first; j < n; ++j) {
      Vec<float> sum[kChainVectors] = {};
      for (int64_t k = 0; k < depth; k += kChains) {
        const float* row = next_chains(&a.at(i, k), a.stride.col, depth - k, left);
        const float* column = next_chains(&b.at(k, j), b.stride.row, depth - k, right);
        GG_UNROLL for (int v = 0; v < kChainVectors; ++v) {
          const int at = v * kLanes<float>;
          sum[v] = fma(load(row + at), load(column + at), sum[v]);
        }
      }
      for (int v = 0; v < kChainVectors; ++v) store(chains + v * kLanes<float>, sum[v]);
      y[i * n + j] = sum_of_chains(chains, i >= (m & ~int64_t(3)) && j >= (n & ~int64_t(3)));
    }
}

// From which column on OpenBLAS takes those kernels: all where b lies transposed in memory and the result is
// small, else what is left of the columns after blocks of 16, if that is at most 8.
int64_t first_interleaved(const Matrix<const float>& a, const Matrix<const float>& b, int64_t m, int64_t n,
                          int64_t depth) {
  constexpr int64_t kLeastDepth = 32, kMostProducts = 1'000'000, kMostElements = 1200;
  if (depth < kLeastDepth || double(m) * double(n) * double(depth) > double(kMostProducts)) return n;
  const auto transposed = [](const Strides& s, int64_t rows, int64_t cols) {
    const bool plain = s.col == 1 && s.row >= cols;
    return !plain && s.row == 1 && s.col >= rows;
  };
  if (transposed(a.stride, m, depth)) return n;
  if (transposed(b.stride, depth, n)) return m * n <= kMostElements ? 0 : n;
  return n % 16 <= 8 ? n - n % 16 : n;
}

template <class T>
Matrix<const T> matrix(const View& v, int64_t batch) {
  const int first = v.shape.n - 2;
  const T* data = v.as<const T>() + (first ? batch * v.strides[0] : 0);
  return {data, {v.strides[first], v.strides[first + 1]}};
}

template <bool fused, class T>
void ordered_product(const Matrix<const T>& a, const Matrix<const T>& b, T* y, int64_t m, int64_t n,
                     int64_t depth) {
  if constexpr (fused && std::is_same_v<T, float>) {
    const int64_t first = first_interleaved(a, b, m, n, depth);
    if (first > 0) product<fused>(a, b, y, m, n, depth);
    if (first < n) interleaved(a, b, y, m, n, depth, first);
  } else {
    product<fused>(a, b, y, m, n, depth);
  }
}

template <bool fused, class T>
void products(const View& a, const View& b, const View& y) {
  const int first = y.shape.n - 2;
  const int64_t batches = first ? y.shape[0] : 1;
  const int64_t m = y.shape[first], n = y.shape[first + 1], depth = a.shape[first + 1];
  T* out = y.as<T>();
  if (depth == 0) return void(__builtin_memset(out, 0, size_t(batches * m * n) * sizeof(T)));
  for (int64_t i = 0; i < batches; ++i, out += m * n) {
    const Matrix<const T> left = matrix<T>(a, i), right = matrix<T>(b, i);
    if (n > 1) {
      ordered_product<fused>(left, right, out, m, n, depth);
    } else {  // a column: as the row of the transposed product its elements share vectors
      ordered_product<fused, T>({right.data, {right.stride.col, right.stride.row}},
                                {left.data, {left.stride.col, left.stride.row}}, out, 1, m, depth);
    }
  }
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
