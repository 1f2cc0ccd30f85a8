// The matrix product. Each element is one chain over k, or sixteen in some small products, so neither the
// blocking nor the instruction set changes its bits: each block of k continues the chains that the previous
// block left in y.
#include <type_traits>

#include "kernels.h"
#include "parallel.h"
#include "products.h"

namespace glassgrad::GG_ISA {
namespace {

// ---- Sixteen chains per element, one for each k modulo 16, and their sum: the order of the dot-like kernels
// that OpenBLAS has for small float32 products with AVX-512.
constexpr int kChains = 16, kChainVectors = kChains / kLanes<float>;

// Returns the next 16 elements of a row or column of which `count` are left; the missing ones are zeros.
GG_INLINE const float* next_chains(const float* x, int64_t stride, int64_t count, float (&buffer)[kChains]) {
  if (stride == 1 && count >= kChains) return x;
  for (int64_t i = 0; i < kChains; ++i) buffer[i] = i < count ? x[i * stride] : 0.0f;
  return buffer;
}

// Adds the chains: neighbours first, then blocks of four; in the corner, halves first.
float sum_of_chains(const float (&x)[kChains], bool corner) {
  float s[4];
  for (int i = 0; i < 4; ++i)
    s[i] = corner ? (x[i + 12] + x[i + 4]) + (x[i + 8] + x[i])
                  : (x[4 * i] + x[4 * i + 1]) + (x[4 * i + 2] + x[4 * i + 3]);
  return corner ? (s[0] + s[2]) + (s[1] + s[3]) : (s[0] + s[1]) + (s[2] + s[3]);
}

// Computes the columns of one row of y from `first` on.
void interleaved(const Matrix<const float>& a, const Matrix<const float>& b, float* y, int64_t row,
                 const Sizes& s, int64_t first, const float* bias) {
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
    const float product = sum_of_chains(chains, row >= (s.m & ~int64_t(3)) && j >= (s.n & ~int64_t(3)));
    y[row * s.n + j] = bias ? product + bias[j] : product;
  }
}

// Returns the first column that OpenBLAS computes with those kernels: 0 if b is transposed in memory and the
// result is small; else the first after whole blocks of 16, if at most 8 columns are left.
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

template <MultiplyAdd kind, class T>
void products(const View& a, const View& b, const View& y, bool one_chain, const Epilogue& end) {
  const int first = y.shape.n - 2;
  Sizes s{first ? y.shape[0] : 1, y.shape[first], y.shape[first + 1], a.shape[first + 1]};
  // Computes a single column as a row of the transposed product, so that its elements share vectors.
  const bool column = s.n == 1;
  if (column) s = {s.batches, 1, s.m, s.depth};
  const MatrixBatch<T> left = column ? MatrixBatch<T>(b).transposed() : MatrixBatch<T>(a);
  const MatrixBatch<T> right = column ? MatrixBatch<T>(a).transposed() : MatrixBatch<T>(b);
  T* const out = y.as<T>();
  if (s.depth == 0) return void(__builtin_memset(out, 0, size_t(s.batches * s.m * s.n) * sizeof(T)));
  int64_t ordered = s.n;
  if constexpr (kind == MultiplyAdd::Fused && std::is_same_v<T, float>) {
    if (!one_chain) ordered = first_interleaved(left.first.stride, right.first.stride, s);
    parallel(ordered < s.n ? s.batches * s.m : 0, piece_of((s.n - ordered) * s.depth / kLanes<T>),
             [&](int64_t at, int64_t last) {
               for (; at < last; ++at) {
                 const int64_t batch = at / s.m;
                 interleaved(left[batch], right[batch], out + batch * s.m * s.n, at % s.m, s, ordered,
                             static_cast<const T*>(end.bias));
                 if (end.finished) end.finished(end.self, batch, at % s.m, 1, ordered, s.n - ordered);
               }
             });
  }
  ordered_products<kind>(left, right, out, s, ordered, end);
}

void matmul(const View& a, const View& b, const View& y, MatmulArithmetic arithmetic, const Epilogue& end) {
  if (y.shape.numel() == 0) return;
  if (y.dtype == DType::int64)
    return products<MultiplyAdd::Rounded, uint64_t>(a, b, y, false, end);  // wraps around
  floats(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    (arithmetic == MatmulArithmetic::Rounded
         ? products<MultiplyAdd::Rounded, T>
         : products<MultiplyAdd::Fused, T>)(a, b, y, arithmetic == MatmulArithmetic::SequentialFma, end);
  });
}

}  // namespace

void fill_matmul(Kernels& k) { k.matmul = matmul; }

}  // namespace glassgrad::GG_ISA
