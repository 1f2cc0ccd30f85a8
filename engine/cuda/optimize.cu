// Optimizer steps on a GPU. One launch updates many parameters, because most are too small to keep the GPU
// busy.
#include "../numbers/steps.h"
#include "kernels.h"
#include "tensor_batch.h"

namespace glassgrad::cuda {
namespace {

using GG_ISA::Adam;
using GG_ISA::Sgd;

// A parameter, its gradient and its state of up to two tensors.
template <class T, class Step>
struct ParameterStep {
  T* p;
  const T* g;
  T* state[2];
  Step step;
  bool packed;  // all at multiples of 16 bytes

  ParameterStep(void* p_, const void* g_, void* first, void* second, const Step& step_)
      : p(static_cast<T*>(p_)),
        g(static_cast<const T*>(g_)),
        state{static_cast<T*>(first), static_cast<T*>(second)},
        step(step_),
        packed(is_aligned(p) && is_aligned(g) && is_aligned(first) && is_aligned(second)) {}
  ParameterStep() = default;
  int64_t bytes(int64_t n) const {
    return n * (2 + (state[0] != nullptr) + (state[1] != nullptr)) * int64_t{sizeof(T)};
  }
  __device__ void run(int64_t begin, int64_t end) const;
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
__device__ void step_part(const ParameterStep<T, Step>& x, int64_t begin, int64_t end) {
  using Pack = Packed<T, count>;
  const Step step = x.step;
  T *const first = x.state[0], *const second = x.state[1];
  for (int64_t i = begin + int64_t(threadIdx.x) * count; i < end; i += int64_t(kManyThreads) * count) {
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
__device__ void ParameterStep<T, Step>::run(int64_t begin, int64_t end) const {
  constexpr int count = kInPack<T>;
  const int64_t packs = packed ? begin + (end - begin) / count * count : begin;
  step_part<count>(*this, begin, packs);
  step_part<1>(*this, packs, end);
}

template <class T, class Step, class Tensors, class Make>
void step_all(std::span<const Tensors> all, Make make) {
  using Mine = ParameterStep<T, Step>;
  const auto add = [&](TensorBatch<Mine>& many, const Tensors& x) {
    const Mine one = make(x);
    many.add(one, x.n);
    gpu::add_work({.bytes = one.bytes(x.n)});
  };
  in_groups<Mine>(all, add, [](const TensorBatch<Mine>& many) { launch_many("optimizer step", many); });
}
template <class T>
void adam_of(std::span<const AdamTensors> all) {
  step_all<T, Adam<T>>(all, [](const AdamTensors& x) {
    return ParameterStep<T, Adam<T>>(x.p, x.g, x.mean, x.square, Adam<T>(x.arguments));
  });
}
template <class T>
void sgd_of(std::span<const SgdTensors> all) {
  step_all<T, Sgd<T>>(all, [](const SgdTensors& x) {
    return ParameterStep<T, Sgd<T>>(x.p, x.g, x.momentum, nullptr, Sgd<T>(x.arguments));
  });
}

}  // namespace

void adam(std::span<const AdamTensors> all, DType dtype) {
  dtype == DType::float32 ? adam_of<float>(all) : adam_of<double>(all);
}
void sgd(std::span<const SgdTensors> all, DType dtype) {
  dtype == DType::float32 ? sgd_of<float>(all) : sgd_of<double>(all);
}

}  // namespace glassgrad::cuda
