// The GPUs, their streams, and copies.
#include "device.h"
#include "error.h"
#include "launch.h"

#include <cstdlib>

namespace glassgrad::cuda {

void check(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // told once is enough
  throw_cuda_error(call, cudaGetErrorName(result), cudaGetErrorString(result));
}

bool waits_for_kernels() {
  static const char* const set = std::getenv("GLASSGRAD_SYNC");
  return set && *set && *set != '0';
}

// ---- which GPUs there are
namespace {

struct Found {
  int count = 0;
  cudaError_t result;
  Found() {
    result = cudaGetDeviceCount(&count);
    if (result != cudaSuccess) {
      count = 0;
      cudaGetLastError();
    }
  }
};
const Found& found() {
  static const Found once;
  return once;
}

constexpr int kMostDevices = 16;

// Its stream does not wait for the legacy one, so that what runs on it can be captured as a graph.
struct Opened {
  cudaStream_t stream = nullptr;
  int multiprocessors = 0;
};
Opened& opened(int index) {
  static Opened all[kMostDevices];
  Opened& device = all[index];
  if (!device.stream) {
    GG_CUDA_CHECK(cudaDeviceGetAttribute(&device.multiprocessors, cudaDevAttrMultiProcessorCount, index));
    GG_CUDA_CHECK(cudaStreamCreateWithFlags(&device.stream, cudaStreamNonBlocking));
  }
  return device;
}

}  // namespace

int current_device() {
  int index = 0;
  GG_CUDA_CHECK(cudaGetDevice(&index));
  return index;
}

int device_count() { return found().count < kMostDevices ? found().count : kMostDevices; }

std::string why_no_device() {
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

cudaStream_t stream() { return opened(current_device()).stream; }
int multiprocessors() { return opened(current_device()).multiprocessors; }

void synchronize(int index) {
  use(index);
  GG_CUDA_CHECK(cudaStreamSynchronize(stream()));
}

// ---- copies
void copy(void* to, Device to_device, const void* from, Device from_device, size_t bytes) {
  const bool to_cpu = to_device == kCpu, from_cpu = from_device == kCpu;
  use(to_cpu ? from_device.index : to_device.index);
  if (!to_cpu && !from_cpu && !(to_device == from_device)) synchronize(from_device.index);
  const cudaMemcpyKind kind = to_cpu     ? cudaMemcpyDeviceToHost
                              : from_cpu ? cudaMemcpyHostToDevice
                                         : cudaMemcpyDeviceToDevice;
  GG_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream()));
  if (to_cpu) GG_CUDA_CHECK(cudaStreamSynchronize(stream()));
}

}  // namespace glassgrad::cuda
