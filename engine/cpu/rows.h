// Loops over a row of contiguous numbers: whole vectors first, then the numbers left over. For *.isa.cpp
// files only.
#pragma once
#include "vec.h"

namespace glassgrad::GG_ISA {
namespace {

// Reads or writes a value of the type of `kind`: a vector or a number.
template <class V, class T>
GG_INLINE V get(const V& kind, const T* p) {
  V v = kind;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class V, class T>
GG_INLINE void put(T* p, const V& v) {
  __builtin_memcpy(p, &v, sizeof v);
}

// Calls f(V{}, i) for whole vectors, then f(T{}, i) for the numbers left over.
template <class T, class F>
GG_INLINE void for_each(int64_t n, F f) {
  int64_t i = 0;
  for (; i + kLanes<T> <= n; i += kLanes<T>) f(Vec<T>{}, i);
  for (; i < n; ++i) f(T{}, i);
}

// Adds the lanes in the order of PyTorch's vectors of this type.
GG_INLINE float add_lanes(const F32s& l) {
  return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]));
}
GG_INLINE double add_lanes(const F64s& l) { return ((l[0] + l[1]) + l[2]) + l[3]; }

// Returns Σ of what add(sum, i) adds; sum is a vector or a number. Sums in lanes; the numbers left over go
// into the first lanes. Starts from −0, so that a sum of −0 stays −0.
template <class T, class F>
GG_INLINE T total(int64_t n, F add) {
  constexpr int lanes = kLanes<T>;
  if (n < lanes) {
    T sum = -T(0);
    for (int64_t i = 0; i < n; ++i) add(sum, i);
    return sum;
  }
  Vec<T> sum = -Vec<T>{};
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) add(sum, i);
  for (int lane = 0; i < n; ++i, ++lane) {
    T one = sum[lane];
    add(one, i);
    sum[lane] = one;
  }
  return add_lanes(sum);
}

}  // namespace
}  // namespace glassgrad::GG_ISA
