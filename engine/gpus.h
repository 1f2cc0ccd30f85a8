// torch.cuda: the GPUs of this machine, for callers that choose a device or measure on one, and work on a GPU
// that is captured and launched again.
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
int64_t gpu_memory(int index);  // total bytes
// "13.0": the CUDA version of this build; empty without CUDA.
std::string cuda_version();

// The products that NVIDIA's cuBLASLt has computed, one line per kind, with the kernel that it chose:
// `2048×768·768×2304ᵀ, bf16 to bf16, aligned: algorithm 66, tile 23, stages 36, in halves`. Empty if it is
// not installed, or all products were small.
std::vector<std::string> cublaslt_plans();

// Waits for all work of the device (torch.cuda.synchronize); the CPU never has any. Throws an error that
// occurred there.
void synchronize(Device device);

// The bytes that tensors use on a GPU, and the most that they used at a time since the program began or
// forget_most_used (torch.cuda.memory_allocated, max_memory_allocated, reset_peak_memory_stats).
struct GpuMemory {
  int64_t used, most_used;
};
GpuMemory gpu_memory_use(int index);
void forget_most_used(int index);

// ---- CUDA graphs: work that is launched again and again as one. A step of a small model is a few hundred
// kernels of a few microseconds each, and launching them one by one takes longer than they do.

// Kernels recorded in the order of their calls, with their operands' addresses.
class Captured {
 public:
  // draws: this GPU's generator, if the work draws random numbers; it must outlive this object.
  explicit Captured(Device gpu, Generator* draws = nullptr);
  ~Captured();
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  // Calls work(), which records its kernels instead of running them. Tensors that it makes keep their memory
  // as long as this object lives, even if nothing holds them: replay() writes them again. The work must not
  // read from the GPU (indices are not checked) nor write what the CPU has made, and all that it does for the
  // first time (choosing an algorithm, allocating memory) should have been done before. No other thread may
  // compute on this GPU meanwhile. An earlier capture is dropped. Throws Error if the work reads, copies from
  // the CPU, throws, captures work itself, or draws with another generator of the GPU: nothing is captured
  // then.
  void capture(const std::function<void()>& work);
  // Runs the recorded kernels. They read the inputs' current values and draw the generator's next random
  // numbers, as if the work had been done again.
  void replay() const;
  explicit operator bool() const { return graph_ != nullptr; }

 private:
  Device gpu_;
  Generator* draws_;
  Tensor drawn_from_;   // the seed and the offset of a replay, on the GPU
  uint64_t words_ = 0;  // that one replay takes from the generator
  void* graph_ = nullptr;
};

}  // namespace glassgrad
