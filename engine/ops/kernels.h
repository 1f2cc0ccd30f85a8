// The kernels of all devices. GG_KERNEL names a kernel, and an op calls it for its operands' device:
//   GG_KERNEL(softmax, kernels().softmax);
//   softmax_on(x.device())(x.raw(), y.raw(), dim, false);
#pragma once
#include <type_traits>

#include "../core/error.h"
#include "../core/gpu.h"
#include "../cpu/kernels.h"
#include "../cuda/kernels.h"

#ifdef GLASSGRAD_HAS_CUDA
#define GG_CUDA(kernel) ::glassgrad::cuda::kernel
#else
#define GG_CUDA(kernel) nullptr
#endif

namespace glassgrad {

// The type that runs a whole pointwise loop on a GPU; null where the loop is not defined.
using GpuLoop = cuda::LoopKernel;
inline const PointwiseTable<GpuLoop>& gpu_loops() { return cuda::loops(); }

// Returns the bytes of memory behind a kernel's operand; expanded elements count once. Other arguments count
// 0.
template <class T>
int64_t bytes_of(const T&) {
  return 0;
}
inline int64_t numbers_in_memory(const Dims& shape, const Dims& strides) {
  int64_t n = 1;
  for (int d = 0; d < shape.n; ++d)
    if (strides[d] != 0) n *= shape[d];
  return n;
}
inline int64_t bytes_of(const View& x) {
  return x.data ? numbers_in_memory(x.shape, x.strides) * item_size(x.dtype) : 0;
}
inline int64_t bytes_of(const Operand& x) {
  return x.data && !x.is_number ? numbers_in_memory(*x.shape, *x.strides) * item_size(x.dtype) : 0;
}
inline int64_t bytes_of(const AttentionInputs& in) {
  return bytes_of(in.q) + bytes_of(in.k) + bytes_of(in.v) + bytes_of(in.mask);
}

// A kernel to be called once. On a GPU, adds its operands' bytes to the work done (gpu::WorkCounts).
// Afterwards, rounds the numbers of each RoundedOutput among the arguments.
template <class F>
struct CalledKernel;
template <class R, class... P>
struct CalledKernel<R(P...)> {
  R (*kernel)(P...);
  bool on_gpu;

  template <class... A>
  R operator()(A&&... arguments) const {
    if (!kernel) [[unlikely]]
      return without_numbers();
    if (on_gpu) [[unlikely]]
      gpu::add_work({.bytes = (int64_t{0} + ... + bytes_of(static_cast<P>(arguments)))});
    const auto run = [&] { return kernel(static_cast<P>(arguments)...); };
    if constexpr (std::is_void_v<R>) {
      run();
      (write_back(arguments), ...);
    } else {
      const R result = run();
      (write_back(arguments), ...);
      return result;
    }
  }

 private:
  static R without_numbers() {
    if constexpr (std::is_arithmetic_v<R>)
      fail<NotImplementedError>("Cannot copy out of meta tensor; no data!");
    else
      return R();
  }
  template <class A>
  static void write_back(A& argument) {
    if constexpr (requires { argument.write_back(); }) argument.write_back();
  }
};

// Picks the CPU's or the GPU's kernel for the device; a GPU becomes the current one. On Meta, none runs.
template <class F>
CalledKernel<F> kernel_for(Device device, F* cpu, std::type_identity_t<F>* cuda) {
  if (device == kCpu) [[likely]]
    return {cpu, false};
  if (device == kMeta) return {nullptr, false};
  gpu::use(device.index);
  return {cuda, true};
}

// Defines NAME_on(device), which picks between a CPU's kernel and cuda::NAME. It also declares cuda::NAME
// with the signature of the CPU's kernel; a .cu file defines it, and the linker finds parameters that differ.
// Stands outside of unnamed namespaces, with the kernel's contract above it if the CPU's kernel has none.
#define GG_KERNEL(name, cpu)                 \
  namespace cuda {                           \
  std::remove_pointer_t<decltype(cpu)> name; \
  }                                          \
  static constexpr auto name##_on = [](Device device) { return kernel_for(device, cpu, GG_CUDA(name)); }

// ---- products of matrices, in the precision that is set (multiply.cpp)
// y = a·b for (m,k)·(k,n) or (b,m,k)·(b,k,n), all on that device, as in Kernels::matmul; float32 inputs are
// rounded as matmul_precision() says. A bias is n contiguous numbers, added to each row; with a bias, m, k
// and n must not be 0 and n not 1.
void multiply(Device device, const View& a, const View& b, const View& y, MatmulArithmetic arithmetic,
              const void* bias = nullptr);
// The same on the CPU, with MatmulArithmetic::Fused and any epilogue (cpu/kernels.h).
void multiply_on_cpu(const View& a, const View& b, const View& y, const Epilogue& end);

}  // namespace glassgrad
