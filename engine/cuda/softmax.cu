// Softmax, its logarithm and their gradients on a GPU: a row in a warp's registers or, if it is long, in a
// block's shared memory; over other dimensions, columns.
#include "../numbers/numbers.h"
#include "kernels.h"
#include "mma.h"
#include "packs.h"

namespace glassgrad::cuda {
namespace {

using namespace GG_ISA;

template <class T>
constexpr T kLowest = T(-__builtin_inf());

// ---------------------------------------------------------------- rows in warps
template <class T, int width, int packs>
__global__ void softmax_in_warps(const T* x, T* y, int64_t rows, int n, bool logarithm) {
  for (int64_t row = first_of_thread() / 32; row < rows; row += threads_of_grid() / 32) {
    WarpRow<T, width, packs> v;
    load_row<T, width, packs>(v, x + row * n, n, kLowest<T>);
    T top = v[0][0], sum = 0;
    each_in_lane<width, packs>([&](int k, int j, int) { top = Max()(top, v[k][j]); });
    top = over_warp(top, Max());
    each_in_lane<width, packs>([&](int k, int j, int) {
      const T distance = v[k][j] - top, e = exp(distance);
      sum += e;
      v[k][j] = logarithm ? distance : e;
    });
    sum = over_warp(sum, Sum());
    const T log_sum = log(sum), scale = 1 / sum;
    each_in_lane<width, packs>(
        [&](int k, int j, int) { v[k][j] = logarithm ? v[k][j] - log_sum : v[k][j] * scale; });
    store_row<T, width, packs>(v, y + row * n, n);
  }
}

template <class T, int width, int packs>
__global__ void softmax_grad_in_warps(const T* g, const T* y, T* dx, int64_t rows, int n, bool logarithm) {
  for (int64_t row = first_of_thread() / 32; row < rows; row += threads_of_grid() / 32) {
    WarpRow<T, width, packs> grad, out;
    load_row<T, width, packs>(grad, g + row * n, n, T(0));
    load_row<T, width, packs>(out, y + row * n, n, T(0));
    T sum = 0;
    each_in_lane<width, packs>(
        [&](int k, int j, int) { sum = logarithm ? sum + grad[k][j] : fma(grad[k][j], out[k][j], sum); });
    sum = over_warp(sum, Sum());
    each_in_lane<width, packs>([&](int k, int j, int) {
      grad[k][j] = logarithm ? fma(-exp(out[k][j]), sum, grad[k][j]) : (grad[k][j] - sum) * out[k][j];
    });
    store_row<T, width, packs>(grad, dx + row * n, n);
  }
}

template <class T, int width, int packs>
struct SoftmaxRows {
  static void run(const T* x, T* y, int64_t rows, int64_t n, bool logarithm) {
    launch("softmax", softmax_in_warps<T, width, packs>, grid_of_rows(rows), x, y, rows, int(n), logarithm);
  }
};
template <class T, int width, int packs>
struct SoftmaxGradRows {
  static void run(const T* g, const T* y, T* dx, int64_t rows, int64_t n, bool logarithm) {
    launch("softmax_grad", softmax_grad_in_warps<T, width, packs>, grid_of_rows(rows), g, y, dx, rows, int(n),
           logarithm);
  }
};

// ---------------------------------------------------------------- rows in blocks
template <class T, int width>
__global__ void softmax_in_blocks(const T* x, T* y, int64_t rows, int64_t n, bool logarithm, bool kept) {
  GG_DYNAMIC_SHARED(T, shared);
  using Pack = Packed<T, width>;
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const T* in = x + row * n;
    T* const out = y + row * n;
    T top = kLowest<T>, sum = 0;
    each_pack<width>(in, n, [&](const Pack& p, int64_t i) {
      if (kept) put_shared_pack<width>(shared, i, p);
      for (const T v : p.v) top = Max()(top, v);
    });
    top = over_block(top, kLowest<T>, Max());
    if (kept) in = shared;  // each thread reads only numbers that it wrote itself
    each_pack<width>(in, n, [&](const Pack& p, int64_t) {
      for (const T v : p.v) sum += exp(v - top);
    });
    sum = over_block(sum, T(0), Sum());
    const T log_sum = log(sum), scale = 1 / sum;
    each_pack<width>(in, n, [&](Pack p, int64_t i) {
      for (T& v : p.v) v = logarithm ? (v - top) - log_sum : exp(v - top) * scale;
      put_pack<width>(out, i, p);
    });
  }
}

template <class T, int width>
__global__ void softmax_grad_in_blocks(const T* g, const T* y, T* dx, int64_t rows, int64_t n,
                                       bool logarithm) {
  using Pack = Packed<T, width>;
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const T *const grads = g + row * n, *const outs = y + row * n;
    T sum = 0;
    each_pack<width>(grads, outs, n, [&](const Pack& grad, const Pack& out, int64_t) {
      for (int j = 0; j < width; ++j) sum = logarithm ? sum + grad.v[j] : fma(grad.v[j], out.v[j], sum);
    });
    sum = over_block(sum, T(0), Sum());
    each_pack<width>(grads, outs, n, [&](Pack grad, const Pack& out, int64_t i) {
      for (int j = 0; j < width; ++j)
        grad.v[j] = logarithm ? fma(-exp(out.v[j]), sum, grad.v[j]) : (grad.v[j] - sum) * out.v[j];
      put_pack<width>(dx + row * n, i, grad);
    });
  }
}

