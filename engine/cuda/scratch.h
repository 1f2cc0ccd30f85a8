// Temporary GPU memory for host code that launches kernels. For .cu files only.
#pragma once
#include "../core/gpu.h"
#include "launch.h"

namespace glassgrad::cuda {

// n elements of the current GPU's memory. It may be freed while kernels that use it are still queued, because
// the kernels of its next owner run later.
template <class T>
class Scratch {
 public:
  explicit Scratch(int64_t n)
      : bytes_(size_t(n) * sizeof(T)),
        index_(current_device()),
        data_(static_cast<T*>(gpu::take(bytes_, index_))) {}
  ~Scratch() { gpu::give(data_, bytes_, index_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  T* get() const { return data_; }

 private:
  size_t bytes_;
  int index_;
  T* data_;
};

// Returns an element of the current GPU's memory to the CPU; waits for all earlier work.
template <class T>
T read_back(const T* from) {
  T value;
  GG_CUDA_CHECK(cudaMemcpyAsync(&value, from, sizeof value, cudaMemcpyDeviceToHost, stream()));
  gpu::add_work({.launches = 1, .bytes = sizeof value});
  GG_CUDA_CHECK(cudaStreamSynchronize(stream()));
  return value;
}

}  // namespace glassgrad::cuda
