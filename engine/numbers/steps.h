// An optimizer's step for one number, with PyTorch's roundings, on the CPU and on a GPU. Adam and Sgd are
// made from AdamArguments and SgdArguments.
#pragma once
#include "builtin.h"

namespace glassgrad::GG_ISA {
namespace {

GG_INLINE float root(float x) { return GG_BUILTIN(sqrtf)(x); }
GG_INLINE double root(double x) { return GG_BUILTIN(sqrt)(x); }

// a + weight·(b − a), from the nearer end.
template <class T>
GG_INLINE T lerp(T a, T b, T weight) {
  return weight < T(0.5) ? fma(weight, b - a, a) : fma(weight - T(1), b - a, b);
}

template <class T>
struct Adam {
  T shrink, decay, beta2, eps, new_mean, new_square, step, correction;
  bool decays;

  Adam() = default;
  template <class Arguments>
  explicit Adam(const Arguments& a)
      : shrink(T(a.shrink)),
        decay(T(a.decay)),
        beta2(T(a.beta2)),
        eps(T(a.eps)),
        new_mean(T(1 - a.beta1)),
        new_square(T(1 - a.beta2)),
        step(T(-a.step_size)),
        correction(T(a.root_correction)),
        decays(a.decay != 0) {}

  GG_INLINE void apply(T& p, T g, T& mean, T& square) const {
    const T weight = p * shrink;
    const T grad = decays ? fma(weight, decay, g) : g;
    mean = lerp(mean, grad, new_mean);
    square = fma(new_square * grad, grad, square * beta2);
    p = weight + step * mean / (root(square) / correction + eps);
  }
};

template <class T>
struct Sgd {
  T lr, momentum, one_minus_dampening, decay;
  bool decays, first, nesterov;

  Sgd() = default;
  template <class Arguments>
  explicit Sgd(const Arguments& a)
      : lr(T(-a.lr)),
        momentum(T(a.momentum)),
        one_minus_dampening(T(1 - a.dampening)),
        decay(T(a.decay)),
        decays(a.decay != 0),
        first(a.first),
        nesterov(a.nesterov) {}

  GG_INLINE T decayed(T p, T g) const { return decays ? fma(p, decay, g) : g; }
  GG_INLINE void apply(T& p, T g) const { p = fma(decayed(p, g), lr, p); }
  GG_INLINE void apply(T& p, T g, T& buffer) const {
    const T grad = decayed(p, g);
    buffer = first ? grad : fma(grad, one_minus_dampening, buffer * momentum);
    p = fma(nesterov ? fma(buffer, momentum, grad) : buffer, lr, p);
  }
};

}  // namespace
}  // namespace glassgrad::GG_ISA
