#include "gpus.h"

#include "core/gpu.h"
#include "cuda/blas.h"

namespace glassgrad {

int gpu_count() { return gpu::device_count(); }
std::string gpu_name(int index) { return gpu::device_name(index); }
int64_t gpu_memory(int index) { return gpu::device_memory(index); }
std::string cuda_version() { return gpu::version(); }
int cublaslt_shapes() { return cuda::blas_shapes(); }

void synchronize(Device device) {
  if (device.type == DeviceType::CUDA) gpu::synchronize(device.index);
}

GpuMemory gpu_memory_use(int index) {
  const gpu::MemoryUse use = gpu::memory_use(index);
  return {use.used, use.most_used};
}
void forget_most_used(int index) { gpu::forget_most_used(index); }

}  // namespace glassgrad
