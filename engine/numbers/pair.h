// Numbers as the sum of two floats, with twice the digits of one, in the steps of PyTorch's vector code.
#pragma once
#include "builtin.h"

namespace glassgrad::GG_ISA {

template <class V>
struct Pair {
  V high, low;
};
template <class V>
GG_INLINE Pair<V> exact_sum(const V& a, const V& b) {
  const V sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
// For |a| ≥ |b|: three steps instead of exact_sum's six.
GG_INLINE Pair<float> quick_sum(float a, float b) {
  const float sum = a + b;
  return {sum, (a - sum) + b};
}
GG_INLINE Pair<float> quick_sum(float a, Pair<float> b) {
  const Pair<float> s = quick_sum(a, b.high);
  return {s.high, s.low + b.low};
}
GG_INLINE Pair<float> quick_sum(Pair<float> a, float b) {
  const Pair<float> s = quick_sum(a.high, b);
  return {s.high, s.low + a.low};
}
GG_INLINE Pair<float> multiply(Pair<float> a, Pair<float> b) {
  const float product = a.high * b.high;
  return {product, fma(a.high, b.low, fma(a.low, b.high, fma(a.high, b.high, -product)))};
}
GG_INLINE Pair<float> multiply(Pair<float> a, float b) {
  const float product = a.high * b;
  return {product, fma(a.low, b, fma(a.high, b, -product))};
}
GG_INLINE Pair<float> squared(Pair<float> a) {
  const float square = a.high * a.high;
  return {square, fma(a.high + a.high, a.low, fma(a.high, a.high, -square))};
}
GG_INLINE Pair<float> inverse(Pair<float> a) {
  const float r = 1.0f / a.high;
  return {r, r * fma(-a.low, r, fma(-a.high, r, 1.0f))};
}

}  // namespace glassgrad::GG_ISA
