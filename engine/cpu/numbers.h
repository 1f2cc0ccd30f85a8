// The functions that the texts of ops/pointwise.def name, for numbers: float, double and Integer. For *.isa.cpp files
// only: compiler builtins stand for <cmath>, whose inline functions all instruction sets would share.
#pragma once
#include "vecmath.h"

namespace glassgrad::GG_ISA {
namespace {

// int64 that wraps around instead of overflowing, or bool with + as or and * as and.
template <class S>
struct Integer {
  S v;

  GG_INLINE Integer(int64_t x) : v(S(x)) {}
  GG_INLINE static Integer of_bits(uint64_t x) { return sizeof(S) == 1 ? Integer(x != 0) : Integer(int64_t(x)); }
  GG_INLINE uint64_t bits() const { return uint64_t(v); }

  GG_INLINE friend Integer operator+(Integer a, Integer b) { return of_bits(a.bits() + b.bits()); }
  GG_INLINE friend Integer operator-(Integer a, Integer b) { return of_bits(a.bits() - b.bits()); }
  GG_INLINE friend Integer operator*(Integer a, Integer b) { return of_bits(a.bits() * b.bits()); }
  GG_INLINE friend Integer operator&(Integer a, Integer b) { return of_bits(a.bits() & b.bits()); }
  GG_INLINE friend Integer operator|(Integer a, Integer b) { return of_bits(a.bits() | b.bits()); }
  GG_INLINE friend Integer operator^(Integer a, Integer b) { return of_bits(a.bits() ^ b.bits()); }
  GG_INLINE friend Integer operator-(Integer x) { return of_bits(-x.bits()); }
  GG_INLINE friend Integer operator~(Integer x) { return sizeof(S) == 1 ? Integer(!x.v) : Integer(int64_t(~x.bits())); }
  GG_INLINE friend bool operator==(Integer a, Integer b) { return a.v == b.v; }
  GG_INLINE friend bool operator!=(Integer a, Integer b) { return a.v != b.v; }
  GG_INLINE friend bool operator<(Integer a, Integer b) { return a.v < b.v; }
  GG_INLINE friend bool operator<=(Integer a, Integer b) { return a.v <= b.v; }
  GG_INLINE friend bool operator>(Integer a, Integer b) { return a.v > b.v; }
  GG_INLINE friend bool operator>=(Integer a, Integer b) { return a.v >= b.v; }
};
using Int = Integer<int64_t>;

template <class V>
GG_INLINE V where(bool condition, V a, V b) {
  return condition ? a : b;
}
template <class V>
GG_INLINE V zero(V) {
  return V(0);
}
// NaN wins; of equals, such as 0 and −0, the first.
template <class V>
GG_INLINE V max(V a, V b) {
  return a < b || b != b ? b : a;
}
template <class V>
GG_INLINE V min(V a, V b) {
  return b < a || b != b ? b : a;
}
template <class V>
GG_INLINE V sign(V x) {
  return x > V(0) ? V(1) : x < V(0) ? V(-1) : V(0);
}
template <class V>
GG_INLINE V square(V x) {
  return x * x;
}
template <class V>
GG_INLINE V sigmoid(V x) {
  return V(1) / (V(1) + exp(-x));
}

#define GG_BUILTIN(name, builtin)                                              \
  GG_INLINE float name(float x) { return __builtin_##builtin##f(x); }          \
  GG_INLINE double name(double x) { return __builtin_##builtin(x); }
GG_BUILTIN(abs, fabs)
GG_BUILTIN(sqrt, sqrt)
GG_BUILTIN(exp2, exp2)
GG_BUILTIN(expm1, expm1)
GG_BUILTIN(log2, log2)
GG_BUILTIN(log10, log10)
GG_BUILTIN(log1p, log1p)
GG_BUILTIN(sin, sin)
GG_BUILTIN(cos, cos)
GG_BUILTIN(tan, tan)
GG_BUILTIN(tanh, tanh)
GG_BUILTIN(erf, erf)
GG_BUILTIN(floor, floor)
GG_BUILTIN(ceil, ceil)
GG_BUILTIN(trunc, trunc)
GG_BUILTIN(round, rint)  // half to even
#undef GG_BUILTIN
#define GG_BUILTIN2(name)                                                                \
  GG_INLINE float name(float a, float b) { return __builtin_##name##f(a, b); }           \
  GG_INLINE double name(double a, double b) { return __builtin_##name(a, b); }
GG_BUILTIN2(pow)
GG_BUILTIN2(fmod)
GG_BUILTIN2(atan2)
#undef GG_BUILTIN2

GG_INLINE Int abs(Int x) { return x < 0 ? -x : x; }
GG_INLINE Int floor(Int x) { return x; }
GG_INLINE Int ceil(Int x) { return x; }
GG_INLINE Int round(Int x) { return x; }
GG_INLINE Int trunc(Int x) { return x; }

template <class V>
GG_INLINE bool is_infinite(V x) {
  return abs(x) == V(__builtin_inf());
}
template <class S>
GG_INLINE bool is_infinite(Integer<S>) {
  return false;
}

// x to the power of a number: short products and roots where PyTorch has them.
template <class V>
GG_INLINE V power(V x, V exponent) {
  if (exponent == V(2)) return x * x;
  if (exponent == V(3)) return x * x * x;
  if (exponent == V(0.5)) return sqrt(x);
  if (exponent == V(-0.5)) return V(1) / sqrt(x);
  if (exponent == V(-1)) return V(1) / x;
  if (exponent == V(-2)) return V(1) / (x * x);
  return pow(x, exponent);
}
// By squaring. A negative exponent leaves something only of 1 and −1.
GG_INLINE Int pow(Int a, Int b) {
  if (b < 0) return a == Int(1) ? a : a == Int(-1) ? ((b & Int(1)) == Int(0) ? Int(1) : a) : Int(0);
  Int y = 1;
  for (; b > Int(0); b.v >>= 1, a = a * a)
    if (b.v & 1) y = y * a;
  return y;
}
GG_INLINE Int power(Int x, Int exponent) { return pow(x, exponent); }

// Division that rounds down, and its rest, which has the sign of the divisor. b is not 0 for integers.
template <class V>
GG_INLINE V remainder(V a, V b) {
  const V rest = fmod(a, b);
  return rest != V(0) && (rest < V(0)) != (b < V(0)) ? rest + b : rest;
}
template <class V>
GG_INLINE V floor_divide(V a, V b) {
  if (b == V(0)) return a / b;
  const V rest = fmod(a, b);
  V quotient = (a - rest) / b;
  if (rest != V(0) && (rest < V(0)) != (b < V(0))) quotient = quotient - V(1);
  if (quotient == V(0)) return (a < V(0)) != (b < V(0)) ? V(-0.0) : V(0);
  const V down = floor(quotient);
  return quotient - down > V(0.5) ? down + V(1) : down;
}
GG_INLINE Int fmod(Int a, Int b) { return b == Int(-1) ? Int(0) : Int(a.v % b.v); }
GG_INLINE Int floor_divide(Int a, Int b) {
  if (b == Int(-1)) return -a;
  const Int quotient = a.v / b.v;
  return fmod(a, b) != Int(0) && (a < Int(0)) != (b < Int(0)) ? quotient - Int(1) : quotient;
}

}  // namespace
}  // namespace glassgrad::GG_ISA
