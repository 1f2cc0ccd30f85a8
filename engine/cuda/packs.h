// Shared by row kernels and reductions: numbers read 16 bytes at a time, and a row in the registers of a
// warp. For .cu files only.
#pragma once
#include "launch.h"

// Unrolls the next loop completely, so that arrays it indexes stay in registers.
#ifdef __CUDACC__
#define GG_UNROLL_ALL _Pragma("unroll")
#else
#define GG_UNROLL_ALL
#endif

namespace glassgrad::cuda {

inline dim3 blocks_for(int64_t n) { return dim3(unsigned(n < kMostBlocks ? n : kMostBlocks)); }

// `width` numbers that are read and written by one instruction.
template <class T, int width>
struct alignas(sizeof(T) * width) Packed {
  T v[width];
};
template <class T>
inline constexpr int kInPack = 16 / int(sizeof(T));
GG_INLINE bool is_aligned(const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; }
// True if rows of n numbers at all these addresses consist of whole, aligned packs; null counts as aligned.
template <class T, class... P>
bool in_packs(int64_t n, const P*... data) {
  return n % kInPack<T> == 0 && (is_aligned(data) && ...);
}
// Returns the pack at row + i, read as 16 bytes: the compiler would often read its numbers one by one.
template <int width, class T>
__device__ Packed<T, width> get_pack(const T* row, int64_t i) {
  Packed<T, width> pack;
  if constexpr (sizeof pack == sizeof(uint4)) {
    const uint4 raw = *reinterpret_cast<const uint4*>(row + i);
    memcpy(&pack, &raw, sizeof pack);
  } else {
    pack = *reinterpret_cast<const Packed<T, width>*>(row + i);
  }
  return pack;
}
// Writes a pack to row + i in the GPU's memory at once; the compiler turns a plain assignment into several
// writes.
template <int width, class T>
__device__ void put_pack(T* row, int64_t i, const Packed<T, width>& pack) {
  if constexpr (sizeof pack == sizeof(float4)) {
    float4 raw;
    memcpy(&raw, &pack, sizeof pack);
    __stwb(reinterpret_cast<float4*>(row + i), raw);
  } else {
    *reinterpret_cast<Packed<T, width>*>(row + i) = pack;
  }
}
// The same for shared memory, which __stwb cannot write.
template <int width, class T>
__device__ void put_shared_pack(T* row, int64_t i, const Packed<T, width>& pack) {
  *reinterpret_cast<Packed<T, width>*>(row + i) = pack;
}

// Calls add(load(i), i) for i = first, first + step, … before last, in order. Several loads are in flight at
// once, so add(…, i) must not change anything that is loaded for a different i.
template <class Load, class Add>
__device__ void read_ahead(int64_t first, int64_t last, int64_t step, Load load, Add add) {
  using Loaded = decltype(load(first));
  constexpr int kAhead = sizeof(Loaded) > 16 ? 2 : 4;
  for (; first + (kAhead - 1) * step < last; first += kAhead * step) {
    Loaded next[kAhead];
    GG_UNROLL_ALL for (int k = 0; k < kAhead; ++k) next[k] = load(first + k * step);
    GG_UNROLL_ALL for (int k = 0; k < kAhead; ++k) add(next[k], first + k * step);
  }
  for (; first < last; first += step) add(load(first), first);
}

// ---- a row of n numbers in the registers of a warp: lane l has packs l, l + 32, …
template <class T, int width, int packs>
using WarpRow = T[packs][width];

// Calls f(k, j, i) for the numbers of this lane, including those beyond n. v[k][j] is number i of the row.
template <int width, int packs, class F>
__device__ void each_in_lane(F f) {
  GG_UNROLL_ALL for (int k = 0; k < packs; ++k) GG_UNROLL_ALL for (int j = 0; j < width; ++j)
      f(k, j, (k * 32 + int(threadIdx.x % 32)) * width + j);
}
// Returns pack k of this lane; numbers past the end of the row are `beyond`.
template <class T, int width>
__device__ Packed<T, width> pack_of_lane(const T* row, int k, int n, T beyond) {
  const int at = k * 32 + int(threadIdx.x % 32);
  Packed<T, width> pack;
  for (T& x : pack.v) x = beyond;
  if (at * width < n) pack = reinterpret_cast<const Packed<T, width>*>(row)[at];
  return pack;
}
// The row in memory may have a narrower type X.
template <class T, int width, int packs, class X>
__device__ void load_row(WarpRow<T, width, packs>& v, const X* row, int n, T beyond) {
  GG_UNROLL_ALL for (int k = 0; k < packs; ++k) {
    const Packed<X, width> pack = pack_of_lane<X, width>(row, k, n, X(beyond));
    GG_UNROLL_ALL for (int j = 0; j < width; ++j) v[k][j] = T(pack.v[j]);
  }
}
template <class T, int width, int packs, class X>
__device__ void store_row(const WarpRow<T, width, packs>& v, X* row, int n) {
  GG_UNROLL_ALL for (int k = 0; k < packs; ++k) {
    const int at = k * 32 + int(threadIdx.x % 32);
    Packed<X, width> pack;
    GG_UNROLL_ALL for (int j = 0; j < width; ++j) pack.v[j] = X(v[k][j]);
    if (at * width < n) reinterpret_cast<Packed<X, width>*>(row)[at] = pack;
  }
}
// True if a warp's registers can hold a row, in whole packs or not.
template <class T>
bool fits_in_warp(int64_t n, bool packed) {
  return n <= 32 * (packed ? 8 * kInPack<T> : 4);
}
// Calls Rows<T, width, packs>::run(…), which launches a kernel with a warp for each row. Returns false if a
// row does not fit into a warp.
template <template <class, int, int> class Rows, class T, class... A>
bool run_in_warps(int64_t n, bool packed, const A&... a) {
  constexpr int kWidth = kInPack<T>;
  if (!fits_in_warp<T>(n, packed)) return false;
  const int64_t packs = (n + 31) / 32, wide = (n + 32 * kWidth - 1) / (32 * kWidth);
  if (!packed) {
    packs <= 1 ? Rows<T, 1, 1>::run(a...) : packs <= 2 ? Rows<T, 1, 2>::run(a...) : Rows<T, 1, 4>::run(a...);
    return true;
  }
  wide <= 1   ? Rows<T, kWidth, 1>::run(a...)
  : wide <= 2 ? Rows<T, kWidth, 2>::run(a...)
  : wide <= 4 ? Rows<T, kWidth, 4>::run(a...)
  : wide <= 6 ? Rows<T, kWidth, 6>::run(a...)
              : Rows<T, kWidth, 8>::run(a...);
  return true;
}
constexpr unsigned kRowWarps = 4;  // in a block
inline Grid grid_of_rows(int64_t rows) { return grid_of(rows * 32, kRowWarps * 32); }

// ---- a row for each block
// Calls f(pack, i) for the packs of a row, where i is the index of a pack's first number. The block's threads
// share them.
template <int width, class T, class F>
__device__ void each_pack(const T* row, int64_t n, F f) {
  read_ahead(
      int64_t(threadIdx.x) * width, n / width * width, int64_t(blockDim.x) * width,
      [&](int64_t i) { return get_pack<width>(row, i); }, f);
}
// The same for the packs of two rows: f(pack, other, i).
template <int width, class T, class U, class F>
__device__ void each_pack(const T* row, const U* others, int64_t n, F f) {
  struct Two {
    Packed<T, width> own;
    Packed<U, width> other;
  };
  read_ahead(
      int64_t(threadIdx.x) * width, n / width * width, int64_t(blockDim.x) * width,
      [&](int64_t i) {
        return Two{get_pack<width>(row, i), get_pack<width>(others, i)};
      },
      [&](const Two& two, int64_t i) { f(two.own, two.other, i); });
}
// A row up to this size is read once, into shared memory; two blocks of a multiprocessor fit.
inline constexpr size_t kMostShared = 96 * 1024;
inline unsigned threads_for_row(int64_t packs) { return packs <= 128 ? 128 : packs <= 512 ? 256 : 512; }

}  // namespace glassgrad::cuda
