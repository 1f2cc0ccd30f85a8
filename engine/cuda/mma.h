// Tensor cores and asynchronous copies: PTX instructions as functions. All 32 threads of a warp must call the
// ones on matrices. The emulated GPU has the same layouts; its threads of a warp share their values and
// compute from those.
// PTX ISA, "Warp-level matrix instructions" and "Data movement":
// https://docs.nvidia.com/cuda/parallel-thread-execution
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

namespace glassgrad::cuda {

// ---- bf16
#ifdef GG_CUDA_EMULATED
inline uint32_t bf16_of(float x) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, x);
  if (x != x) return 0x7fff;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
inline float low_of(uint32_t pair) { return __builtin_bit_cast(float, pair << 16); }
inline float high_of(uint32_t pair) { return __builtin_bit_cast(float, pair & 0xffff0000u); }
#endif
// Returns two numbers rounded to the nearest bf16, ties to even; the first is in the lower 16 bits.
__device__ __forceinline__ uint32_t bf16_pair(float low, float high) {
#ifdef GG_CUDA_EMULATED
  return bf16_of(low) | bf16_of(high) << 16;
#else
  uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
#endif
}

// 2^x within 2 units in the last place; 0 where it would be subnormal.
__device__ __forceinline__ float quick_exp2(float x) {
#ifdef GG_CUDA_EMULATED
  return exp2f(x);
#else
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#endif
}

// a / b within 2 units in the last place; 0 where b is beyond 2^126.
__device__ __forceinline__ float quick_quotient(float a, float b) {
#ifdef GG_CUDA_EMULATED
  return a / b;
#else
  return __fdividef(a, b);
#endif
}

// ---- matrices in the registers of a warp. The thread of lane l is number l%4 of group l/4.
// a (16×16): pairs (group, 2·number), (group + 8, 2·number), (group, 2·number + 8), (group + 8, 2·number + 8)
// b (16×8):  pairs down a column: (2·number, group), (2·number + 8, group)
// c (16×8):  (group, 2·number), (group, 2·number + 1), (group + 8, 2·number), (group + 8, 2·number + 1)
using MatrixA = uint32_t[4];
using MatrixC = float[4];

#ifdef GG_CUDA_EMULATED
// Shares a value of each thread with this warp's other threads.
template <class T>
inline T* shown_by_warp(const T& mine) {
  static T all[1024];
  all[threadIdx.x] = mine;
  __syncwarp();
  return all + threadIdx.x / 32 * 32;
}
struct Operands {
  uint32_t a[4], b[2];
};
// Row i of a times column j of b.
inline float dot(const Operands* warp, int i, int j, float sum) {
  for (int k = 0; k < 16; k += 2) {
    const uint32_t x = warp[i % 8 * 4 + k % 8 / 2].a[i / 8 + k / 8 * 2], y = warp[j * 4 + k % 8 / 2].b[k / 8];
    sum += low_of(x) * low_of(y) + high_of(x) * high_of(y);
  }
  return sum;
}
#endif

// c += a·b for bf16, summed in float32.
__device__ __forceinline__ void mma_bf16(MatrixC& c, const MatrixA& a, uint32_t b0, uint32_t b1) {
#ifdef GG_CUDA_EMULATED
  const Operands* const warp = shown_by_warp(Operands{{a[0], a[1], a[2], a[3]}, {b0, b1}});
  const int group = int(threadIdx.x % 32) / 4, number = int(threadIdx.x) % 4;
  for (int i = 0; i < 4; ++i) c[i] = dot(warp, group + i / 2 * 8, number * 2 + i % 2, c[i]);
  __syncwarp();
#else
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

// Loads four matrices of 8×8 bf16 from shared memory. Lanes 8i … 8i+7 point to the rows, of 16 bytes, of
// matrix i; from each matrix a thread gets the pair (group, 2·number), or, transposed, (2·number, group) and
// the one below.
template <bool transposed>
__device__ __forceinline__ void ldmatrix(uint32_t (&pairs)[4], const void* row) {
#ifdef GG_CUDA_EMULATED
  const void* const* const rows = shown_by_warp(row);
  const int group = int(threadIdx.x % 32) / 4, number = int(threadIdx.x) % 4;
  for (int i = 0; i < 4; ++i) {
    const auto at = [&](int r, int c) {
      uint16_t bits;
      memcpy(&bits, static_cast<const char*>(rows[i * 8 + r]) + 2 * c, sizeof bits);
      return uint32_t(bits);
    };
    pairs[i] = transposed ? at(number * 2, group) | at(number * 2 + 1, group) << 16
                          : at(group, number * 2) | at(group, number * 2 + 1) << 16;
  }
  __syncwarp();
#else
  const auto at = uint32_t(__cvta_generic_to_shared(row));
  if constexpr (transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]), "=r"(pairs[3])
                 : "r"(at)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]), "=r"(pairs[3])
                 : "r"(at)
                 : "memory");