// ---------------------------------------------------------------- columns
// Calls f(first, last) for each column. The thread's elements of the column are at first, first + step, …
// before last.
template <class F>
__device__ void each_column(const DimSplit& s, unsigned columns, F f) {
  const int64_t all = s.outer * s.inner;
  for (int64_t block = blockIdx.x; block * columns < all; block += gridDim.x) {
    const int64_t column = block * columns + threadIdx.x % columns;
    const int64_t first = column / s.inner * s.n * s.inner + column % s.inner, size = s.n * s.inner;
    f(first + threadIdx.x / columns * s.inner, column < all ? first + size : 0);
  }
}

template <class T>
__global__ void softmax_in_columns(const T* x, T* y, DimSplit s, unsigned columns, bool logarithm) {
  const int64_t step = blockDim.x / columns * s.inner;
  each_column(s, columns, [&](int64_t first, int64_t last) {
    T top = kLowest<T>, sum = 0;
    const auto load = [&](int64_t i) { return x[i]; };
    read_ahead(first, last, step, load, [&](T v, int64_t) { top = Max()(top, v); });
    top = over_column(top, Max(), columns);
    read_ahead(first, last, step, load, [&](T v, int64_t) { sum += exp(v - top); });
    sum = over_column(sum, Sum(), columns);
    const T log_sum = log(sum);
    read_ahead(first, last, step, load,
               [&](T v, int64_t i) { y[i] = logarithm ? (v - top) - log_sum : exp(v - top) / sum; });
  });
}

template <class T>
__global__ void softmax_grad_in_columns(const T* g, const T* y, T* dx, DimSplit s, unsigned columns,
                                        bool logarithm) {
  struct Two {
    T grad, out;
  };
  const int64_t step = blockDim.x / columns * s.inner;
  each_column(s, columns, [&](int64_t first, int64_t last) {
    T sum = 0;
    const auto load = [&](int64_t i) { return Two{g[i], y[i]}; };
    read_ahead(first, last, step, load,
               [&](const Two& v, int64_t) { sum = logarithm ? sum + v.grad : fma(v.grad, v.out, sum); });
    sum = over_column(sum, Sum(), columns);
    read_ahead(first, last, step, load, [&](const Two& v, int64_t i) {
      dx[i] = logarithm ? fma(-exp(v.out), sum, v.grad) : (v.grad - sum) * v.out;
    });
  });
}

// One thread takes a whole column if there are enough columns to fill the GPU, or if they are short.
unsigned columns_of(const DimSplit& s) {
  const bool enough = s.outer * s.inner >= int64_t(multiprocessors()) * 1024;
  return enough || s.n <= 16 ? kColumnThreads : 32;
}
Grid grid_of_columns(const DimSplit& s, unsigned columns) {
  return {blocks_for((s.outer * s.inner + columns - 1) / columns), kColumnThreads};
}

// ---------------------------------------------------------------- the logarithm at one element of each row
// Rows have n numbers of type X, `step` apart in memory; T is the type to compute in.
// Returns e^d; for rows of halves, only as accurate as halves need.
template <class X>
__device__ Computed<X> exp_of(Computed<X> d) {
  if constexpr (sizeof(X) == 2) return quick_exp2(d * 1.4426950408889634f);
  return exp(d);
}

