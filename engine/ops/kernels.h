// The kernels of all devices. An op takes the one of its operands' device:
//   on(x.device(), kernels().softmax, GG_CUDA(softmax))(x.raw(), y.raw(), dim, false);
#pragma once
#include <type_traits>

#include "../core/gpu.h"
#include "../cpu/kernels.h"
#include "../cuda/kernels.h"

#ifdef GLASSGRAD_HAS_CUDA
#define GG_CUDA(kernel) ::glassgrad::cuda::kernel
#else
#define GG_CUDA(kernel) nullptr
#endif

namespace glassgrad {

// What runs a whole pointwise loop on a GPU; null where it is not defined.
using GpuLoop = cuda::LoopKernel;
inline const PointwiseTable<GpuLoop>& gpu_loops() { return cuda::loops(); }

template <class F>
F* on(Device device, F* cpu, std::type_identity_t<F>* cuda) {
  if (device == kCpu) [[likely]]
    return cpu;
  gpu::use(device.index);
  return cuda;
}

}  // namespace glassgrad
