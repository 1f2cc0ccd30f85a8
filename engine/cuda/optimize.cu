// The steps of optimizers on a GPU: one launch takes many parameters, for most of them are too small to keep
// it busy alone.
#include "../numbers/steps.h"
#include "kernels.h"
#include "packs.h"

namespace glassgrad::cuda {
namespace {

using GG_ISA::Adam;
using GG_ISA::Sgd;

constexpr int kMost = 64;  // parameters of a launch: their description travels with the call
constexpr unsigned kThreads = 256;
constexpr int64_t kOfBlock = 4096;  // numbers of one parameter

#ifdef GG_CUDA_EMULATED
#define GG_IN_PLACE
#else
#define GG_IN_PLACE __grid_constant__  // read where the call put it, by any index
#endif

// A parameter, its gradient and its state of up to two tensors.
template <class T, class Step>
struct One {
  T* p;
  const T* g;
  T* state[2];
  int64_t n, first_block;
  Step step;
  bool packed;  // all at multiples of 16 bytes
};
template <class T, class Step>
struct Some {
  One<T, Step> one[kMost];
  int count = 0;
  int64_t blocks = 0;

  void add(int64_t n, void* p, const void* g, void* first, void* second, const Step& step) {
    const auto bits = reinterpret_cast<uintptr_t>(p) | reinterpret_cast<uintptr_t>(g) |
                      reinterpret_cast<uintptr_t>(first) | reinterpret_cast<uintptr_t>(second);
    one[count++] = {static_cast<T*>(p),
                    static_cast<const T*>(g),
                    {static_cast<T*>(first), static_cast<T*>(second)},
                    n,
                    blocks,
                    step,
                    bits % 16 == 0};
    blocks += (n + kOfBlock - 1) / kOfBlock;
  }
};

template <class T>
__device__ void apply(const Adam<T>& step, T& p, T g, T& mean, T& square, bool) {
  step.apply(p, g, mean, square);
}
template <class T>
__device__ void apply(const Sgd<T>& step, T& p, T g, T& momentum, T&, bool has_momentum) {
  has_momentum ? step.apply(p, g, momentum) : step.apply(p, g);
}

template <int count, class T, class Step>
__device__ void step_part(const One<T, Step>& x, int64_t begin, int64_t end) {
  using Pack = Packed<T, count>;
  const Step step = x.step;
  T *const first = x.state[0], *const second = x.state[1];
  for (int64_t i = begin + int64_t(threadIdx.x) * count; i < end; i += int64_t(kThreads) * count) {
    Pack p = get_pack<count>(x.p, i), g = get_pack<count>(x.g, i), a{}, b{};
    if (first) a = get_pack<count>(first, i);
    if (second) b = get_pack<count>(second, i);
    for (int k = 0; k < count; ++k) apply(step, p.v[k], g.v[k], a.v[k], b.v[k], first != nullptr);
    put_pack<count>(x.p, i, p);
    if (first) put_pack<count>(first, i, a);
    if (second) put_pack<count>(second, i, b);
  }
}

template <class T, class Step>
__global__ void __launch_bounds__(kThreads) step_kernel(const GG_IN_PLACE Some<T, Step> all) {
  const int64_t block = blockIdx.x;
  int at = 0;  // the last parameter that begins at this block or before it
  for (int end = all.count; end - at > 1;) {
    const int middle = (at + end) / 2;
    if (all.one[middle].first_block <= block)
      at = middle;
    else
      end = middle;
  }
  const One<T, Step>& x = all.one[at];
  const int64_t begin = (block - x.first_block) * kOfBlock;
  const int64_t end = x.n - begin < kOfBlock ? x.n : begin + kOfBlock;
  constexpr int count = kInPack<T>;
  const int64_t packs = x.packed ? begin + (end - begin) / count * count : begin;
  step_part<count>(x, begin, packs);
  step_part<1>(x, packs, end);
}

template <class T, class Step>
void run(const Some<T, Step>& some) {
  if (some.blocks == 0) return;
  void (*const kernel)(Some<T, Step>) = step_kernel<T, Step>;
  launch("optimizer step", kernel, {dim3(unsigned(some.blocks)), kThreads}, some);
}

template <class T>
void adam_of(std::span<const AdamTensors> all) {
  for (size_t at = 0; at < all.size(); at += kMost) {
    Some<T, Adam<T>> some;
    for (const AdamTensors& x : all.subspan(at, all.size() - at < kMost ? all.size() - at : kMost))
      some.add(x.n, x.p, x.g, x.mean, x.square, Adam<T>(x.arguments));
    run(some);
  }
}
template <class T>
void sgd_of(std::span<const SgdTensors> all) {
  for (size_t at = 0; at < all.size(); at += kMost) {
    Some<T, Sgd<T>> some;
    for (const SgdTensors& x : all.subspan(at, all.size() - at < kMost ? all.size() - at : kMost))
      some.add(x.n, x.p, x.g, x.momentum, nullptr, Sgd<T>(x.arguments));
    run(some);
  }
}

}  // namespace

void adam(std::span<const AdamTensors> all, DType dtype) {
  dtype == DType::Float32 ? adam_of<float>(all) : adam_of<double>(all);
}
void sgd(std::span<const SgdTensors> all, DType dtype) {
  dtype == DType::Float32 ? sgd_of<float>(all) : sgd_of<double>(all);
}

}  // namespace glassgrad::cuda