template <class X, int width>
__global__ void log_sums_in_blocks(const X* x, Computed<X>* sums, int64_t rows, int64_t n, int64_t step) {
  using T = Computed<X>;
  using Pack = Packed<X, width>;
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    // Each thread keeps a running maximum and sum, so that the row is read once.
    T top = kLowest<T>, sum = 0;
    const auto add = [&](const T* v, int count) {
      T higher = top;
      for (int j = 0; j < count; ++j) higher = Max()(higher, v[j]);
      if (higher != top) sum = top == kLowest<T> ? T(0) : sum * exp_of<X>(top - higher);
      top = higher;
      for (int j = 0; j < count; ++j) sum += top == kLowest<T> ? T(0) : exp_of<X>(v[j] - top);
    };
    each_pack<width>(x + row * step, n, [&](const Pack& p, int64_t) {
      T v[width];
      GG_UNROLL_ALL for (int j = 0; j < width; ++j) v[j] = T(p.v[j]);
      add(v, width);
    });
    if (const int64_t rest = n - n % width + threadIdx.x; rest < n) {
      const T v = T(x[row * step + rest]);
      add(&v, 1);
    }
    const T all = over_block(top, kLowest<T>, Max());
    sum = over_block(top == kLowest<T> ? T(0) : sum * exp_of<X>(top - all), T(0), Sum());
    if (threadIdx.x == 0) sums[row] = all, sums[rows + row] = log(sum);
  }
}

template <class X, int width>
__global__ void log_softmax_grad_at_in_blocks(const Computed<X>* g, const X* x, const Computed<X>* sums,
                                              const int64_t* target, X* dx, int64_t rows, int64_t n,
                                              int64_t step, int64_t step_dx) {
  using T = Computed<X>;
  using Pack = Packed<X, width>;
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const T grad = g[row], top = sums[row], log_sum = sums[rows + row];
    const int64_t at = target[row];
    const auto gradient = [&](X number, int64_t i) {
      return X(fma(-exp_of<X>((T(number) - top) - log_sum), grad, i == at ? grad : T(0)));
    };
    each_pack<width>(x + row * step, n, [&](Pack p, int64_t i) {
      for (int j = 0; j < width; ++j) p.v[j] = gradient(p.v[j], i + j);
      put_pack<width>(dx + row * step_dx, i, p);
    });
    if (const int64_t rest = n - n % width + threadIdx.x; rest < n)
      dx[row * step_dx + rest] = gradient(x[row * step + rest], rest);
  }
}

template <class X>
void log_softmax_at_of(const X* x, const Computed<X>* sums, const int64_t* target, int64_t rows, int64_t n,
                       int64_t step, Computed<X>* y) {
  using T = Computed<X>;
  each("log_softmax_at", rows, [=] __device__(int64_t i) {
    const bool is_class = target[i] >= 0 && target[i] < n;
    y[i] = is_class ? (T(x[i * step + target[i]]) - sums[i]) - sums[rows + i] : T(0);
  });
}

// ---------------------------------------------------------------- the ops
// True if packs of rows that are `step` apart begin at multiples of 16 bytes. The rest of a row is read
// number by number.
template <class X, class... P>
bool rows_in_packs(int64_t step, const P*... data) {
  return step % kInPack<X> == 0 && (is_aligned(data) && ...);
}

template <class X>
void log_sums_of(const X* x, Computed<X>* sums, int64_t rows, int64_t n, int64_t step) {
  constexpr int kWidth = kInPack<X>;
  const bool packed = rows_in_packs<X>(step, x);
  const Grid grid{blocks_for(rows), threads_for_row(packed ? n / kWidth : n)};
  launch("log_sums", packed ? log_sums_in_blocks<X, kWidth> : log_sums_in_blocks<X, 1>, grid, x, sums, rows,
         n, step);
}

