#include "gpus.h"

#include "cuda/blas.h"
#include "cuda/device.h"

namespace glassgrad {

int gpu_count() { return cuda::device_count(); }
std::string gpu_name(int index) { return cuda::device_name(index); }
int64_t gpu_memory(int index) { return cuda::device_memory(index); }
std::string cuda_version() { return cuda::version(); }
int cublaslt_shapes() { return cuda::blas_shapes(); }

void synchronize(Device device) {
  if (device.type == DeviceType::CUDA) cuda::synchronize(device.index);
}

GpuMemory gpu_memory_use(int index) {
  const cuda::MemoryUse use = cuda::memory_use(index);
  return {use.used, use.most_used};
}
void forget_most_used(int index) { cuda::forget_most_used(index); }

}  // namespace glassgrad