#endif
}

// ---- asynchronous copies from the GPU's memory to shared memory
// Copies 16 bytes, at multiples of 16; writes zeros unless `there`.
__device__ __forceinline__ void cp_async_16(void* shared, const void* global, bool there) {
#ifdef GG_CUDA_EMULATED
  if (there)
    memcpy(shared, global, 16);
  else
    memset(shared, 0, 16);
#else
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(uint32_t(__cvta_generic_to_shared(shared))),
      "l"(global), "r"(there ? 16 : 0)
      : "memory");
#endif
}
// Copies 4 bytes, at multiples of 4.
__device__ __forceinline__ void cp_async_4(void* shared, const void* global, bool there) {
#ifdef GG_CUDA_EMULATED
  if (there)
    memcpy(shared, global, 4);
  else
    memset(shared, 0, 4);
#else
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(uint32_t(__cvta_generic_to_shared(shared))),
      "l"(global), "r"(there ? 4 : 0)
      : "memory");
#endif
}
// commit makes the copies since the last commit a group; wait returns when at most `groups` groups are in
// flight.
__device__ __forceinline__ void cp_async_commit() {
#ifndef GG_CUDA_EMULATED
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int groups>
__device__ __forceinline__ void cp_async_wait() {
#ifndef GG_CUDA_EMULATED
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#endif
}

// ---- tf32: float32 whose lowest 13 bits are ignored
// Rounds to the nearest tf32, ties away from 0.
__device__ __forceinline__ uint32_t tf32_of(float x) {
#ifdef GG_CUDA_EMULATED
  return x != x ? 0x7fffe000 : (__builtin_bit_cast(uint32_t, x) + 0x1000) & ~0x1fffu;
#else
  uint32_t y;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
  return y;
#endif
}
// c += a·b for a (16×8) and b (8×8), summed in float32.
// a: (group, number), (group + 8, number), (group, number + 4), (group + 8, number + 4)
// b: (number, group), (number + 4, group); c as above
__device__ __forceinline__ void mma_tf32(float& c0, float& c1, float& c2, float& c3, const MatrixA& a,
                                         uint32_t b0, uint32_t b1) {
#ifdef GG_CUDA_EMULATED
  const Operands* const warp = shown_by_warp(Operands{{a[0], a[1], a[2], a[3]}, {b0, b1}});
  const int group = int(threadIdx.x % 32) / 4, number = int(threadIdx.x) % 4;
  float* const c[] = {&c0, &c1, &c2, &c3};
  const auto number_of = [](uint32_t bits) { return __builtin_bit_cast(float, bits & ~0x1fffu); };
  for (int n = 0; n < 4; ++n)
    for (int k = 0, i = group + n / 2 * 8, j = number * 2 + n % 2; k < 8; ++k)
      *c[n] +=
          number_of(warp[i % 8 * 4 + k % 4].a[i / 8 + k / 4 * 2]) * number_of(warp[j * 4 + k % 4].b[k / 4]);
  __syncwarp();
#else
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

}  // namespace glassgrad::cuda