template <class X>
void log_softmax_grad_at_of(const Computed<X>* g, const X* x, const Computed<X>* sums, const int64_t* target,
                            X* dx, int64_t rows, int64_t n, int64_t step, int64_t step_dx) {
  constexpr int kWidth = kInPack<X>;
  const bool packed = rows_in_packs<X>(step, x) && rows_in_packs<X>(step_dx, dx);
  const Grid grid{blocks_for(rows), threads_for_row(packed ? n / kWidth : n)};
  launch("log_softmax_grad_at",
         packed ? log_softmax_grad_at_in_blocks<X, kWidth> : log_softmax_grad_at_in_blocks<X, 1>, grid, g, x,
         sums, target, dx, rows, n, step, step_dx);
}

template <class T>
void softmax_of(const T* x, T* y, const DimSplit& s, bool logarithm) {
  if (s.inner > 1) {
    const unsigned columns = columns_of(s);
    return launch("softmax", softmax_in_columns<T>, grid_of_columns(s, columns), x, y, s, columns, logarithm);
  }
  constexpr int kWidth = kInPack<T>;
  const bool packed = in_packs<T>(s.n, x, y);
  if (run_in_warps<SoftmaxRows, T>(s.n, packed, x, y, s.outer, s.n, logarithm)) return;
  const size_t bytes = size_t(s.n) * sizeof(T);
  const bool kept = bytes <= kMostShared;
  const Grid grid{blocks_for(s.outer), threads_for_row(packed ? s.n / kWidth : s.n), kept ? bytes : 0};
  launch("softmax", packed ? softmax_in_blocks<T, kWidth> : softmax_in_blocks<T, 1>, grid, x, y, s.outer, s.n,
         logarithm, kept);
}

template <class T>
void softmax_grad_of(const T* g, const T* y, T* dx, const DimSplit& s, bool logarithm) {
  if (s.inner > 1) {
    const unsigned columns = columns_of(s);
    return launch("softmax_grad", softmax_grad_in_columns<T>, grid_of_columns(s, columns), g, y, dx, s,
                  columns, logarithm);
  }
  constexpr int kWidth = kInPack<T>;
  const bool packed = in_packs<T>(s.n, g, y, dx);
  if (run_in_warps<SoftmaxGradRows, T>(s.n, packed, g, y, dx, s.outer, s.n, logarithm)) return;
  const Grid grid{blocks_for(s.outer), threads_for_row(packed ? s.n / kWidth : s.n)};
  launch("softmax_grad", packed ? softmax_grad_in_blocks<T, kWidth> : softmax_grad_in_blocks<T, 1>, grid, g,
         y, dx, s.outer, s.n, logarithm);
}

}  // namespace

void softmax(const View& x, const View& y, int dim, bool logarithm) {
  const DimSplit s(y.shape, dim);
  if (y.shape.numel() == 0) return;
  floats(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    softmax_of(x.as<const T>(), y.as<T>(), s, logarithm);
  });
}

void softmax_grad(const View& g, const View& y, const View& dx, int dim, bool logarithm) {
  const DimSplit s(y.shape, dim);
  if (y.shape.numel() == 0) return;
  floats(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    softmax_grad_of(g.as<const T>(), y.as<const T>(), dx.as<T>(), s, logarithm);
  });
}

void log_sums(const View& x, const View& sums) {
  every_float(x.dtype, [&](auto zero) {
    using X = decltype(zero);
    log_sums_of(x.as<const X>(), sums.as<Computed<X>>(), x.shape.v[0], x.shape.v[1], x.strides.v[0]);
  });
}

void log_softmax_grad_at(const View& g, const View& x, const View& sums, const View& target, const View& dx) {
  every_float(x.dtype, [&](auto zero) {
    using X = decltype(zero);
    using T = Computed<X>;
    log_softmax_grad_at_of(g.as<const T>(), x.as<const X>(), sums.as<const T>(), target.as<const int64_t>(),
                           dx.as<X>(), x.shape.v[0], x.shape.v[1], x.strides.v[0], dx.strides.v[0]);
  });
}

void log_softmax_at(const View& x, const View& sums, const View& target, const View& y) {
  every_float(x.dtype, [&](auto zero) {
    using X = decltype(zero);
    using T = Computed<X>;
    log_softmax_at_of(x.as<const X>(), sums.as<const T>(), target.as<const int64_t>(), x.shape.v[0],
                      x.shape.v[1], x.strides.v[0], y.as<T>());
  });
}

}  // namespace glassgrad::cuda
