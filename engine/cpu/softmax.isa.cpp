// Softmax and its gradient in PyTorch's order: over the last dimension as in softmax_row.h, over others
// element by element and with a division.
#include "kernels.h"
#include "parallel.h"
#include "softmax_row.h"

namespace glassgrad::GG_ISA {
namespace {

// ---------------------------------------------------------------- over the last dimension: rows
template <class T>
void softmax_row(const T* x, T* y, int64_t n, bool logarithm) {
  const T top = max_of(x, n), sum = exps_of(x, y, n, top);
  if (!logarithm) return multiply_row(y, n, 1 / sum);
  const T log_sum = log(sum);
  for_each_of_row(x, y, n, [&](auto& v) { v = (v - top) - log_sum; });
}

template <class T>
void softmax_grad_row(const T* g, const T* y, T* dx, int64_t n, bool logarithm) {
  if (!logarithm)
    for (int64_t i = 0; i < n; ++i) dx[i] = g[i] * y[i];
  const T sum = total(logarithm ? g : dx, n);
  for_each<T>(n, [&](const auto& zero, int64_t i) {
    const auto grad = get(zero, g + i), out = get(zero, y + i);
    put(dx + i, logarithm ? fma(-exp(out), zero + sum, grad) : (grad - sum) * out);
  });
}

// ---------------------------------------------------------------- over another dimension: vectors of columns
// Like PyTorch, uses the C library's exponential for columns that do not fill a vector.
template <class V>
GG_INLINE V column_exp(const V& x) {
  if constexpr (sizeof(V) == sizeof(float)) return __builtin_expf(x);
  if constexpr (sizeof(V) == sizeof(double)) return __builtin_exp(x);
  return exp(x);
}

template <class T>
void softmax_columns(const T* x, T* y, int64_t n, int64_t stride, bool logarithm) {
  for_each<T>(stride, [&](const auto& zero, int64_t j) {
    auto top = get(zero, x + j), sum = zero;
    for (int64_t i = 1; i < n; ++i) top = larger(top, get(zero, x + i * stride + j));
    for (int64_t i = 0; i < n; ++i) {
      const auto v = column_exp(get(zero, x + i * stride + j) - top);
      sum = i ? sum + v : v;
      put(y + i * stride + j, v);
    }
    const auto log_sum = log(sum);
    for (int64_t i = 0; i < n; ++i) {
      const auto v = get(zero, (logarithm ? x : y) + i * stride + j);
      put(y + i * stride + j, logarithm ? (v - top) - log_sum : v / sum);
    }
  });
}

template <class T>
void softmax_grad_columns(const T* g, const T* y, T* dx, int64_t n, int64_t stride, bool logarithm) {
  for_each<T>(stride, [&](const auto& zero, int64_t j) {
    auto sum = zero;
    for (int64_t i = 0; i < n; ++i) {
      const auto grad = get(zero, g + i * stride + j), out = get(zero, y + i * stride + j);
      sum = logarithm ? sum + grad : fma(grad, out, sum);
    }
    for (int64_t i = 0; i < n; ++i) {
      const auto grad = get(zero, g + i * stride + j), out = get(zero, y + i * stride + j);
      put(dx + i * stride + j, logarithm ? fma(-column_exp(out), sum, grad) : (grad - sum) * out);
    }
  });
}

// The approximate cost of one element of a softmax, in numbers read.
constexpr int64_t kSoftmaxSteps = 4;

// Calls f(T{}, s, at) for parts of y that consist of whole lines along dim; `at` is the index of the part's
// first element.
template <class F>
void for_lines(const View& y, int dim, F f) {
  const DimSplit s(y.shape, dim);
  if (s.numel() == 0) return;
  floats(y.dtype, [&](auto zero) {
    const int64_t size = s.n * s.inner;
    parallel(s.outer, piece_of(size * kSoftmaxSteps), [&](int64_t part, int64_t end) {
      for (; part < end; ++part) f(zero, s, part * size);
    });
  });
}

void softmax(const View& x, const View& y, int dim, bool logarithm) {
  for_lines(y, dim, [&](auto zero, const DimSplit& s, int64_t at) {
    using T = decltype(zero);
    const T* const in = x.as<const T>() + at;
    T* const out = y.as<T>() + at;
    dim == y.shape.n - 1 ? softmax_row(in, out, s.n, logarithm)
                         : softmax_columns(in, out, s.n, s.inner, logarithm);
  });
}

void softmax_grad(const View& g, const View& y, const View& dx, int dim, bool logarithm) {
  for_lines(y, dim, [&](auto zero, const DimSplit& s, int64_t at) {
    using T = decltype(zero);
    const T *const grad = g.as<const T>() + at, *const out = y.as<const T>() + at;
    T* const in = dx.as<T>() + at;
    dim == y.shape.n - 1 ? softmax_grad_row(grad, out, in, s.n, logarithm)
                         : softmax_grad_columns(grad, out, in, s.n, s.inner, logarithm);
  });
}

// ---------------------------------------------------------------- one element of each row's log-softmax
void log_sums(const View& x, const View& sums) {
  for_lines(x, 1, [&](auto none, const DimSplit& s, int64_t at) {
    using T = decltype(none);
    const T* const row = x.as<const T>() + at;
    const T top = max_of(row, s.n);
    const T sum = total_of<T>(s.n, [=](auto& v, int64_t j) { v = exp(get(v, row + j) - top); });
    T* const kept = sums.as<T>() + at / s.n;
    kept[0] = top, kept[s.outer] = log(sum);
  });
}

void log_softmax_grad_at(const View& g, const View& x, const View& sums, const View& target, const View& dx) {
  for_lines(x, 1, [&](auto none, const DimSplit& s, int64_t first) {
    using T = decltype(none);
    const int64_t i = first / s.n, at = target.as<const int64_t>()[i];
    const T top = sums.as<const T>()[i], log_sum = sums.as<const T>()[s.outer + i], grad = g.as<const T>()[i];
    const T* const row = x.as<const T>() + first;
    const T own = at >= 0 && at < s.n ? row[at] : T(0);
    T* const out = dx.as<T>() + first;
    for_each_wide<T>(s.n, [&](const auto& zero, int64_t j) {
      put(out + j, fma(-exp((get(zero, row + j) - top) - log_sum), zero + grad, zero));
    });
    if (at >= 0 && at < s.n) out[at] = fma(-exp((own - top) - log_sum), grad, grad);
  });
}

}  // namespace

void fill_softmax(Kernels& k) {
  k.softmax = softmax;
  k.softmax_grad = softmax_grad;
  k.log_sums = log_sums;
  k.log_softmax_grad_at = log_softmax_grad_at;
}

}  // namespace glassgrad::GG_ISA
