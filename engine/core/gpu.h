// The GPUs of this machine and their memory, implemented in engine/cuda. A build without CUDA has no GPU
// (cuda/absent.cpp).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "device.h"

namespace glassgrad::gpu {

int device_count();           // 0 without a driver, without a GPU, or in a build without CUDA
std::string why_no_device();  // which of these it is
// "NVIDIA H200, compute capability 9.0, 139 GB": for the head of a benchmark.
std::string device_name(int index);
int64_t device_memory(int index);  // in bytes
std::string version();             // "13.0", the CUDA version of this build; empty without CUDA

// Selects the GPU that this thread's kernels run on.
void use(int index);

// Memory of a GPU, aligned to 512 bytes. `give` keeps a block, and `take` hands it out again in stream order,
// without waiting for kernels. With no memory left, `take` gives everything kept back to the driver, then
// throws Error `CUDA out of memory. …` with the requested, the free and the total memory.
void* take(size_t bytes, int index);
void give(void* data, size_t bytes, int index) noexcept;
void give_back_kept(int index) noexcept;

struct MemoryUse {
  int64_t used, most_used, kept;  // bytes: in use by tensors, the most ever in use at a time, kept for later
  int64_t taken;                  // the number of requests to the driver
};
MemoryUse memory_use(int index);
void forget_most_used(int index);  // sets most_used to used

// Counts the work of all GPUs, by all threads, since the program began. Subtract two readings to measure the
// work between them.
struct WorkCounts {
  // Kernels, cuBLASLt's products, copies and memory fills, counted when they are launched or captured into a
  // graph. A replay counts all launches of its graph once more.
  int64_t launches = 0;
  // Each operand of an op counts once, whether the op reads it, writes it or both. It counts the bytes of its
  // elements in memory, expanded ones once. A matrix from which rows are selected counts in full. A copy
  // between a CPU and a GPU counts its bytes once, a copy within a GPU twice. Kernels' scratch memory does
  // not count.
  int64_t bytes = 0;
  // Matrix products, and those among them that a slower kernel computes because their layout does not suit
  // units that read 16 bytes at a time (cuda/blas_layout.h). The latter counts only products of float32 or
  // halves with more than one row and column.
  int64_t products = 0, unaligned_products = 0;
};
WorkCounts work_done() noexcept;
void add_work(const WorkCounts& more) noexcept;  // for engine/cuda and the callers of its kernels

// Implements gpus.h. Between begin and end, kernels are recorded instead of run, and memory comes from the
// graph's own pool, which nothing else uses while the graph lives.
void begin_capture(int index);
void* end_capture();  // the graph
// While true, nothing can be read back, so checks of values on the GPU are skipped.
bool is_capturing() noexcept;
void abandon_capture() noexcept;
void launch_graph(void* graph);
void drop_graph(void* graph) noexcept;

void copy(void* to, Device to_device, const void* from, Device from_device, size_t bytes);
void synchronize(int index);  // waits for all work of the GPU; throws an error that occurred there

}  // namespace glassgrad::gpu
