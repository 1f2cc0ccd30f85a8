#include "fingerprint.h"

#include "launch.h"
#include "scratch.h"

namespace glassgrad::cuda {
namespace {

__device__ uint64_t mixed(uint64_t x) {  // the steps of splitmix64
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// Whole numbers, so the order of the sums does not matter.
__global__ void fingerprint_kernel(const float* x, int64_t n, unsigned long long* sums) {
  unsigned long long bits = 0, not_zero = 0;
  for (int64_t i = first_of_thread(); i < n; i += threads_of_grid()) {
    uint32_t number;
    memcpy(&number, x + i, sizeof number);
    bits += mixed(uint64_t(i) << 32 ^ number);
    not_zero += x[i] != 0;
  }
  bits = over_block(bits, 0ull, Sum());
  not_zero = over_block(not_zero, 0ull, Sum());
  if (threadIdx.x != 0) return;
  atomicAdd(&sums[0], bits);
  atomicAdd(&sums[1], not_zero);
}

}  // namespace

Fingerprint fingerprint_of(const float* x, int64_t n) {
  const Scratch<unsigned long long> sums(2);
  GG_CUDA_CHECK(cudaMemsetAsync(sums.get(), 0, 2 * sizeof(unsigned long long), stream()));
  launch("fingerprint", fingerprint_kernel, grid_of(n), x, n, sums.get());
  return {read_back(sums.get()), read_back(sums.get() + 1)};
}

}  // namespace glassgrad::cuda
