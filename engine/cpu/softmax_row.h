// The softmax of a row in PyTorch's order: sums in 8 float lanes (4 of double), and a reciprocal instead of a
// division. For *.isa.cpp files only.
#pragma once
#include <type_traits>

#include "rows.h"

namespace glassgrad::GG_ISA {
namespace {

// Returns the larger number, or b if b is NaN.
template <class V>
GG_INLINE V larger(const V& a, const V& b) {
  return ((b > a) | (b != b)) ? b : a;
}

// Returns the largest of n numbers, one or more; NaN if one of them is NaN.
template <class T>
T max_of(const T* x, int64_t n) {
  constexpr int kChains = 4;  // independent chains, so none waits for a different one
  T top = x[0];
  int64_t i = 0;
  if (n >= kLanes<T>) {
    Vec<T> lanes[kChains];
    for (Vec<T>& l : lanes) l = load(x);
    for (; i + kChains * kLanes<T> <= n; i += kChains * kLanes<T>)
      GG_UNROLL for (int c = 0; c < kChains; ++c) lanes[c] = larger(lanes[c], load(x + i + c * kLanes<T>));
    for (; i + kLanes<T> <= n; i += kLanes<T>) lanes[0] = larger(lanes[0], load(x + i));
    const Vec<T> all = larger(larger(lanes[0], lanes[1]), larger(lanes[2], lanes[3]));
    for (int lane = 0; lane < kLanes<T>; ++lane) top = larger(top, T(all[lane]));
  }
  for (; i < n; ++i) top = larger(top, x[i]);
  return top;
}

// Σ x[i]
template <class T>
T total(const T* x, int64_t n) {
  return total<T>(n, [x](auto& sum, int64_t i) { sum += get(sum, x + i); });
}

// Calls f(V{}, i) for the widest vectors that are multiples of PyTorch's, then continues like for_each.
template <class T, class F>
GG_INLINE void for_each_wide(int64_t n, F f) {
  using V = std::conditional_t<(kWide<T> > kLanes<T>), Wide<T>, Vec<T>>;
  constexpr int64_t kStep = int64_t(sizeof(V) / sizeof(T));
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) f(V{}, i);
  for_each<T>(n - i, [&](const auto& zero, int64_t j) { f(zero, i + j); });
}

// y[i] = x[i] after f(v) has changed it
template <class T, class F>
GG_INLINE void for_each_of_row(const T* x, T* y, int64_t n, F f) {
  for_each_wide<T>(n, [&](const auto& zero, int64_t i) {
    auto v = get(zero, x + i);
    f(v);
    put(y + i, v);
  });
}

// Returns Σ v in the order of `total`, where set(v, i) sets v, a vector or a number, to the values from i on.
// Adds while the next values are computed, in the widest vectors.
template <class T, class F>
GG_INLINE T total_of(int64_t n, F set) {
  constexpr int64_t lanes = kLanes<T>, kStep = kWide < T >> lanes ? kWide<T> : lanes;
  T one{}, sum_of_few = -T(0);
  for (int64_t i = 0; n < lanes && i < n; ++i) set(one, i), sum_of_few += one;
  if (n < lanes) return sum_of_few;
  Vec<T> sum = -Vec<T>{}, v{};
  int64_t i = 0;
  if constexpr (kStep > lanes)
    for (; i + kStep <= n; i += kStep) {
      Wide<T> wide{};
      T values[kWide<T>];
      set(wide, i);
      store_wide(values, wide);
      for (int64_t j = 0; j < kStep; j += lanes) sum += load(values + j);
    }
  for (; i + lanes <= n; i += lanes) set(v, i), sum += v;
  for (int lane = 0; i < n; ++i, ++lane) set(one, i), sum[lane] += one;
  return add_lanes(sum);
}

// y[i] = exp(x[i] − top). Returns their sum in the order of `total`. y may be x.
template <class T>
GG_INLINE T exps_of(const T* x, T* y, int64_t n, T top) {
  return total_of<T>(n, [=](auto& v, int64_t i) {
    v = exp(get(v, x + i) - top);
    put(y + i, v);
  });
}

template <class T>
GG_INLINE void multiply_row(T* y, int64_t n, T factor) {
  for_each_of_row(y, y, n, [factor](auto& v) { v = v * factor; });
}

}  // namespace
}  // namespace glassgrad::GG_ISA
