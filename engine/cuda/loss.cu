// The negative log-likelihood of targets, and its gradient.
#include "../core/nest.h"
#include "kernels.h"
#include "launch.h"
#include "scratch.h"

namespace glassgrad::cuda {
namespace {

constexpr int64_t kMostParts = 256;  // parts of a sum: the same on every GPU

// The input's index for the class of target i.
__device__ int64_t class_of(const NllArguments& a, int64_t i, int64_t target) {
  if (a.picked) return i;
  const int64_t sample = quotient(i, a.positions);
  return (sample * a.classes + target) * a.positions + (i - sample * a.positions);
}

template <class T>
__device__ T loss_of(const T* x, const int64_t* target, const NllArguments& a, int64_t i) {
  return target[i] == a.ignored ? T(0) : -x[class_of(a, i, target[i])];
}

template <class T>
void each_loss(const T* x, const int64_t* target, int64_t n, NllArguments a, T* y) {
  each("nll_loss", n, [=] __device__(int64_t i) { y[i] = loss_of(x, target, a, i); });
}

// A part of the sum, and how many of its targets are not ignored.
template <class T>
struct Part {
  T sum;
  int64_t counted;
  __device__ friend Part operator+(const Part& a, const Part& b) {
    return {a.sum + b.sum, a.counted + b.counted};
  }
};
template <class T>
__device__ T loss_of_all(const Part<T>& all, const NllArguments& a) {
  return a.mean ? all.sum / T(all.counted) : all.sum;
}

// Adds up the block's part of the losses. A single block writes the whole loss.
template <class T>
__global__ void sum_losses(const T* x, const int64_t* target, int64_t n, NllArguments a, Part<T>* parts,
                           T* y) {
  Part<T> part{0, 0};
  for (int64_t i = first_of_thread(); i < n; i += threads_of_grid()) {
    part.sum += loss_of(x, target, a, i);
    part.counted += target[i] != a.ignored;
  }
  part = over_block<false>(part, {0, 0}, Sum());
  if (threadIdx.x > 0) return;
  if (gridDim.x == 1)
    *y = loss_of_all(part, a);
  else
    parts[blockIdx.x] = part;
}
template <class T>
__global__ void sum_parts(const Part<T>* parts, int64_t n, NllArguments a, T* y) {
  const Part<T> none{0, 0}, part = int64_t(threadIdx.x) < n ? parts[threadIdx.x] : none,
                            all = over_block<false>(part, none, Sum());
  if (threadIdx.x == 0) *y = loss_of_all(all, a);
}

template <class T>
void total_loss(const T* x, const int64_t* target, int64_t n, const NllArguments& a, T* y) {
  constexpr unsigned kThreads = 256;
  const int64_t wanted = (n + kThreads - 1) / kThreads;
  const int64_t blocks = wanted < 1 ? 1 : wanted < kMostParts ? wanted : kMostParts;
  const Scratch<Part<T>> parts(blocks);
  const Grid grid{dim3(unsigned(blocks)), kThreads};
  launch("nll_loss", sum_losses<T>, grid, x, target, n, a, parts.get(), y);
  if (blocks > 1) launch("nll_loss", sum_parts<T>, Grid{dim3(1), kThreads}, parts.get(), blocks, a, y);
}

void count_targets(const int64_t* target, int64_t n, int64_t ignored, unsigned long long* counted) {
  fill_bytes(counted, 0, sizeof *counted);
  each("count_targets", n, [=] __device__(int64_t i) {
    if (target[i] != ignored) atomicAdd(counted, 1ull);
  });
}

template <class T>
void spread(const T* g, const int64_t* target, int64_t n, NllArguments a, const unsigned long long* counted,
            T* dx) {
  each("nll_loss_backward", n, [=] __device__(int64_t i) {
    if (target[i] == a.ignored) return;
    dx[class_of(a, i, target[i])] = -(a.each ? g[i] : a.mean ? g[0] / T(*counted) : g[0]);
  });
}

}  // namespace

void nll(const View& x, const View& target, const NllArguments& arguments, const View& y) {
  const int64_t n = target.shape.numel();
  const auto* const at = target.as<const int64_t>();
  floats(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto* const in = x.as<const T>();
    arguments.each ? each_loss(in, at, n, arguments, y.as<T>()) : total_loss(in, at, n, arguments, y.as<T>());
  });
}

void nll_grad(const View& g, const View& target, const NllArguments& arguments, const View& dx) {
  const int64_t n = target.shape.numel();
  const auto* const at = target.as<const int64_t>();
  const Scratch<unsigned long long> counted(1);
  if (arguments.mean) count_targets(at, n, arguments.ignored, counted.get());
  floats(g.dtype, [&](auto zero) {
    using T = decltype(zero);
    spread(g.as<const T>(), at, n, arguments, counted.get(), dx.as<T>());
  });
}

}  // namespace glassgrad::cuda
