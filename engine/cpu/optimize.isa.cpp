// The steps of optimizers with PyTorch's roundings: one pass over a parameter and its state. The compiler
// makes vectors of these loops.
#include "kernels.h"
#include "parallel.h"
#include "vecmath.h"

namespace glassgrad::GG_ISA {
namespace {

GG_INLINE float root(float x) { return __builtin_sqrtf(x); }
GG_INLINE double root(double x) { return __builtin_sqrt(x); }

// a + weight·(b − a), from the nearer end.
template <class T>
GG_INLINE T lerp(T a, T b, T weight) {
  return weight < T(0.5) ? fma(weight, b - a, a) : fma(weight - T(1), b - a, b);
}

// A parameter takes about so many steps.
constexpr int64_t kSteps = 4;

template <class T>
void adam_step(int64_t n, T* __restrict p, const T* __restrict g, T* __restrict mean, T* __restrict square,
               const AdamNumbers& a) {
  const T shrink = T(a.shrink), decay = T(a.decay), beta2 = T(a.beta2), eps = T(a.eps);
  const T new_mean = T(1 - a.beta1), new_square = T(1 - a.beta2);
  const T step = T(-a.step_size), correction = T(a.root_correction);
  const bool decays = a.decay != 0;
  for (int64_t i = 0; i < n; ++i) {
    const T weight = p[i] * shrink;
    const T grad = decays ? fma(weight, decay, g[i]) : g[i];
    mean[i] = lerp(mean[i], grad, new_mean);
    square[i] = fma(new_square * grad, grad, square[i] * beta2);
    p[i] = weight + step * mean[i] / (root(square[i]) / correction + eps);
  }
}

template <class T>
void sgd_step(int64_t n, T* __restrict p, const T* __restrict g, T* __restrict momentum,
              const SgdNumbers& a) {
  const T lr = T(-a.lr), keep = T(a.momentum), take = T(1 - a.dampening), decay = T(a.decay);
  const bool decays = a.decay != 0;
  for (int64_t i = 0; i < n; ++i) {
    T grad = decays ? fma(p[i], decay, g[i]) : g[i];
    if (momentum) {
      const T run = a.first ? grad : fma(grad, take, momentum[i] * keep);
      momentum[i] = run;
      grad = a.nesterov ? fma(run, keep, grad) : run;
    }
    p[i] = fma(grad, lr, p[i]);
  }
}

void adam(int64_t n, const View& p, const View& g, const View& mean, const View& square,
          const AdamNumbers& numbers) {
  floats(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    parallel(n, piece_of(kSteps), [&](int64_t at, int64_t end) {
      adam_step(end - at, p.as<T>() + at, g.as<const T>() + at, mean.as<T>() + at, square.as<T>() + at,
                numbers);
    });
  });
}

void sgd(int64_t n, const View& p, const View& g, const View& momentum, const SgdNumbers& numbers) {
  floats(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    parallel(n, piece_of(kSteps), [&](int64_t at, int64_t end) {
      T* const run = momentum.data ? momentum.as<T>() + at : nullptr;
      sgd_step(end - at, p.as<T>() + at, g.as<const T>() + at, run, numbers);
    });
  });
}

}  // namespace

void fill_optimize(Kernels& k) {
  k.adam = adam;
  k.sgd = sgd;
}

}  // namespace glassgrad::GG_ISA
