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

template <class T>
struct Part {
  T sum;
  int64_t counted;
};

// The block's part of the sum, and of how many targets count.
template <class T>
__global__ void sum_losses(const T* x, const int64_t* target, int64_t n, NllNumbers a, Part<T>* parts) {
  Part<T> p{};
  for (int64_t i = first_of_thread(); i < n; i += threads_of_grid()) {
    p.sum += loss_of(x, target, a, i);
    p.counted += target[i] != a.ignored;
  }
  p.sum = over_block(p.sum, T(0), Sum());
  p.counted = over_block(p.counted, int64_t(0), Sum());
  if (threadIdx.x == 0) parts[blockIdx.x] = p;
}
template <class T>
__global__ void sum_parts(const Part<T>* parts, int64_t n, bool mean, T* y) {
  const Part<T> none{}, p = int64_t(threadIdx.x) < n ? parts[threadIdx.x] : none;
  const T sum = over_block(p.sum, T(0), Sum());
  const int64_t counted = over_block(p.counted, int64_t(0), Sum());
  if (threadIdx.x == 0) *y = mean ? sum / T(counted) : sum;
}

template <class T>
void total_loss(const T* x, const int64_t* target, int64_t n, const NllNumbers& a, T* y) {
  constexpr unsigned kThreads = 256;
  const int64_t wanted = (n + kThreads - 1) / kThreads;
  const int64_t blocks = wanted < 1 ? 1 : wanted < kMostParts ? wanted : kMostParts;
  const Scratch<Part<T>> parts(blocks);
  launch("nll_loss", sum_losses<T>, Grid{dim3(unsigned(blocks)), kThreads}, x, target, n, a, parts.get());
  launch("nll_loss", sum_parts<T>, Grid{dim3(1), kThreads}, parts.get(), blocks, a.mean, y);
}

// How many targets count: found on the GPU, for the CPU need not know it.
__global__ void count_targets(const int64_t* target, int64_t n, int64_t ignored, int64_t* counted) {
  int64_t own = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) own += target[i] != ignored;
  own = over_block(own, int64_t(0), Sum());
  if (threadIdx.x == 0) *counted = own;
}

template <class T>
void spread(const T* g, const int64_t* target, int64_t n, NllNumbers a, const int64_t* counted, T* dx) {
  each("nll_loss_backward", n, [=] __device__(int64_t i) {
    if (target[i] == a.ignored) return;
    dx[class_of(a, i, target[i])] = -(a.each ? g[i] : a.mean ? g[0] / T(*counted) : g[0]);
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
  const auto* const at = target.as<const int64_t>();
  const int64_t n = target.shape.numel();
  const Scratch<int64_t> counted(1);
  if (numbers.mean)
    launch("nll_loss_backward", count_targets, Grid{dim3(1), 1024}, at, n, numbers.ignored, counted.get());
  any_float(g.dtype, [&](auto zero) {
    using T = decltype(zero);
    spread(g.as<const T>(), at, n, numbers, counted.get(), dx.as<T>());
  });
}

}  // namespace glassgrad::cuda
