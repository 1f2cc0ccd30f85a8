// Optimizer steps with PyTorch's roundings: one pass over a parameter and its state. The compiler vectorizes
// these loops.
#include "../numbers/steps.h"
#include "kernels.h"
#include "parallel.h"

namespace glassgrad::GG_ISA {
namespace {

// The approximate cost of updating one number of a parameter, in numbers read.
constexpr int64_t kUpdateSteps = 4;

template <class T>
void adam_step(int64_t n, T* __restrict p, const T* __restrict g, T* __restrict mean, T* __restrict square,
               const AdamArguments& arguments) {
  const Adam<T> step(arguments);
  for (int64_t i = 0; i < n; ++i) step.apply(p[i], g[i], mean[i], square[i]);
}

template <class T>
void sgd_step(int64_t n, T* __restrict p, const T* __restrict g, T* __restrict momentum,
              const SgdArguments& arguments) {
  const Sgd<T> step(arguments);
  if (momentum)
    for (int64_t i = 0; i < n; ++i) step.apply(p[i], g[i], momentum[i]);
  else
    for (int64_t i = 0; i < n; ++i) step.apply(p[i], g[i]);
}

void adam(int64_t n, const View& p, const View& g, const View& mean, const View& square,
          const AdamArguments& arguments) {
  floats(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    parallel(n, piece_of(kUpdateSteps), [&](int64_t at, int64_t end) {
      adam_step(end - at, p.as<T>() + at, g.as<const T>() + at, mean.as<T>() + at, square.as<T>() + at,
                arguments);
    });
  });
}

void sgd(int64_t n, const View& p, const View& g, const View& momentum, const SgdArguments& arguments) {
  floats(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    parallel(n, piece_of(kUpdateSteps), [&](int64_t at, int64_t end) {
      T* const run = momentum.data ? momentum.as<T>() + at : nullptr;
      sgd_step(end - at, p.as<T>() + at, g.as<const T>() + at, run, arguments);
    });
  });
}

}  // namespace

void fill_optimize(Kernels& k) {
  k.adam = adam;
  k.sgd = sgd;
}

}  // namespace glassgrad::GG_ISA
