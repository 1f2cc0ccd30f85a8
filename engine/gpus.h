// torch.cuda: lists the GPUs of this machine, measures them, and captures work as a CUDA graph.
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

// Waits for all work of the device (torch.cuda.synchronize); on the CPU it returns at once. Throws an error
// that the pending work ran into.
void synchronize(Device device);

// The bytes that tensors use on a GPU, and the most that they used at a time since the program began or
// forget_most_used (torch.cuda.memory_allocated, max_memory_allocated, reset_peak_memory_stats).
struct GpuMemory {
  int64_t used, most_used;
};
GpuMemory gpu_memory_use(int index);
void forget_most_used(int index);

// ---- CUDA graphs: work that is launched again and again as one. A step of a small model is a few hundred
// kernels of a few microseconds each, so launching them one by one takes longer than running them.

// A recorded sequence of kernel calls with the addresses of their operands.
class Captured {
 public:
  // draws: this GPU's generator, if the work draws random numbers; it must outlive this object.
  explicit Captured(Device gpu, Generator* draws = nullptr);
  ~Captured();
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  // Calls work(), which records its kernels instead of running them. Tensors that it makes keep their memory
  // as long as this object lives, even if nothing holds them: replay() writes them again. The work must not
  // read back from the GPU (so indices are not checked) nor copy from the CPU. Run it once beforehand, so
  // that it need not choose algorithms or allocate memory now. No other thread may compute on this GPU
  // meanwhile. Replaces an earlier capture. Throws Error and captures nothing if the work reads back, copies
  // from the CPU, throws, captures itself, or draws with a different generator of the GPU.
  void capture(const std::function<void()>& work);
  // Runs the recorded kernels. They read the inputs' current values and draw the generator's next random
  // numbers, as if the work had been done again.
  void replay() const;
  explicit operator bool() const { return graph_ != nullptr; }

 private:
  Device gpu_;
  Generator* draws_;
  Tensor drawn_from_;   // the seed and the offset of a replay, on the GPU
  uint64_t words_ = 0;  // words that one replay takes from the generator
  void* graph_ = nullptr;
};

}  // namespace glassgrad
