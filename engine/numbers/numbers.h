// The functions that the formulas in numbers/pointwise.def name, for numbers: float, double and WrappingInt.
#pragma once
#include "exp_log.h"
#include "gamma.h"
#include "trigonometry.h"

namespace glassgrad::GG_ISA {
namespace {

// int64 that wraps around instead of overflowing, or bool with + as or and * as and.
template <class S>
struct WrappingInt {
  S v;

  GG_INLINE WrappingInt(int64_t x) : v(S(x)) {}
  GG_INLINE static WrappingInt of_bits(uint64_t x) {
    return sizeof(S) == 1 ? WrappingInt(x != 0) : WrappingInt(int64_t(x));
  }
  GG_INLINE uint64_t bits() const { return uint64_t(v); }

  GG_INLINE friend WrappingInt operator+(WrappingInt a, WrappingInt b) {
    return of_bits(a.bits() + b.bits());
  }
  GG_INLINE friend WrappingInt operator-(WrappingInt a, WrappingInt b) {
    return of_bits(a.bits() - b.bits());
  }
  GG_INLINE friend WrappingInt operator*(WrappingInt a, WrappingInt b) {
    return of_bits(a.bits() * b.bits());
  }
  GG_INLINE friend WrappingInt operator&(WrappingInt a, WrappingInt b) {
    return of_bits(a.bits() & b.bits());
  }
  GG_INLINE friend WrappingInt operator|(WrappingInt a, WrappingInt b) {
    return of_bits(a.bits() | b.bits());
  }
  GG_INLINE friend WrappingInt operator^(WrappingInt a, WrappingInt b) {
    return of_bits(a.bits() ^ b.bits());
  }
  GG_INLINE friend WrappingInt operator-(WrappingInt x) { return of_bits(-x.bits()); }
  GG_INLINE friend WrappingInt operator~(WrappingInt x) {
    return sizeof(S) == 1 ? WrappingInt(!x.v) : WrappingInt(int64_t(~x.bits()));
  }
  GG_INLINE friend bool operator==(WrappingInt a, WrappingInt b) { return a.v == b.v; }
  GG_INLINE friend bool operator!=(WrappingInt a, WrappingInt b) { return a.v != b.v; }
  GG_INLINE friend bool operator<(WrappingInt a, WrappingInt b) { return a.v < b.v; }
  GG_INLINE friend bool operator<=(WrappingInt a, WrappingInt b) { return a.v <= b.v; }
  GG_INLINE friend bool operator>(WrappingInt a, WrappingInt b) { return a.v > b.v; }
  GG_INLINE friend bool operator>=(WrappingInt a, WrappingInt b) { return a.v >= b.v; }
};
using Int = WrappingInt<int64_t>;

template <class V>
GG_INLINE V where(bool condition, V a, V b) {
  return condition ? a : b;
}
template <class V>
GG_INLINE V choose(bool condition, V a, V b) {
  return condition ? a : b;
}
template <class V>
GG_INLINE V zero(V) {
  return V(0);
}
// Returns NaN if there is one; of equal numbers, such as 0 and −0, the first.
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

#define GG_UNARY(name, builtin)                                       \
  GG_INLINE float name(float x) { return GG_BUILTIN(builtin##f)(x); } \
  GG_INLINE double name(double x) { return GG_BUILTIN(builtin)(x); }
GG_UNARY(abs, fabs)
GG_UNARY(sqrt, sqrt)
GG_UNARY(exp2, exp2)
GG_UNARY(expm1, expm1)
GG_UNARY(log2, log2)
GG_UNARY(log10, log10)
GG_UNARY(floor, floor)
GG_UNARY(ceil, ceil)
GG_UNARY(trunc, trunc)
GG_UNARY(round, rint)  // half to even
#undef GG_UNARY
// Computes in double and rounds, which is nearer to PyTorch's vector code than the C library's float
// functions.
#define GG_ROUNDED(name)                                                       \
  GG_INLINE float name(float x) { return float(GG_BUILTIN(name)(double(x))); } \
  GG_INLINE double name(double x) { return GG_BUILTIN(name)(x); }
GG_ROUNDED(asin)
GG_ROUNDED(acos)
GG_ROUNDED(atan)
GG_ROUNDED(sinh)
GG_ROUNDED(cosh)
GG_ROUNDED(asinh)
GG_ROUNDED(acosh)
GG_ROUNDED(atanh)
#undef GG_ROUNDED
#define GG_BINARY(name)                                                        \
  GG_INLINE float name(float a, float b) { return GG_BUILTIN(name##f)(a, b); } \
  GG_INLINE double name(double a, double b) { return GG_BUILTIN(name)(a, b); }
GG_BINARY(pow)
GG_BINARY(fmod)
GG_BINARY(atan2)
#undef GG_BINARY

// PyTorch's own vector code: Abramowitz and Stegun 7.1.26, good to 1.5e-7.
GG_INLINE float erf(float x) {
  const float t = 1.0f / fma(0.3275911f, GG_BUILTIN(fabsf)(x), 1.0f);
  float p = fma(1.061405429f, t, -1.453152027f);
  p = fma(p, t, 1.421413741f);
  p = fma(p, t, -0.284496736f);
  p = fma(p, t, 0.254829592f);
  const float y = fma(-(exp_minus_to_50(x * x) * t), p, 1.0f);
  return GG_BUILTIN(copysignf)(1.0f, x) * y;
}
GG_INLINE double erf(double x) { return GG_BUILTIN(erf)(x); }
// Solves erf(y) = x: a first guess of two digits (Winitzki), then Newton steps, which double the digits.
GG_INLINE double erfinv(double x) {
  if (!(GG_BUILTIN(fabs)(x) < 1)) return GG_BUILTIN(fabs)(x) == 1 ? x * __builtin_inf() : __builtin_nan("");
  const double l = GG_BUILTIN(log)((1 - x) * (1 + x)), half = 4.330746750799873 + 0.5 * l;
  double y =
      GG_BUILTIN(copysign)(GG_BUILTIN(sqrt)(GG_BUILTIN(sqrt)(half * half - l * 6.802721088435374) - half), x);
  for (int step = 0; step < 4 && x != 0; ++step) {
    const double missing = x > 0.5    ? GG_BUILTIN(erfc)(y) - (1 - x)
                           : x < -0.5 ? (1 + x) - GG_BUILTIN(erfc)(-y)
                                      : x - GG_BUILTIN(erf)(y);
    y += missing * 0.886226925452758 * GG_BUILTIN(exp)(y * y);
  }
  return y;
}
GG_INLINE float erfinv(float x) { return static_cast<float>(erfinv(static_cast<double>(x))); }
GG_INLINE float normal_cdf(float x) { return 0.5f * (1.0f + erf(x * 0.7071067811865476f)); }
GG_INLINE double normal_cdf(double x) { return 0.5 * (1.0 + GG_BUILTIN(erf)(x * 0.7071067811865476)); }
GG_INLINE float normal_pdf(float x) { return exp_minus(x * x * 0.5f) * 0.3989422804014327f; }
GG_INLINE double normal_pdf(double x) { return exp(x * x * -0.5) * 0.3989422804014327; }
GG_INLINE double tanh(double x) { return GG_BUILTIN(tanh)(x); }

// e^x for 0 ≤ x ≤ 100 as a pair.
GG_INLINE Pair<float> exp_pair(float x) {
  constexpr float kRound = 12582912.0f;  // 1.5·2^23: adding it rounds to an integer, found in the low bits
  const float shifted = x * 1.442695040888963407359924681001892137f + kRound, q = shifted - kRound;
  const int32_t n = (__builtin_bit_cast(int32_t, shifted) & 0x7fffff) - (1 << 22);
  // The first difference is exact: its two numbers differ by a factor of at most 2, or q is 0.
  const Pair<float> s = quick_sum(x - q * 0.693145751953125f, q * -1.428606765330187045e-06f);
  float u = 0.1980960224e-3f;
  u = fma(u, s.high, 0.1394256484e-2f);
  u = fma(u, s.high, 0.8333456703e-2f);
  u = fma(u, s.high, 0.4166637361e-1f);
  Pair<float> t = quick_sum(0.166666659414234244790680580464e+0f, multiply(s, u));
  t = quick_sum(0.5f, multiply(s, t));
  const float square = s.high * s.high;
  const Pair<float> s2 = {square, fma(s.high + s.high, s.low, fma(s.high, s.high, -square))};
  const Pair<float> s2t = multiply(s2, t), whole = quick_sum(s.high, s2t.high);
  t = {whole.high, whole.low + (s.low + s2t.low)};
  const Pair<float> one = quick_sum(1.0f, t.high);
  const float scale = __builtin_bit_cast(float, (n + 127) << 23);
  return {one.high * scale, (one.low + t.low) * scale};
}

// tanh x in the bits of PyTorch's vector code (Sleef's, within one unit in the last place):
// (e^x − e^−x)/(e^x + e^−x) in pairs.
GG_INLINE float tanh(float x) {
  constexpr float kOne = 8.664339742f;  // from here on the result rounds to 1
  const float size = GG_BUILTIN(fabsf)(x);
  const Pair<float> e = exp_pair(size > kOne ? kOne : size);  // nan stays nan
  const float r = 1.0f / e.high;
  const Pair<float> inverse = {r, r * fma(-e.low, r, fma(-e.high, r, 1.0f))};
  const Pair<float> over_high = quick_sum(e.high, -inverse.high),
                    under_high = quick_sum(e.high, inverse.high);
  const Pair<float> over = {over_high.high, over_high.low + e.low - inverse.low};
  const Pair<float> under = {under_high.high, under_high.low + e.low + inverse.low};
  const float t = 1.0f / under.high, q = over.high * t;
  const float error = fma(-under.low, t, fma(-under.high, t, 1.0f));
  const float low = fma(q, error, fma(over.low, t, fma(t, over.high, -q)));
  const float y = size > kOne ? 1.0f : q + low;
  return GG_BUILTIN(copysignf)(y, x);
}

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
GG_INLINE bool is_infinite(WrappingInt<S>) {
  return false;
}

// x to the power of a number: short products and roots where PyTorch uses them.
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
// By squaring. A negative exponent gives 0, except for 1 and −1.
GG_INLINE Int pow(Int a, Int b) {
  if (b < 0) return a == Int(1) ? a : a == Int(-1) ? ((b & Int(1)) == Int(0) ? Int(1) : a) : Int(0);
  Int y = 1;
  for (; b > Int(0); b.v >>= 1, a = a * a)
    if (b.v & 1) y = y * a;
  return y;
}
GG_INLINE Int power(Int x, Int exponent) { return pow(x, exponent); }

// Floor division and its remainder, which has the sign of the divisor. b is not 0 for integers.
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
  if (quotient == V(0)) return V(0) * (a / b);  // a zero with the quotient's sign
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
