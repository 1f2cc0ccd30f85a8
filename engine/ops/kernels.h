// The kernels of all devices. An op takes the one of its operands' device:
//   kernel_for(x.device(), kernels().softmax, GG_CUDA(softmax))(x.raw(), y.raw(), dim, false);
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

// Of the kernels of the CPU and of a GPU the one for that device, which becomes the current GPU if it is one.
template <class F>
F* kernel_for(Device device, F* cpu, std::type_identity_t<F>* cuda) {
  if (device == kCpu) [[likely]]
    return cpu;
  gpu::use(device.index);
  return cuda;
}

// ---- products of matrices, in the precision that is set (multiply.cpp)
// y = a·b for (m,k)·(k,n) or (b,m,k)·(b,k,n) on the device that all three are on, as Kernels::matmul has it;
// from inputs rounded as matmul_precision() says where they are float32. With a bias, n numbers side by side
// that are added to each row; m, k and n are not 0 then and n is not 1.
void multiply(Device device, const View& a, const View& b, const View& y, Adding adding,
              const void* bias = nullptr);
// The same on the CPU, fused, with all that the end of a product may bring (cpu/kernels.h).
void multiply_on_cpu(const View& a, const View& b, const View& y, const Epilogue& end);

}  // namespace glassgrad
