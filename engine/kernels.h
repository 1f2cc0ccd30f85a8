// The kernels of all devices. An op takes the one of its operands' device:
//   on(x.device(), kernels().softmax, GG_CUDA(softmax))(x.raw(), y.raw(), dim, false);
#pragma once
#include <type_traits>

#include "cpu/kernels.h"
#include "cuda/device.h"
#include "cuda/kernels.h"

#ifdef GLASSGRAD_HAS_CUDA
#define GG_CUDA(kernel) ::glassgrad::cuda::kernel
#else
#define GG_CUDA(kernel) nullptr
#endif

namespace glassgrad {

template <class F>
F* on(Device device, F* cpu, std::type_identity_t<F>* cuda) {
  if (device == kCpu) [[likely]]
    return cpu;
  cuda::use(device.index);
  return cuda;
}

}  // namespace glassgrad
