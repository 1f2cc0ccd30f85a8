// Running sums on a GPU.
#include "kernels.h"
#include "reduction.h"

namespace glassgrad::cuda {
namespace {

// The rows of a scan. Each has n numbers, `step` apart in x and `out_step` apart in y, split into `parts`
// stretches of `part`.
struct Rows {
  Nest<2> places;
  int64_t rows, n, step, out_step, parts = 1, part;

  Rows(const View& x, const View& y, int dim) {
    for (int d = 0; d < y.shape.n; ++d)
      if (d != dim) places.push(y.shape.v[d], {x.strides.v[d], y.strides.v[d]});
    rows = places.numel();
    n = part = y.shape.v[dim];
    step = x.strides.v[dim];
    out_step = y.strides.v[dim];
  }
};
__device__ int64_t end_of_part(const Rows& r, int64_t number) {
  const int64_t end = (number + 1) * r.part;
  return end < r.n ? end : r.n;
}

constexpr unsigned kThreads = 256;
constexpr int kItems = 4;  // numbers that a thread adds up by itself

// ---- a thread for each row
template <class X, class Y, class Sum>
__global__ void scan_in_threads(const X* x, Y* y, Rows r) {
  for (int64_t row = first_of_thread(); row < r.rows; row += threads_of_grid()) {
    const auto from = r.places.at(row);
    Sum sum = 0;
    for (int64_t i = 0; i < r.n; ++i) y[from[1] + i * r.out_step] = Y(sum += Sum(x[from[0] + i * r.step]));
  }
}

// ---- a block for each row, or for each part of one
// Returns the sum of the values of the threads before this one; `all` gets the sum of all threads.
template <class T>
__device__ T sum_before(T mine, T& all) {
  __shared__ T warps[kThreads / 32];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  T upto = mine;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const T other = __shfl_up_sync(0xffffffffu, upto, distance);
    if (lane >= distance) upto = upto + other;
  }
  const T neighbour = __shfl_up_sync(0xffffffffu, upto, 1);
  __syncthreads();  // wait for the previous call's readers
  if (lane == 31) warps[warp] = upto;
  __syncthreads();
  T before = 0;
  all = 0;
  for (unsigned w = 0; w < kThreads / 32; ++w) {
    if (w == warp) before = all;
    all = all + warps[w];
  }
  return lane ? before + neighbour : before;
}

// before: each part's running sum up to its end; null if each row has one part.
template <class X, class Y, class Sum>
__global__ void scan_in_blocks(const X* x, Y* y, Rows r, const Sum* before) {
  for (int64_t i = blockIdx.x; i < r.rows * r.parts; i += gridDim.x) {
    const auto from = r.places.at(i / r.parts);
    const int64_t number = i % r.parts, last = end_of_part(r, number);
    Sum sum = number ? before[i - 1] : Sum(0);
    for (int64_t tile = number * r.part; tile < last; tile += kThreads * kItems) {
      const int64_t first = tile + threadIdx.x * kItems;
      Sum own[kItems], mine = 0, all;
      for (int k = 0; k < kItems; ++k)
        own[k] = mine += first + k < last ? Sum(x[from[0] + (first + k) * r.step]) : Sum(0);
      const Sum start = sum + sum_before(mine, all);
      for (int k = 0; k < kItems; ++k)
        if (first + k < last) y[from[1] + (first + k) * r.out_step] = Y(start + own[k]);
      sum = sum + all;
    }
  }
}
template <class X, class Sum>
__global__ void sums_of_parts(const X* x, Rows r, Sum* sums) {
  for (int64_t i = blockIdx.x; i < r.rows * r.parts; i += gridDim.x) {
    const X* const row = x + r.places.at(i / r.parts)[0];
    const int64_t number = i % r.parts, last = end_of_part(r, number);
    Sum sum = 0;
    read_ahead(
        number * r.part + threadIdx.x, last, blockDim.x, [&](int64_t k) { return Sum(row[k * r.step]); },
        [&](Sum more, int64_t) { sum += more; });
    sum = over_block(sum, Sum(0), cuda::Sum());
    if (threadIdx.x == 0) sums[i] = sum;
  }
}

template <class X, class Y, class Sum>
void scan_by_blocks(const X* x, Y* y, Rows r) {
  const auto scan = [&](const Sum* before) {
    launch("cumsum", scan_in_blocks<X, Y, Sum>, {blocks_for(r.rows * r.parts), kThreads}, x, y, r, before);
  };
  const int64_t tile = kThreads * kItems, wanted = int64_t(multiprocessors()) * 8 / r.rows,
                most = r.n / (4 * tile);
  r.parts = wanted < most ? wanted : most;
  if (r.parts < 2) return r.parts = 1, scan(nullptr);
  r.part = ((r.n + r.parts - 1) / r.parts + tile - 1) / tile * tile;
  r.parts = (r.n + r.part - 1) / r.part;
  const Scratch<Sum> sums(r.rows * r.parts);
  launch("cumsum", sums_of_parts<X, Sum>, {blocks_for(r.rows * r.parts), kThreads}, x, r, sums.get());
  // Turns the parts' sums into running sums. In place is safe, because a thread reads its number before it
  // writes it.
  const Dims shape = {r.rows, r.parts}, strides = {r.parts, 1};
  const View v{sums.get(), shape, strides, float64};
  launch("cumsum", scan_in_blocks<Sum, Sum, Sum>, {blocks_for(r.rows), kThreads}, sums.get(), sums.get(),
         Rows(v, v, 1), static_cast<const Sum*>(nullptr));
  scan(sums.get());
}

template <class X, class Y, class Sum>
void scan(const View& x, const View& y, int dim) {
  const Rows r(x, y, dim);
  if (y.shape.numel() == 0) return;
  const bool beside = r.step != 1 && r.rows >= int64_t(multiprocessors()) * 256;
  if (r.n <= 32 || beside)
    launch("cumsum", scan_in_threads<X, Y, Sum>, grid_of(r.rows), x.as<const X>(), y.as<Y>(), r);
  else
    scan_by_blocks<X, Y, Sum>(x.as<const X>(), y.as<Y>(), r);
}

}  // namespace

void running_sums(const View& x, const View& y, int dim) {
  all_types(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>)
      scan<T, T, double>(x, y, dim);
    else
      scan<T, int64_t, int64_t>(x, y, dim);
  });
}

}  // namespace glassgrad::cuda
