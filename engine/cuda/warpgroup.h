// Products of a warpgroup, bf16 summed in float32. A warpgroup is four warps, each with 16 of 64 rows. On
// sm_90a, wgmma computes the products while the threads continue; elsewhere, mma computes each immediately.
// PTX ISA, "Asynchronous warpgroup level matrix instructions":
// https://docs.nvidia.com/cuda/parallel-thread-execution
#pragma once
#include "mma.h"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && !defined(GG_CUDA_EMULATED) && !defined(GG_WITHOUT_WGMMA)
#define GG_WGMMA
#endif
#ifdef __CUDACC__
#define GG_UNROLL _Pragma("unroll")
#define GG_LOOP _Pragma("unroll 1")
#else
#define GG_UNROLL
#define GG_LOOP
#endif

namespace glassgrad::cuda {

constexpr int kGroupThreads = 128, kGroupRows = 64;  // of a warpgroup

// Rows of bf16 in shared memory, 64 columns to a panel. A row of a panel has 8 pieces of 16 bytes; piece c is
// at place c ^ row % 8, so that one column of 8 rows is in different banks. wgmma knows this order as its
// swizzle of 128 bytes, which needs a panel to begin at a multiple of 1024.
template <int count, int size>
struct SwizzledRows {
  static constexpr int kPieces = size / 8;
  uint4 piece[size / 64][count][8];

