// How much dynamic shared memory each kernel may have.
#include <map>
#include <mutex>
#include <utility>

#include "launch.h"

namespace glassgrad::cuda {

void allow_shared(const char* name, const void* kernel, size_t bytes) {
  static std::mutex mutex;
  static std::map<std::pair<const void*, int>, size_t> most;  // so far, by kernel and GPU
  const std::lock_guard lock(mutex);
  size_t& allowed = most[{kernel, current_device()}];
  if (bytes <= allowed) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)), name);
  allowed = bytes;
}

}  // namespace glassgrad::cuda
