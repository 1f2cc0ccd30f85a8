// The GPUs, their streams, and copies.
#include "../core/gpu.h"
#include "launch.h"
#include "runtime.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace glassgrad::cuda {

void check(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // clears the error, so that it is reported only once
  throw_cuda_error(call, cudaGetErrorName(result), cudaGetErrorString(result));
}

// Raises a kernel's limit of dynamic shared memory if needed.
void allow_shared(const char* name, const void* kernel, size_t bytes) {
  static std::mutex mutex;
  static std::map<std::pair<const void*, int>, size_t> most;  // so far, by kernel and GPU
  const std::lock_guard lock(mutex);
  size_t& allowed = most[{kernel, current_device()}];
  if (bytes <= allowed) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)), name);
  allowed = bytes;
}

bool waits_for_kernels() { return is_synchronous() && !gpu::is_capturing(); }

// ---- which GPUs there are
namespace {

// Compute capability, 75 for 7.5.
int capability_of(int index) {
  int major = 0, minor = 0;
  GG_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index));
  GG_CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, index));
  return major * 10 + minor;
}

// The GPUs, from number 0 on, that this build has kernels for.
struct Found {
  int count = 0,
      without_kernels = 0;  // the capability of the first GPU that this build has no kernels for; 0: none
  cudaError_t result;
  Found() {
    int all = 0;
    result = cudaGetDeviceCount(&all);
    if (result != cudaSuccess) cudaGetLastError();
    while (result == cudaSuccess && count < all && !without_kernels) {
      const int capability = capability_of(count);
      has_kernels_for(GG_CUDA_ARCHITECTURES, capability) ? void(++count) : void(without_kernels = capability);
    }
  }
};
const Found& found() {
  static const Found once;
  return once;
}

constexpr int kMostDevices = 16;

// A stream that does not wait for the legacy stream, so that its work can be captured as a graph.
struct Opened {
  std::once_flag once;
  cudaStream_t stream = nullptr;
  int multiprocessors = 0, shared = 0;
};
const Opened& opened(int index) {
  static Opened all[kMostDevices];
  Opened& device = all[index];
  std::call_once(device.once, [&] {
    GG_CUDA_CHECK(cudaDeviceGetAttribute(&device.multiprocessors, cudaDevAttrMultiProcessorCount, index));
    GG_CUDA_CHECK(cudaDeviceGetAttribute(&device.shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, index));
    GG_CUDA_CHECK(cudaStreamCreateWithFlags(&device.stream, cudaStreamNonBlocking));
  });
  return device;
}

}  // namespace

int current_device() {
  int index = 0;
  GG_CUDA_CHECK(cudaGetDevice(&index));
  return index;
}

cudaStream_t stream() { return opened(current_device()).stream; }
int multiprocessors() { return opened(current_device()).multiprocessors; }
size_t most_shared() { return size_t(opened(current_device()).shared); }

}  // namespace glassgrad::cuda

namespace glassgrad::gpu {
using namespace cuda;

int device_count() { return found().count < kMostDevices ? found().count : kMostDevices; }

std::string why_no_device() {
  if (const int capability = found().without_kernels)
    return "this machine's GPU has compute capability " + std::to_string(capability / 10) + "." +
           std::to_string(capability % 10) +
           ", and this build has kernels for " GG_CUDA_ARCHITECTURES " alone" +
           (capability < 80 ? ", which run from 8.0 on"
                            : " (make build ARCHITECTURES=" + std::to_string(capability) + "-real)");
  switch (found().result) {
    case cudaSuccess:
    case cudaErrorNoDevice:
      return "this machine has no NVIDIA GPU that CUDA finds";
    case cudaErrorInsufficientDriver:
      return "this machine has no NVIDIA driver, or one too old for this build's CUDA";
    default:
      return std::string("CUDA cannot start: ") + cudaGetErrorString(found().result);
  }
}

std::string device_name(int index) {
  cudaDeviceProp p;
  GG_CUDA_CHECK(cudaGetDeviceProperties(&p, index));
  return std::string(p.name) + ", compute capability " + std::to_string(p.major) + "." +
         std::to_string(p.minor) + ", " + std::to_string(p.totalGlobalMem >> 30) + " GB";
}

int64_t device_memory(int index) {
  cudaDeviceProp p;
  GG_CUDA_CHECK(cudaGetDeviceProperties(&p, index));
  return int64_t(p.totalGlobalMem);
}

std::string version() {
#ifdef CUDART_VERSION
  return std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
#else
  return "emulated";
#endif
}

void use(int index) {
  if (current_device() != index) GG_CUDA_CHECK(cudaSetDevice(index));
}

void synchronize(int index) {
  use(index);
  GG_CUDA_CHECK(cudaStreamSynchronize(stream()));
}

void copy(void* to, Device to_device, const void* from, Device from_device, size_t bytes) {
  const bool to_cpu = to_device == kCpu, from_cpu = from_device == kCpu;
  const bool between = !to_cpu && !from_cpu && !(to_device == from_device);
  // Refuse during a capture: each replay would read the CPU's memory again, which may have changed by then.
  if ((to_cpu || from_cpu) && is_capturing()) check(cudaErrorStreamCaptureUnsupported, "cudaMemcpyAsync");
  if (between) synchronize(from_device.index);  // wait until the source is written
  use(to_cpu ? from_device.index : to_device.index);
  const cudaMemcpyKind kind = to_cpu     ? cudaMemcpyDeviceToHost
                              : from_cpu ? cudaMemcpyHostToDevice
                                         : cudaMemcpyDeviceToDevice;
  GG_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream()));
  add_work({.launches = 1, .bytes = int64_t(to_cpu || from_cpu ? bytes : 2 * bytes)});
  // Between GPUs, wait: the source's own stream may overwrite it next.
  if (to_cpu || between) GG_CUDA_CHECK(cudaStreamSynchronize(stream()));
}

}  // namespace glassgrad::gpu
