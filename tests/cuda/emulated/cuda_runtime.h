// An emulated GPU: runs CUDA's kernels as C++, one thread after another, so that every kernel can be tested
// without a GPU. A build with -DGLASSGRAD_CUDA=EMULATED finds this file where nvcc finds CUDA's own.
//
// The threads of a block share one thread of the CPU: each runs until it waits at a barrier (__syncthreads,
// __syncwarp, a shuffle) or ends. Blocks run one after another. If threads of a block wait at different
// barriers, the program ends; on a GPU they would hang. Only kernels and copies can access the GPU's memory;
// other code gets a segmentation fault, as on a machine with a GPU.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __restrict__ __restrict
#define __shared__ static  // one block runs at a time
#define __align__(n) alignas(n)
#define GG_CUDA_EMULATED 1
#define GG_DYNAMIC_SHARED(type, name) type* const name = static_cast<type*>(emulated::shared_memory())

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) __attribute__((may_alias)) uint4 {  // reads numbers of any type
  unsigned x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

inline uint3 threadIdx, blockIdx;
inline dim3 blockDim, gridDim;
inline constexpr int warpSize = 32;

namespace emulated {
void* shared_memory();
void wait_for_block();
void wait_for_warp();
void run(dim3 blocks, dim3 threads, size_t shared, const std::function<void()>& kernel);
// True if a launch of the kernel may have this much dynamic shared memory.
bool has_shared(const void* kernel, size_t bytes);
// Adds the work to the graph that is being captured; returns false if there is none.
bool record_if_capturing(const std::function<void()>& work);
// Copies to `theirs` the value that thread `lane` of this warp has at `mine`. The whole warp must call it.
void exchange(const void* mine, void* theirs, size_t bytes, int lane);
unsigned ballot(bool mine);
}  // namespace emulated

inline void __syncthreads() { emulated::wait_for_block(); }
inline void __syncwarp(unsigned = ~0u) { emulated::wait_for_warp(); }
inline void __threadfence() {}
inline unsigned emulated_lane() { return threadIdx.x % 32; }
template <class T>
T __shfl_sync(unsigned, T v, int lane, int width = 32) {
  T other;
  const int base = int(emulated_lane()) / width * width;
  emulated::exchange(&v, &other, sizeof v, base + lane % width);
  return other;
}
template <class T>
T __shfl_xor_sync(unsigned mask, T v, int lanes) {
  return __shfl_sync(mask, v, int(emulated_lane()) ^ lanes);
}
template <class T>
T __shfl_down_sync(unsigned mask, T v, unsigned distance) {
  const unsigned from = emulated_lane() + distance;
  return __shfl_sync(mask, v, int(from < 32 ? from : emulated_lane()));
}
template <class T>
T __shfl_up_sync(unsigned mask, T v, unsigned distance) {
  return __shfl_sync(mask, v,
                     int(emulated_lane() >= distance ? emulated_lane() - distance : emulated_lane()));
}
inline unsigned __ballot_sync(unsigned, bool v) { return emulated::ballot(v); }
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __clz(int v) { return v == 0 ? 32 : __builtin_clz(unsigned(v)); }
inline int __ffs(int v) { return __builtin_ffs(v); }
template <class T>
T atomicAdd(T* at, T v) {
  const T before = *at;
  *at = static_cast<T>(before + v);
  return before;
}
template <class T>
T atomicMax(T* at, T v) {
  const T before = *at;
  if (v > before) *at = v;
  return before;
}
template <class T>
T atomicMin(T* at, T v) {
  const T before = *at;
  if (v < before) *at = v;
  return before;
}
template <class T>
T atomicCAS(T* at, T expected, T v) {
  const T before = *at;
  if (before == expected) *at = v;
  return before;
}
inline void __stwb(float4* to, const float4& v) { memcpy(to, &v, sizeof v); }
inline float __expf(float x) { return expf(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
template <class T>
T __ldg(const T* p) {
  return *p;
}

// ---- the part of CUDA's runtime that the engine calls
enum cudaError_t {
  cudaSuccess,
  cudaErrorMemoryAllocation,
  cudaErrorNoDevice,
  cudaErrorInsufficientDriver,
  cudaErrorInvalidValue,
  cudaErrorLaunchFailure,
  cudaErrorStreamCaptureUnsupported
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount,
  cudaDevAttrMaxSharedMemoryPerBlockOptin,
  cudaDevAttrMaxThreadsPerMultiProcessor,
  cudaDevAttrComputeCapabilityMajor,
  cudaDevAttrComputeCapabilityMinor
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
inline constexpr unsigned cudaStreamNonBlocking = 1;
using cudaStream_t = void*;
using cudaGraph_t = struct EmulatedGraph*;
using cudaGraphExec_t = EmulatedGraph*;
enum cudaStreamCaptureMode { cudaStreamCaptureModeRelaxed };
struct cudaDeviceProp {
  char name[32];
  int major, minor;
  size_t totalGlobalMem;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
};

cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* index);
cudaError_t cudaSetDevice(int index);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int index);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index);
cudaError_t cudaGetLastError();
const char* cudaGetErrorName(cudaError_t);
const char* cudaGetErrorString(cudaError_t);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
cudaError_t cudaMalloc(void** block, size_t bytes);
cudaError_t cudaFree(void* block);
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t);
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t);
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute, int bytes);
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* c, void (*kernel)(P...), A&&... args) {
  if (c->gridDim.x == 0 || c->blockDim.x == 0 || c->blockDim.x > 1024) return cudaErrorInvalidValue;
  if (!emulated::has_shared(reinterpret_cast<const void*>(kernel), c->dynamicSmemBytes))
    return cudaErrorInvalidValue;
  const auto work = [config = *c, kernel, ... copies = P(args)] {
    emulated::run(config.gridDim, config.blockDim, config.dynamicSmemBytes, [&] { kernel(P(copies)...); });
  };
  if (!emulated::record_if_capturing(work)) work();
  return cudaSuccess;
}
