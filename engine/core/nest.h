// A loop over operands of any strides, planned once: plain data for the CPU's loops and for GPUs.
#pragma once
#include <utility>

#include "types.h"

namespace glassgrad {

// a / b for a, b ≥ 0, in 32 bits if possible: 64-bit division takes several times as long.
GG_INLINE int64_t quotient(int64_t a, int64_t b) {
  const bool small = uint64_t(a) >> 32 == 0 && uint64_t(b) >> 32 == 0;
  return small ? int64_t(uint32_t(a) / uint32_t(b)) : a / b;
}
GG_INLINE unsigned quotient(unsigned a, unsigned b) { return a / b; }

// The offsets of an element from the first one, in elements: one for each of N operands.
template <int N>
struct Offsets {
  int64_t v[N] = {};
  GG_INLINE int64_t operator[](int k) const { return v[k]; }
};

// Dimensions, outermost first, with each operand's step. Neighbours are joined if one step per operand serves
// both; dimensions of size 1 are left out.
template <int N>
struct Nest {
  int dims = 0;
  int64_t size[kMaxDims];
  int64_t step[kMaxDims][N];  // in elements

  Nest() = default;
  // The dimensions of a shape in logical order, or in a given one, innermost first.
  GG_HOST_INLINE Nest(const Dims& shape, const Dims (&strides)[N]) {
    for (int d = 0; d < shape.n; ++d) push(shape, strides, d);
  }
  GG_HOST_INLINE Nest(const Dims& shape, const Dims (&strides)[N], const Dims& order) {
    for (int i = order.n - 1; i >= 0; --i) push(shape, strides, order.v[i]);
  }
  // Adds a dimension inside the others: dimension d of a shape, or one of n elements.
  GG_HOST_INLINE void push(const Dims& shape, const Dims (&strides)[N], int64_t d) {
    int64_t steps[N];
    for (int k = 0; k < N; ++k) steps[k] = strides[k].v[d];
    push(shape.v[d], steps);
  }
  GG_INLINE void push(int64_t n, const int64_t (&steps)[N]) {
    if (n == 1) return;
    bool joins = dims > 0;  // compared modulo 2^64: an empty tensor may have any strides
    for (int k = 0; k < N && joins; ++k)
      joins = uint64_t(step[dims - 1][k]) == uint64_t(steps[k]) * uint64_t(n);
    if (!joins) size[dims++] = 1;
    size[dims - 1] *= n;
    for (int k = 0; k < N; ++k) step[dims - 1][k] = steps[k];
  }

  GG_HOST_INLINE int64_t numel() const {
    int64_t n = 1;
    for (int d = 0; d < dims; ++d) n *= size[d];
    return n;
  }
  // The length of a row, the innermost dimension, and operand k's step along it.
  GG_INLINE int64_t length() const { return dims ? size[dims - 1] : 1; }
  GG_INLINE int64_t along(int k) const { return dims ? step[dims - 1][k] : 0; }
  // Do operand 0's elements fill a stretch of memory in order?
  GG_INLINE bool side_by_side() const { return dims == 0 || (dims == 1 && step[0][0] == 1); }

  // The offsets of element i for the first M operands. An unsigned i is divided in 32 bits.
  template <int M = N, class I>
  GG_INLINE Offsets<M> at(I i) const {
    Offsets<M> place;
    for (int d = dims - 1; d >= 0; --d) {
      const I rest = d == 0 ? 0 : quotient(i, I(size[d]));
      const I index = i - rest * I(size[d]);
      for (int k = 0; k < M; ++k) place.v[k] += index * step[d][k];
      i = rest;
    }
    return place;
  }

  // Calls f(the offsets, for the first M operands, of a row's first element) for the rows first … last−1.
  template <int M = N, class F>
  GG_HOST_INLINE void each_row(int64_t first, int64_t last, F f) const {
    Offsets<M> row;
    int64_t index[kMaxDims] = {}, rest = first;
    for (int d = dims - 2; d >= 0 && rest > 0; --d) {
      index[d] = rest % size[d];
      rest /= size[d];
      for (int k = 0; k < M; ++k) row.v[k] += index[d] * step[d][k];
    }
    for (; first < last; ++first) {
      f(row);
      for (int d = dims - 2; d >= 0; --d) {
        for (int k = 0; k < M; ++k) row.v[k] += step[d][k];
        if (++index[d] < size[d]) break;
        for (int k = 0; k < M; ++k) row.v[k] -= size[d] * step[d][k];
        index[d] = 0;
      }
    }
  }
  // Calls f(p₀, p₁, …) for all elements, the innermost dimension fastest, with the offset p_k in operand k.
  template <class F>
  GG_HOST_INLINE void each(F f) const {
    const int64_t n = length();
    int64_t rows = n > 0 ? 1 : 0;
    for (int d = 0; d < dims - 1; ++d) rows *= size[d];
    [&]<size_t... K>(std::index_sequence<K...>) {
      const int64_t steps[N] = {along(int(K))...};
      each_row(0, rows, [&](const Offsets<N>& row) {
        for (int64_t i = 0; i < n; ++i) f((row.v[K] + i * steps[K])...);
      });
    }
    (std::make_index_sequence<N>{});
  }
};

// ---- the order of dimensions
// Returns the dimensions 0 … n−1, innermost first. outside(a, b) is 1 if a lies outside of b, −1 if inside, 0
// if undecided. This is PyTorch's insertion sort, which leaves undecided pairs in their order.
template <class F>
GG_HOST_INLINE Dims sorted_dims(int n, F outside) {
  Dims order;
  for (int d = n - 1; d >= 0; --d) order.v[order.n++] = d;
  for (int i = 1; i < n; ++i)
    for (int moving = i, j = i - 1; j >= 0; --j) {
      const int64_t other = order.v[j], own = order.v[moving];
      const int is_outside = outside(other, own);
      if (is_outside < 0) break;
      if (is_outside == 0) continue;
      order.v[j] = own;
      order.v[moving] = other;
      moving = j;
    }
  return order;
}
// Does dimension a lie outside of b in memory? As in PyTorch, the first of the operands decides that has a
// stride for both: a stride of 0 (expanded) says nothing about the order.
GG_HOST_INLINE int outside_in_memory(const Dims& shape, const Dims* strides, size_t operands, int64_t a,
                                     int64_t b) {
  for (size_t k = 0; k < operands; ++k) {
    const int64_t of_a = strides[k].v[a], of_b = strides[k].v[b];
    if (of_a == 0 || of_b == 0) continue;
    if (of_a != of_b) return of_a > of_b ? 1 : -1;
    if (shape.v[a] > shape.v[b]) return 1;
  }
  return 0;
}

// A reduction of x to y: `kept` leads to the cells of the result, `reduced` from a cell's first element to
// the others. Both have the steps of x and y.
struct Cells {
  Nest<2> kept, reduced;

  Cells() = default;
  // y has x's shape, with stride 0 along the reduced dimensions. order: the dimensions, innermost first.
  GG_HOST_INLINE Cells(const View& x, const View& y, const Dims& order) {
    for (int i = order.n - 1; i >= 0; --i) {
      const int64_t d = order.v[i];
      (y.strides.v[d] ? kept : reduced).push(x.shape.v[d], {x.strides.v[d], y.strides.v[d]});
    }
  }
};

}  // namespace glassgrad
