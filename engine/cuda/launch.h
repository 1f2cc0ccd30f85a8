// Launches kernels, and holds the small tools that they share. For .cu files only.
#pragma once
#include <cuda_runtime.h>

#include <type_traits>

#include "../core/gpu.h"
#include "../core/types.h"

// Declares shared memory whose size is set at the launch: type* name.
#ifndef GG_DYNAMIC_SHARED
#define GG_DYNAMIC_SHARED(type, name)                        \
  extern __shared__ __align__(16) unsigned char gg_shared[]; \
  type* const name = reinterpret_cast<type*>(gg_shared)
#endif

namespace glassgrad::cuda {

// Throws an Error with CUDA's message unless result is cudaSuccess. GG_CUDA_CHECK(cudaFree(p)) names the
// call.
void check(cudaError_t result, const char* call);
#define GG_CUDA_CHECK(call) ::glassgrad::cuda::check(call, #call)

// Everything runs on one stream per GPU, so kernels and copies run in the order in which they are called.
int current_device();
cudaStream_t stream();     // of the current GPU
int multiprocessors();     // of the current GPU
size_t most_shared();      // bytes that a block of the current GPU may have
bool waits_for_kernels();  // GLASSGRAD_SYNC is set

struct Grid {
  dim3 blocks;
  unsigned threads;   // in a block
  size_t shared = 0;  // bytes
};
inline constexpr unsigned kMostBlocks = 1u << 30;

// Every launch has 48 KiB of shared memory, including the kernel's static memory, whose size is not known
// here. A kernel must first be allowed dynamic memory that may not fit into the rest. A kernel's allowance
// never shrinks, because a captured graph may need it.
inline constexpr size_t kSharedUnasked = 32 * 1024;
void allow_shared(const char* name, const void* kernel, size_t bytes);

// Throws, with the kernel's name, if the launch fails, or under GLASSGRAD_SYNC=1 if the kernel fails.
template <class... P>
void launch(const char* name, void (*kernel)(P...), const Grid& grid, std::type_identity_t<P>... args) {
  if (grid.shared > kSharedUnasked) allow_shared(name, reinterpret_cast<const void*>(kernel), grid.shared);
  cudaLaunchConfig_t config = {};
  config.gridDim = grid.blocks;
  config.blockDim = dim3(grid.threads);
  config.dynamicSmemBytes = grid.shared;
  config.stream = stream();
  check(cudaLaunchKernelEx(&config, kernel, args...), name);
  gpu::add_work({.launches = 1});
  if (waits_for_kernels()) check(cudaStreamSynchronize(stream()), name);
}

// Sets each byte.
inline void fill_bytes(void* data, int value, size_t bytes) {
  GG_CUDA_CHECK(cudaMemsetAsync(data, value, bytes, stream()));
  gpu::add_work({.launches = 1});
}

// ---- a thread for each of n numbers
__device__ inline int64_t first_of_thread() { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline int64_t threads_of_grid() { return int64_t(gridDim.x) * blockDim.x; }

template <class F>
__global__ void run_each(int64_t n, F f) {
  for (int64_t i = first_of_thread(); i < n; i += threads_of_grid()) f(i);
}

// Enough blocks to fill the GPU a few times over; the threads stride over the rest.
inline Grid grid_of(int64_t n, unsigned threads = 256) {
  const int64_t blocks = (n + threads - 1) / threads, most = int64_t(multiprocessors()) * 32;
  return {dim3(unsigned(blocks < most ? blocks : most)), threads};
}

// Calls f(i) for 0 ≤ i < n, in any order. f is a lambda `[=] __device__(int64_t i) { … }`. Write it in a
// separate function: nvcc allows no such lambda inside a generic lambda.
template <class F>
void each(const char* name, int64_t n, F f) {
  if (n > 0) launch(name, run_each<F>, grid_of(n), n, f);
}

// ---- combine the values of a warp's or a block's threads: f(f(a, b), c) … in a fixed order. T is plain data
// of whole words.
template <class T>
__device__ T of_lane(const T& v, unsigned distance) {
  static_assert(sizeof(T) % sizeof(unsigned) == 0);
  unsigned words[sizeof(T) / sizeof(unsigned)];
  memcpy(words, &v, sizeof v);
  for (unsigned& w : words) w = __shfl_xor_sync(0xffffffffu, w, int(distance));
  T other;
  memcpy(&other, words, sizeof other);
  return other;
}
// The values of `group` neighbouring threads, a power of two; all threads of the warp call it.
template <class T, class F>
__device__ T over_warp(T v, F f, unsigned group = 32) {
  for (unsigned distance = group / 2; distance > 0; distance /= 2) v = f(v, of_lane(v, distance));
  return v;  // in every thread
}
// All threads of the block call it, a multiple of 32 of them. f(v, none) must be v. If not `everywhere`, only
// the first warp's threads get the result.
template <bool everywhere = true, class T, class F>
__device__ T over_block(T v, T none, F f) {
  __shared__ T parts[32];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  v = over_warp(v, f);
  __syncthreads();  // wait for the previous call's readers
  if (lane == 0) parts[warp] = v;
  __syncthreads();
  return everywhere || warp == 0 ? over_warp(lane < warps ? parts[lane] : none, f) : v;
}
// The values of the threads i, i + columns, i + 2·columns …, for each i < columns.
constexpr unsigned kColumnThreads = 256;
template <class T, class F>
__device__ T over_column(T v, F f, unsigned columns) {
  __shared__ T all[kColumnThreads];
  if (columns == blockDim.x) return v;
  __syncthreads();  // wait for the previous call's readers
  all[threadIdx.x] = v;
  for (unsigned half = blockDim.x / columns / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half * columns)
      all[threadIdx.x] = f(all[threadIdx.x], all[threadIdx.x + half * columns]);
  }
  __syncthreads();
  return all[threadIdx.x % columns];
}
// The type that numbers of T are computed in: float for halves.
template <class T>
using Computed = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

struct Sum {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Max {  // nan wins
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a < b || b != b ? b : a;
  }
};

}  // namespace glassgrad::cuda
