// The offsets of the elements of a loop over several operands of any strides. For .cu files only.
#pragma once
#include "../core/types.h"

namespace glassgrad::cuda {

// a / b for a, b ≥ 0, in 32 bits if possible: 64-bit division takes several times as long.
GG_INLINE int64_t quotient(int64_t a, int64_t b) {
  const bool small = uint64_t(a) >> 32 == 0 && uint64_t(b) >> 32 == 0;
  return small ? int64_t(uint32_t(a) / uint32_t(b)) : a / b;
}

// The offsets of element i of a loop, in logical order: at[k] elements after operand k's first.
template <int N, int M>
GG_INLINE void find_places(int dims, const int64_t (&size)[kMaxDims], const int64_t (&step)[kMaxDims][M],
                           int64_t i, int64_t (&at)[N]) {
  for (int k = 0; k < N; ++k) at[k] = 0;
  for (int d = dims - 1; d >= 0; --d) {
    const int64_t rest = d == 0 ? 0 : quotient(i, size[d]);
    const int64_t index = i - rest * size[d];
    for (int k = 0; k < N; ++k) at[k] += index * step[d][k];
    i = rest;
  }
}

// Joins neighbouring dimensions if one step per operand serves both.
template <int N>
struct Walk {
  int dims = 0;
  int64_t size[kMaxDims];
  int64_t step[kMaxDims][N];  // in elements

  Walk(const Dims& shape, const Dims (&strides)[N]) {
    for (int d = 0; d < shape.n; ++d) {
      if (shape.v[d] == 1) continue;
      bool joins = dims > 0;
      for (int k = 0; k < N && joins; ++k) joins = step[dims - 1][k] == strides[k].v[d] * shape.v[d];
      if (!joins) size[dims++] = 1;
      size[dims - 1] *= shape.v[d];
      for (int k = 0; k < N; ++k) step[dims - 1][k] = strides[k].v[d];
    }
  }

  GG_INLINE void places(int64_t i, int64_t (&at)[N]) const { find_places(dims, size, step, i, at); }
};

// Calls f(T{}) with an integer of an element's size, for ops that only move elements.
template <class F>
void any_size(DType t, F f) {
  const int64_t size = item_size(t);
  size == 1 ? f(uint8_t{}) : size == 2 ? f(uint16_t{}) : size == 4 ? f(uint32_t{}) : f(uint64_t{});
}

}  // namespace glassgrad::cuda
