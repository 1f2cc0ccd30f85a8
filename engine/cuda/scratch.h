// Memory that a kernel's host side needs for a while. For .cu files only.
#pragma once
#include "../core/gpu.h"
#include "launch.h"

namespace glassgrad::cuda {

// n elements of the current GPU's memory. It may be given back while kernels that use it are still to run:
// the next to have it comes after them.
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

// An element of the current GPU's memory, as the CPU reads it: waits for all that was asked before.
template <class T>
T read_back(const T* from) {
  T value;
  GG_CUDA_CHECK(cudaMemcpyAsync(&value, from, sizeof value, cudaMemcpyDeviceToHost, stream()));
  gpu::add_work({.launches = 1, .bytes = sizeof value});
  GG_CUDA_CHECK(cudaStreamSynchronize(stream()));
  return value;
}

}  // namespace glassgrad::cuda
