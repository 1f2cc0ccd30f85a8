// The negative log-likelihood of targets, and its gradient.
#include "kernels.h"
#include "launch.h"
#include "scratch.h"
#include "walk.h"

namespace glassgrad::cuda {
namespace {

constexpr int64_t kMostParts = 256;  // of a sum: the same on every GPU

// Where the input has the class of target number i.
__device__ int64_t class_of(const NllNumbers& a, int64_t i, int64_t target) {
  const int64_t sample = quotient(i, a.positions);
  return (sample * a.classes + target) * a.positions + (i - sample * a.positions);
}

template <class T>
__device__ T loss_of(const T* x, const int64_t* target, const NllNumbers& a, int64_t i) {
  return target[i] == a.ignored ? T(0) : -x[class_of(a, i, target[i])];
}

template <class T>
void each_loss(const T* x, const int64_t* target, int64_t n, NllNumbers a, T* y) {
  each("nll_loss", n, [=] __device__(int64_t i) { y[i] = loss_of(x, target, a, i); });
}

// The block's part of the sum. One block, of which nobody else has a part: divided by the share as well.
template <class T>
__global__ void sum_losses(const T* x, const int64_t* target, int64_t n, NllNumbers a, T* parts) {
  T sum = 0;
  for (int64_t i = first_of_thread(); i < n; i += threads_of_grid()) sum += loss_of(x, target, a, i);
  sum = over_block(sum, T(0), Sum());
  if (threadIdx.x == 0) parts[blockIdx.x] = gridDim.x == 1 ? sum / T(a.share) : sum;
}
template <class T>
__global__ void sum_parts(const T* parts, int64_t n, int64_t share, T* y) {
  const T sum = over_block(int64_t(threadIdx.x) < n ? parts[threadIdx.x] : T(0), T(0), Sum());
  if (threadIdx.x == 0) *y = sum / T(share);
}

template <class T>
void total_loss(const T* x, const int64_t* target, int64_t n, const NllNumbers& a, T* y) {
  constexpr unsigned kThreads = 256;
  const int64_t wanted = (n + kThreads - 1) / kThreads;
  const int64_t blocks = wanted < 1 ? 1 : wanted < kMostParts ? wanted : kMostParts;
  const Scratch<T> parts(blocks);
  const Grid grid{dim3(unsigned(blocks)), kThreads};
  launch("nll_loss", sum_losses<T>, grid, x, target, n, a, blocks == 1 ? y : parts.get());
  if (blocks > 1) launch("nll_loss", sum_parts<T>, Grid{dim3(1), kThreads}, parts.get(), blocks, a.share, y);
}

template <class T>
void spread(const T* g, const int64_t* target, int64_t n, NllNumbers a, T* dx) {
  each("nll_loss_backward", n, [=] __device__(int64_t i) {
    if (target[i] != a.ignored) dx[class_of(a, i, target[i])] = -(a.each ? g[i] : g[0] / T(a.share));
  });
}

}  // namespace

void nll(const View& x, const View& target, const NllNumbers& numbers, const View& y) {
  const int64_t n = target.shape.numel();
  const auto* const at = target.as<const int64_t>();
  any_float(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto* const in = x.as<const T>();
    numbers.each ? each_loss(in, at, n, numbers, y.as<T>()) : total_loss(in, at, n, numbers, y.as<T>());
  });
}

void nll_grad(const View& g, const View& target, const NllNumbers& numbers, const View& dx) {
  any_float(g.dtype, [&](auto zero) {
    using T = decltype(zero);
    spread(g.as<const T>(), target.as<const int64_t>(), target.shape.numel(), numbers, dx.as<T>());
  });
}

}  // namespace glassgrad::cuda
