// The GPUs of this machine, for those who choose among devices or measure on them.
#pragma once
#include <cstdint>
#include <string>

#include "core/device.h"

namespace glassgrad {

// torch.cuda.device_count(). Where it is 0, why_unavailable (device.h) says why.
int gpu_count();
// "NVIDIA H200, compute capability 9.0, 139 GB".
std::string gpu_name(int index);
int64_t gpu_memory(int index);  // bytes that it has in all
// "13.0": the CUDA that this is built with; empty in a build without.
std::string cuda_version();

// Of how many shapes NVIDIA's cuBLASLt has served products. 0: it is not installed, or they were all small.
int cublaslt_shapes();

// Waits until the device has done all that was asked of it (torch.cuda.synchronize); the CPU always has.
// Error for what went wrong there.
void synchronize(Device device);

// Bytes that tensors use on a GPU, and the most that they used at a time since the program began or
// forget_most_used (torch.cuda.memory_allocated, max_memory_allocated, reset_peak_memory_stats).
struct GpuMemory {
  int64_t used, most_used;
};
GpuMemory gpu_memory_use(int index);
void forget_most_used(int index);

}  // namespace glassgrad
