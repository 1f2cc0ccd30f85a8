// Layer normalisation and its gradient in PyTorch's order: the moments of a row by Welford's method in the
// lanes of 32-byte vectors.
#include "kernels.h"
#include "parallel.h"
#include "rows.h"

namespace glassgrad::GG_ISA {
namespace {

// ---------------------------------------------------------------- mean and variance
// The mean and Σ (x − mean)² of n numbers; for vectors, of n numbers in each lane.
template <class V>
struct Moments {
  int64_t n;
  V mean, squares;
};

// Merges the moments a into b.
template <class T, class V>
GG_INLINE void merge(const Moments<V>& a, Moments<V>& b) {
  const int64_t n = a.n + b.n;
  if (n == 0) return;
  const T share = T(a.n) / T(n);
  const V distance = a.mean - b.mean;
  b.mean = fma(distance, V{} + share, b.mean);
  b.squares += fma(distance * distance * share, V{} + T(b.n), a.squares);
  b.n = n;
}

constexpr int64_t kChunk = 16;  // vectors
constexpr int kLevels = 48;
template <class T>  // 1/n
constexpr T kShares[kChunk] = {1,         T(1) / 2,  T(1) / 3,  T(1) / 4,  T(1) / 5,  T(1) / 6,
                               T(1) / 7,  T(1) / 8,  T(1) / 9,  T(1) / 10, T(1) / 11, T(1) / 12,
                               T(1) / 13, T(1) / 14, T(1) / 15, T(1) / 16};

template <class T>
GG_INLINE Moments<Vec<T>> moments_of_chunk(const T* x, int64_t vectors) {
  Moments<Vec<T>> m{vectors, {}, {}};
  for (int64_t j = 0; j < vectors; ++j) {
    const Vec<T> v = load(x + j * kLanes<T>), distance = v - m.mean;
    m.mean = fma(distance, Vec<T>{} + kShares<T>[j], m.mean);
    m.squares = fma(distance, v - m.mean, m.squares);
  }
  return m;
}

// Merges chunks as a binary counter carries its digits, so that rounding errors grow only with the logarithm
// of n.
template <class T>
GG_INLINE Moments<Vec<T>> moments_of_vectors(const T* x, int64_t vectors) {
  const int64_t chunks = (vectors + kChunk - 1) / kChunk;
  const int depth = chunks <= 2 ? 1 : 64 - __builtin_clzll(uint64_t(chunks - 1));
  Moments<Vec<T>> level[kLevels];  // 5 KB; a row of some hundred numbers uses a few cache lines of it
  for (int j = 0; j < depth; ++j) level[j] = Moments<Vec<T>>{};
  for (int64_t i = 0; i < chunks; ++i) {
    const int64_t left = vectors - i * kChunk;
    merge<T>(moments_of_chunk(x + i * kChunk * kLanes<T>, left < kChunk ? left : kChunk), level[0]);
    for (int j = 1; j < depth && !((i + 1) >> (j - 1) & 1); ++j) {
      merge<T>(level[j - 1], level[j]);
      level[j - 1] = Moments<Vec<T>>{};
    }
  }
  for (int j = 1; j < depth; ++j) merge<T>(level[j], level[0]);
  return level[0];
}

// Computes the moments of as many adjacent rows as V has lanes; the merges, one after the other in a row, run
// in all rows at once. The variance is the population's, Σ (x − mean)²/n.
template <class V, class T>
GG_INLINE void moments_of_rows(const T* x, int64_t n, V& mean, V& variance) {
  constexpr int rows = sizeof(V) / sizeof(T), lanes = kLanes<T>;
  const int64_t vectors = n / lanes;
  T means[lanes][rows], squares[lanes][rows];
  for (int row = 0; row < rows; ++row) {
    const Moments<Vec<T>> m = moments_of_vectors(x + row * n, vectors);
    for (int lane = 0; lane < lanes; ++lane)
      means[lane][row] = m.mean[lane], squares[lane][row] = m.squares[lane];
  }
  Moments<V> all{};
  for (int64_t i = vectors * lanes; i < n; ++i) {
    T column[rows];
    for (int row = 0; row < rows; ++row) column[row] = x[row * n + i];
    const V v = get(V{}, column), distance = v - all.mean;
    all.mean += distance / T(++all.n);
    all.squares += distance * (v - all.mean);
  }
  for (int lane = 0; lane < lanes; ++lane)
    merge<T>(Moments<V>{vectors, get(V{}, means[lane]), get(V{}, squares[lane])}, all);
  mean = all.mean;
  variance = all.squares / T(n);
}

// ---------------------------------------------------------------- forward
// Returns number i of an optional row, or `none` if there is no row.
template <class T, class V>
GG_INLINE V number_of(const T* row, int64_t i, const V& none) {
  return row ? get(none, row + i) : none;
}

template <class T>
GG_INLINE T root(T x) {
  return sizeof(T) == sizeof(float) ? T(__builtin_sqrtf(float(x))) : T(__builtin_sqrt(double(x)));
}

// The approximate cost of one element of a row, in numbers read.
constexpr int64_t kNormSteps = 4;

template <class T>
GG_INLINE void layer_norm_row(const T* x, T mean, T variance, const T* weight, const T* bias, double eps,
                              T* y, T* moments, int64_t n) {
  const T scale = 1 / root(variance + T(eps));
  for_each<T>(n, [&](const auto& none, int64_t i) {
    const auto b = number_of(bias, i, none), distance = get(none, x + i) - mean;
    put(y + i,
        weight ? fma(distance * scale, number_of(weight, i, none), b) : fma(distance, none + scale, b));
  });
  moments[0] = mean;
  moments[1] = scale;
}

void layer_norm(const View& x, const View& weight, const View& bias, double eps, const View& y,
                const View& moments) {
  const int64_t rows = x.shape[0], n = x.shape[1];
  floats(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    parallel(rows, piece_of(n * kNormSteps), [&](int64_t row, int64_t end) {
      const auto next_rows = [&](const auto& none) {
        auto mean = none, variance = none;
        moments_of_rows(x.as<const T>() + row * n, n, mean, variance);
        T means[kLanes<T>], variances[kLanes<T>];
        put(means, mean), put(variances, variance);
        for (size_t i = 0; i < sizeof none / sizeof(T); ++i, ++row)
          layer_norm_row(x.as<const T>() + row * n, means[i], variances[i], weight.as<const T>(),
                         bias.as<const T>(), eps, y.as<T>() + row * n, moments.as<T>() + 2 * row, n);
      };
      while (row + kLanes<T> <= end) next_rows(Vec<T>{});
      while (row < end) next_rows(T{});
    });
  });
}

// ---------------------------------------------------------------- backward
template <class T>
void layer_norm_grad_row(const T* g, const T* x, const T* weight, T mean, T scale, T* dx, int64_t n) {
  const T projected = total<T>(n, [&](auto& sum, int64_t i) {  // Σ g ⊙ x ⊙ weight
    const auto product = get(sum, g + i) * get(sum, x + i);
    sum += weight ? product * number_of(weight, i, sum) : product;
  });
  const T passed = total<T>(n, [&](auto& sum, int64_t i) {  // Σ g ⊙ weight
    const auto grad = get(sum, g + i);
    sum += weight ? grad * number_of(weight, i, sum) : grad;
  });
  const T share = T(1) / T(n);
  const T slope = fma(passed, mean, -projected) * scale * scale * scale * share;
  const T offset = fma(-slope, mean, -(passed * scale * share));
  for_each<T>(n, [&](const auto& none, int64_t i) {
    const auto own = (none + scale) * get(none, g + i);
    const auto weighted = weight ? own * number_of(weight, i, none) : own;
    put(dx + i, fma(none + slope, get(none, x + i), weighted) + offset);
  });
}

// Adds the columns first … last−1 of the gradients of weight and bias, row after row.
template <class T>
void add_columns(const T* g, const T* x, const T* moments, T* dweight, T* dbias, int64_t rows, int64_t n,
                 int64_t first, int64_t last) {
  for (int64_t row = 0; row < rows; ++row, g += n, x += n, moments += 2) {
    const T mean = moments[0], scale = moments[1];
    for_each<T>(last - first, [&](const auto& none, int64_t at) {
      const int64_t i = first + at;
      const auto own = get(none, g + i);
      const auto normal = fma(none + scale, get(none, x + i), none - scale * mean);
      if (dweight) put(dweight + i, fma(own, normal, number_of(dweight, i, none)));
      if (dbias) put(dbias + i, number_of(dbias, i, none) + own);
    });
  }
}

void layer_norm_grad(const View& g, const View& x, const View& moments, const View& weight, const View& dx,
                     const View& dweight, const View& dbias) {
  const int64_t rows = x.shape[0], n = x.shape[1];
  floats(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T *const grad = g.as<const T>(), *const in = x.as<const T>(), *const m = moments.as<const T>();
    parallel(dx.data ? rows : 0, piece_of(n * kNormSteps), [&](int64_t row, int64_t end) {
      for (; row < end; ++row)
        layer_norm_grad_row(grad + row * n, in + row * n, weight.as<const T>(), m[2 * row], m[2 * row + 1],
                            dx.as<T>() + row * n, n);
    });
    constexpr int64_t kColumns = 64;  // whole cache lines
    parallel(dweight.data || dbias.data ? n : 0, (piece_of(rows) + kColumns - 1) / kColumns * kColumns,
             [&](int64_t first, int64_t last) {
               add_columns(grad, in, m, dweight.as<T>(), dbias.as<T>(), rows, n, first, last);
             });
  });
}

}  // namespace

void fill_norm(Kernels& k) {
  k.layer_norm = layer_norm;
  k.layer_norm_grad = layer_norm_grad;
}

}  // namespace glassgrad::GG_ISA
