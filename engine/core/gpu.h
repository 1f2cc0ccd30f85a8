// The GPUs of this machine and their memory. What stands behind it is engine/cuda; in a build without CUDA
// there is no GPU (cuda/absent.cpp).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "device.h"

namespace glassgrad::gpu {

int device_count();           // 0 without a driver, without a GPU, and in a build without CUDA
std::string why_no_device();  // … and which of them it is
// "NVIDIA H200, compute capability 9.0, 140 GB": for the head of a benchmark.
std::string device_name(int index);
int64_t device_memory(int index);  // in bytes
std::string version();             // "13.0", of the CUDA that this is built with; empty without

// Makes it the one that this thread's kernels run on.
void use(int index);

// Memory of a GPU, aligned to 512 bytes. What is given back is kept, and handed out again in the order of the
// stream: no kernel that is still to run is waited for. Error `CUDA out of memory. …` with what was asked
// for, what is free and what the GPU has, when there is no more; everything kept has been given back then.
void* take(size_t bytes, int index);
void give(void* data, size_t bytes, int index) noexcept;
void give_back_kept(int index) noexcept;

struct MemoryUse {
  int64_t used, most_used, kept;  // bytes: that tensors use, ever used at a time, kept for later
  int64_t taken;                  // how often the driver was asked for memory
};
MemoryUse memory_use(int index);
void forget_most_used(int index);  // from now on it is what is used now

// Counts the work of all GPUs since the program began, by all threads. To measure a piece, take a difference.
struct Work {
  // Counts kernels, cuBLASLt's products, copies and fillings of memory when they are asked for, or noted
  // while a graph is captured. A replay counts all that its graph holds once more.
  int64_t launches = 0;
  // Counts each operand of an op once, whether the op reads it, writes it or both: its numbers in memory,
  // repeated ones once, times their size. A matrix whose rows are chosen counts whole. A copy between a CPU
  // and a GPU counts its bytes once, a copy within a GPU twice. Scratch memory of kernels does not count.
  int64_t bytes = 0;
  // Products of matrices, and those among them, of float32 or halves and of more than one row and column,
  // that do not suit units which read 16 bytes at a time (cuda/blas_layout.h): a slower kernel computes them.
  int64_t products = 0, unaligned_products = 0;
};
Work work_done() noexcept;
void add_work(const Work& more) noexcept;  // for engine/cuda, and whoever calls its kernels

// What gpus.h stands on. Between begin and end, kernels are noted instead of run, and memory comes from
// the graph's own, which nobody else gets while the graph lives.
void begin_capture(int index);
void* end_capture();           // the graph
bool is_capturing() noexcept;  // then nothing can be read back: checks of values on the GPU are left out
void abandon_capture() noexcept;
void launch_graph(void* graph);
void drop_graph(void* graph) noexcept;

void copy(void* to, Device to_device, const void* from, Device from_device, size_t bytes);
void synchronize(int index);  // waits for all that was asked of the GPU; throws what went wrong there

}  // namespace glassgrad::gpu
