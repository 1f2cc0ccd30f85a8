// torch.cuda: the GPUs of this machine, for those who choose among devices or measure on them, and work on a
// GPU that is captured and launched again.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "random.h"
#include "tensor.h"

namespace glassgrad {

// torch.cuda.device_count(). Where it is 0, why_unavailable (device.h) says why.
int gpu_count();
// "NVIDIA H200, compute capability 9.0, 139 GB".
std::string gpu_name(int index);
int64_t gpu_memory(int index);  // bytes that it has in all
// "13.0": the CUDA that this is built with; empty in a build without.
std::string cuda_version();

// The products that NVIDIA's cuBLASLt was asked for, a line for each kind, with the kernel that it chose:
// `2048×768·768×2304ᵀ, bf16 to bf16, aligned: algorithm 66, tile 23, stages 36, in halves`. None: it is not
// installed, or all products were small.
std::vector<std::string> cublaslt_plans();

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

// ---- CUDA's graphs: work that is launched again and again as one. A step of a small model is a few hundred
// kernels of a few microseconds each, and launching them one by one takes longer than they do.

// Kernels that are kept in the order in which they were called, with their operands' addresses.
class Captured {
 public:
  // draws: the generator of this GPU that the work draws with, if it does; it must outlive this.
  explicit Captured(Device gpu, Generator* draws = nullptr);
  ~Captured();
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  // Calls work(), which runs nothing but notes its kernels. Tensors that it makes keep their memory as long
  // as this lives, also when nobody holds them: replay() writes them again. The work must not read from the
  // GPU (whether indices are in range is not looked at) nor write what the CPU has made, and whatever it does
  // for the first time (choosing an algorithm, making room) should have been done before. No other thread may
  // compute on this GPU meanwhile. What was captured before is dropped. Error if it reads, copies from the
  // CPU, throws, captures work itself, or draws with another generator of the GPU: nothing is captured then.
  void capture(const std::function<void()>& work);
  // Runs what was noted. Inputs that have changed are read as they are now, and random numbers are the next
  // ones of the generator, as if the work had been done again.
  void replay() const;
  explicit operator bool() const { return graph_ != nullptr; }

 private:
  Device gpu_;
  Generator* draws_;
  Tensor drawn_from_;   // the seed and the offset of a replay, on the GPU
  uint64_t words_ = 0;  // of the generator, in one replay
  void* graph_ = nullptr;
};

}  // namespace glassgrad