  __device__ __forceinline__ void* at(int row, int column) {
    return reinterpret_cast<char*>(&piece[column / 64][row][column / 8 % 8 ^ row % 8]) + column % 8 * 2;
  }
  __device__ __forceinline__ const void* at(int row, int column) const {
    return const_cast<SwizzledRows*>(this)->at(row, column);
  }
};

// The index of this thread's warpgroup in the block. The shuffle tells the compiler that it is the same for a
// whole warp.
__device__ __forceinline__ int group_of_block() {
#ifdef GG_CUDA_EMULATED
  return int(threadIdx.x) / kGroupThreads;
#else
  return __shfl_sync(0xffffffffu, int(threadIdx.x) / kGroupThreads, 0);
#endif
}
__device__ __forceinline__ int warp_of_group() { return int(threadIdx.x) / 32 % 4; }
__device__ __forceinline__ int lane() { return int(threadIdx.x) % 32; }

// ---- order of calls: begin, products, end; then wait until at most `under_way` of the ended ones are in
// flight. Until then no thread may touch their operands and results.
__device__ __forceinline__ void begin_products() {
#ifdef GG_WGMMA
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void end_products() {
#ifdef GG_WGMMA
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}
template <int under_way>
__device__ __forceinline__ void wait_for_products() {
#ifdef GG_WGMMA
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(under_way) : "memory");
#endif
}
// Makes the compiler assume that these registers are read and written here, because products in flight use
// them.
template <int count>
__device__ __forceinline__ void pin(MatrixC (&c)[count]) {
#ifdef GG_WGMMA
  GG_UNROLL for (int n = 0; n < count * 4; ++n) asm volatile("" : "+f"(c[n / 4][n % 4])::"memory");
#else
  (void)c;
#endif
}
template <int count>
__device__ __forceinline__ void pin(MatrixA (&a)[count]) {
#ifdef GG_WGMMA
  GG_UNROLL for (int n = 0; n < count * 4; ++n) asm volatile("" : "+r"(a[n / 4][n % 4])::"memory");
#else
  (void)a;
#endif
}
// Makes data visible to the tensor cores that cp.async has written and this thread has waited for.
__device__ __forceinline__ void show_to_tensor_cores() {
#ifdef GG_WGMMA
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

#ifdef GG_WGMMA
constexpr bool kProductsGoOn = true;  // while the threads continue
// The descriptor by which wgmma reads a matrix in shared memory: a panel from a multiple of 8 rows on, groups
// of 8 rows 1024 bytes apart. An operand never spans two panels. `+` advances by `bytes`, a multiple of 16.
struct InShared {
  uint32_t low;

  __device__ __forceinline__ explicit InShared(const void* first)
      : low((uint32_t(__cvta_generic_to_shared(first)) & 0x3ffffu) >> 4 | uint32_t(1) << 16) {}
  __device__ __forceinline__ uint64_t operator+(int bytes) const {
    return uint64_t(1024 >> 4 | 1 << 30) << 32 | (low + uint32_t(bytes >> 4));
  }
};
#define GG_TILE(how, n) how(c[n][0]), how(c[n][1]), how(c[n][2]), how(c[n][3])
#define GG_TILES(how)                                                                                   \
  GG_TILE(how, 0), GG_TILE(how, 1), GG_TILE(how, 2), GG_TILE(how, 3), GG_TILE(how, 4), GG_TILE(how, 5), \
      GG_TILE(how, 6), GG_TILE(how, 7)
#define GG_PRODUCT                                                                                      \
  "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "                                               \
  "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26," \
  "%27,%28,%29,%30,%31}, "
// c = a·bᵀ, or c += a·bᵀ: 64 rows of a and of b, 16 columns. The first form does not take c as an input,
// which would tie the input and the output to the same registers.
template <bool adds>
__device__ __forceinline__ void product_transposed(MatrixC* c, uint64_t a, uint64_t b) {
  if constexpr (adds)
    asm volatile("{.reg .pred p; setp.eq.b32 p, 0, 0;\n" GG_PRODUCT "%32, %33, p, 1, 1, 0, 0;}"
                 : GG_TILES("+f")
                 : "l"(a), "l"(b));
  else
    asm volatile("{.reg .pred p; setp.ne.b32 p, 0, 0;\n" GG_PRODUCT "%32, %33, p, 1, 1, 0, 0;}"
                 : GG_TILES("=f")
                 : "l"(a), "l"(b));
}
template <bool adds>
__device__ __forceinline__ void product_transposed(MatrixC* c, const MatrixA& a, uint64_t b) {
  if constexpr (adds)
    asm volatile("{.reg .pred p; setp.eq.b32 p, 0, 0;\n" GG_PRODUCT "{%32,%33,%34,%35}, %36, p, 1, 1, 0;}"
                 : GG_TILES("+f")
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
  else
    asm volatile("{.reg .pred p; setp.ne.b32 p, 0, 0;\n" GG_PRODUCT "{%32,%33,%34,%35}, %36, p, 1, 1, 0;}"
                 : GG_TILES("=f")
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
// c += a·b, where b has 16 rows and 64 columns.
__device__ __forceinline__ void product(MatrixC* c, const MatrixA& a, uint64_t b) {
  asm volatile("{.reg .pred p; setp.eq.b32 p, 0, 0;\n" GG_PRODUCT "{%32,%33,%34,%35}, %36, p, 1, 1, 1;}"
               : GG_TILES("+f")
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
#undef GG_PRODUCT
#undef GG_TILES
#undef GG_TILE
#else
constexpr bool kProductsGoOn = false;
#endif

// Loads 16 columns of this warp's rows, of the 64 from `first` on, as a first factor.
template <int count, int size>
__device__ __forceinline__ void load(MatrixA& a, const SwizzledRows<count, size>& from, int first,
                                     int column) {
  ldmatrix<false>(a, from.at(first + warp_of_group() * 16 + lane() % 16, column + lane() / 16 * 8));
}
// 64 rows as the first factors of products: read from shared memory, or loaded to registers once.
template <bool in_registers, int count, int size>
struct FirstFactor;
template <int count, int size>
struct FirstFactor<false, count, size> {
  const SwizzledRows<count, size>& rows;
  int first;

  __device__ __forceinline__ FirstFactor(const SwizzledRows<count, size>& of, int first_row)
      : rows(of), first(first_row) {}
  __device__ __forceinline__ void hold() {}
};
template <int count, int size>
struct FirstFactor<true, count, size> : FirstFactor<false, count, size> {
  MatrixA a[size / 16];

  using FirstFactor<false, count, size>::FirstFactor;
  __device__ __forceinline__ void hold() {
    GG_UNROLL for (int k = 0; k < size / 16; ++k) load(a[k], this->rows, this->first, k * 16);
  }
};

// y = own·xᵀ, all rows of x.
template <bool in_registers, int own_count, int count, int size>
__device__ __forceinline__ void set_product(MatrixC (&y)[count / 8],
                                            const FirstFactor<in_registers, own_count, size>& own,
                                            const SwizzledRows<count, size>& x) {
#ifdef GG_WGMMA
  constexpr int own_panel = own_count * 128, panel = count * 128, step = 32;  // bytes
  const InShared a(&own.rows.piece[0][own.first]), b(x.piece);
  GG_UNROLL for (int k = 0; k < size / 16; ++k) {
    GG_UNROLL for (int n = 0; n < count / 64; ++n) {
      const uint64_t of_b = b + (k / 4 * panel + n * 64 * 128 + k % 4 * step);
      if constexpr (in_registers) {
        k == 0 ? product_transposed<false>(&y[n * 8], own.a[k], of_b)
               : product_transposed<true>(&y[n * 8], own.a[k], of_b);
      } else {
        const uint64_t of_a = a + (k / 4 * own_panel + k % 4 * step);
        k == 0 ? product_transposed<false>(&y[n * 8], of_a, of_b)
               : product_transposed<true>(&y[n * 8], of_a, of_b);
      }
    }
  }
#else
  GG_UNROLL for (int n = 0; n < count / 2; ++n) y[n / 4][n % 4] = 0;
  GG_LOOP for (int k = 0; k < size / 16; ++k) {  // if unrolled, it would load all of x at once
    MatrixA a;
    load(a, own.rows, own.first, k * 16);
    GG_UNROLL for (int n = 0; n < count / 16; ++n) {
      uint32_t b[4];
      ldmatrix<false>(b, x.at(n * 16 + lane() / 16 * 8 + lane() % 8, k * 16 + lane() / 8 % 2 * 8));
      mma_bf16(y[2 * n], a, b[0], b[1]);
      mma_bf16(y[2 * n + 1], a, b[2], b[3]);
    }
  }
#endif
}

// y += w·x, where w has a column for each row of x.
template <int count, int size>
__device__ __forceinline__ void add_product(MatrixC (&y)[size / 8], const MatrixA (&w)[count / 16],
                                            const SwizzledRows<count, size>& x) {
#ifdef GG_WGMMA
  const InShared b(x.piece);
  GG_UNROLL for (int k = 0; k < count / 16; ++k) {
    GG_UNROLL for (int n = 0; n < size / 64; ++n) product(&y[n * 8], w[k], b + (n * count + k * 16) * 128);
  }
#else
  GG_UNROLL for (int k = 0; k < count / 16; ++k) {
    GG_UNROLL for (int n = 0; n < size / 16; ++n) {
      uint32_t b[4];
      ldmatrix<true>(b, x.at(k * 16 + lane() % 16, n * 16 + lane() / 16 * 8));
      mma_bf16(y[2 * n], w[k], b[0], b[1]);
      mma_bf16(y[2 * n + 1], w[k], b[2], b[3]);
    }
  }
#endif
}

// Rounds results for use as the first factor of the next product: two tiles are laid out like one a.
template <int tiles>
__device__ __forceinline__ void round_to(MatrixA (&a)[tiles / 2], const MatrixC (&c)[tiles]) {
  GG_UNROLL for (int n = 0; n < tiles * 2; ++n) {
    a[n / 4][n % 4] = bf16_pair(c[n / 2][n % 2 * 2], c[n / 2][n % 2 * 2 + 1]);
  }
}

}  // namespace glassgrad::cuda
