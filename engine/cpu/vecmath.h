// Short vectors and the mathematics that runs in them, for the files compiled once per instruction set.
// Everything is always inlined (vectors go by reference, since sets would differ in how they pass them) and
// lives in the set's own namespace; compiler builtins stand for the inline functions of <cmath>, whose
// out-of-line copies all sets would share. Every set gives the same bits: an fma is written out, all else is
// rounded operation by operation.
#pragma once
#ifndef GG_ISA
#error \
    "vecmath.h belongs to the *.isa.cpp files, which are compiled with -DGG_ISA=<name of the instruction set>"
#endif
#include "../types.h"
#ifdef __FMA__
#include <immintrin.h>
#endif
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wpsabi"  // how a call would return a vector does not matter: all is inlined
#endif
#ifdef __clang__
#define GG_UNROLL _Pragma("clang loop unroll(full)")
#else
#define GG_UNROLL _Pragma("GCC unroll 16")
#endif

namespace glassgrad::GG_ISA {

// PyTorch's AVX2 vectors hold 32 bytes, and its results depend on that; so do ours, on every processor.
template <class T>
struct VecOf {
  typedef T type __attribute__((vector_size(32)));
};
template <class T>
using Vec = typename VecOf<T>::type;
template <class T>
inline constexpr int kLanes = 32 / int(sizeof(T));
using F32s = Vec<float>;
using F64s = Vec<double>;

template <class T>
GG_INLINE Vec<T> load(const T* p) {
  Vec<T> v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
GG_INLINE void store(T* p, const Vec<T>& v) {
  __builtin_memcpy(p, &v, sizeof v);
}

GG_INLINE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GG_INLINE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
#ifdef __FMA__
GG_INLINE F32s fma(const F32s& a, const F32s& b, const F32s& c) { return _mm256_fmadd_ps(a, b, c); }
GG_INLINE F64s fma(const F64s& a, const F64s& b, const F64s& c) { return _mm256_fmadd_pd(a, b, c); }
#else
GG_INLINE F32s fma(const F32s& a, const F32s& b, const F32s& c) {
  F32s y;
  for (int i = 0; i < kLanes<float>; ++i) y[i] = fma(a[i], b[i], c[i]);
  return y;
}
GG_INLINE F64s fma(const F64s& a, const F64s& b, const F64s& c) {
  F64s y{};
  for (int i = 0; i < kLanes<double>; ++i) y[i] = fma(a[i], b[i], c[i]);
  return y;
}
#endif

// The widest vectors there are: what lies in which lane does not matter to a product.
#ifdef __AVX512F__
inline constexpr int kWideBytes = 64;
#else
inline constexpr int kWideBytes = 32;
#endif
template <class T>
struct WideOf {
  typedef T type __attribute__((vector_size(kWideBytes)));
};
template <class T>
using Wide = typename WideOf<T>::type;
template <class T>
inline constexpr int kWide = kWideBytes / int(sizeof(T));

template <class T>
GG_INLINE Wide<T> load_wide(const T* p) {
  Wide<T> v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
GG_INLINE void store_wide(T* p, const Wide<T>& v) {
  __builtin_memcpy(p, &v, sizeof v);
}
#ifdef __AVX512F__
GG_INLINE Wide<float> fma(const Wide<float>& a, const Wide<float>& b, const Wide<float>& c) {
  return _mm512_fmadd_ps(a, b, c);
}
GG_INLINE Wide<double> fma(const Wide<double>& a, const Wide<double>& b, const Wide<double>& c) {
  return _mm512_fmadd_pd(a, b, c);
}
#endif

// e^x, in the bits of PyTorch's vector code (Sleef's, within one unit in the last place): x = q ln 2 + s, a
// polynomial in s, then two scalings, so that 2^q may be subnormal. V is a number with I the integer of its
// size, or vectors.
template <int mantissa_bits, class Int, class I, class V, class T>
GG_INLINE void split_by_ln2(const V& x, T ln2_high, T ln2_low, V& s, I& half, I& rest) {
  constexpr auto kMiddle = int64_t{1} << (mantissa_bits - 1);
  constexpr T kRound = T(3 * kMiddle);  // adding it rounds to an integer, found in the low bits
  const V shifted = x * T(1.442695040888963407359924681001892137) + kRound;
  const V q = shifted - kRound;
  s = fma(q, V{} - ln2_low, fma(q, V{} - ln2_high, x));
  const I n = (__builtin_bit_cast(I, shifted) & Int(2 * kMiddle - 1)) - Int(kMiddle);
  half = n >> 1;
  rest = n - half;
}
template <class V, class I>
GG_INLINE V exp_float(const V& x) {
  V s;
  I half, rest;
  split_by_ln2<23, int32_t>(x, 0.693145751953125f, 1.428606765330187045e-06f, s, half, rest);
  V u = V{} + 0.000198527617612853646278381f;
  u = fma(u, s, V{} + 0.00139304355252534151077271f);
  u = fma(u, s, V{} + 0.00833336077630519866943359f);
  u = fma(u, s, V{} + 0.0416664853692054748535156f);
  u = fma(u, s, V{} + 0.166666671633720397949219f);
  u = fma(u, s, V{} + 0.5f);
  u = 1.0f + fma(s * s, u, s);
  u = u * __builtin_bit_cast(V, (half + 127) << 23);
  u = u * __builtin_bit_cast(V, (rest + 127) << 23);
  u = x < -104.0f ? V{} : u;
  return x > 100.0f ? V{} + __builtin_inff() : u;
}
template <class V>
GG_INLINE V line(const V& s, double a, double b) {
  return fma(V{} + a, s, V{} + b);
}
template <class V, class I>
GG_INLINE V exp_double(const V& x) {
  V s;
  I half, rest;
  split_by_ln2<52, int64_t>(x, 0.69314718055966295651160180568695068359375,
                            2.8235290563031577122588448175013436e-13, s, half, rest);
  const V s2 = s * s, s4 = s2 * s2;
  const V high = fma(s2, line(s, 0.2755762628169491192e-6, 0.2755723402025388239e-5),
                     line(s, 0.2480158687479686264e-4, 0.1984126989855865850e-3));
  const V low = fma(s2, line(s, 0.1388888888914497797e-2, 0.8333333333314938210e-2),
                    line(s, 0.4166666666666602598e-1, 0.1666666666666669072e+0));
  V u = fma(s4 * s4, line(s, 0.2081276378237164457e-8, 0.2511210703042288022e-7), fma(s4, high, low));
  u = fma(fma(fma(u, s, V{} + 0.5), s, V{} + 1.0), s, V{} + 1.0);
  u = u * __builtin_bit_cast(V, (half + 1023) << 52);
  u = u * __builtin_bit_cast(V, (rest + 1023) << 52);
  u = x < -1000.0 ? V{} : u;
  return x > 709.78271114955742909217217426 ? V{} + __builtin_inf() : u;
}
GG_INLINE float exp(float x) { return exp_float<float, int32_t>(x); }
GG_INLINE double exp(double x) { return exp_double<double, int64_t>(x); }
GG_INLINE F32s exp(const F32s& x) { return exp_float<F32s, Vec<int32_t>>(x); }
GG_INLINE F64s exp(const F64s& x) { return exp_double<F64s, Vec<int64_t>>(x); }
#ifdef __AVX512F__
GG_INLINE Wide<float> exp(const Wide<float>& x) { return exp_float<Wide<float>, Wide<int32_t>>(x); }
GG_INLINE Wide<double> exp(const Wide<double>& x) { return exp_double<Wide<double>, Wide<int64_t>>(x); }
#endif

// A number as the sum of two floats, exact to twice the digits.
template <class V>
struct Pair {
  V high, low;
};
template <class V>
GG_INLINE Pair<V> exact_sum(const V& a, const V& b) {
  const V sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
GG_INLINE float to_float(int32_t i) { return float(i); }
GG_INLINE F32s to_float(const Vec<int32_t>& i) { return __builtin_convertvector(i, F32s); }

// ln x for V = float with I = int32_t, or vectors of them; again Sleef's, in bits: x = m·2^e with m in [3/4,
// 3/2), ln m = 2 artanh((m − 1)/(m + 1)), the quotient and the sum carried as pairs.
template <class V, class I>
GG_INLINE V log_float(const V& x) {
  constexpr float kMin = 1.17549435e-38f, kTwo64 = 18446744073709551616.0f;
  constexpr int kBias = 127, kMantissaBits = 23;
  const auto tiny = x < kMin;
  const V d = tiny ? x * kTwo64 : x;
  const I e = ((__builtin_bit_cast(I, d * (1.0f / 0.75f)) >> kMantissaBits) & 0xff) - kBias;
  const V m = __builtin_bit_cast(V, (__builtin_bit_cast(I, d) & 0x7fffffff) - e * (1 << kMantissaBits));
  const V exponent = to_float(e) - (tiny ? V{} + 64.0f : V{});
  const V ln2 = V{} + 0.69314718246459960938f;
  const V scaled = ln2 * exponent;
  const Pair<V> s = {scaled, fma(V{} - 1.904654323148236017e-09f, exponent, fma(ln2, exponent, -scaled))};

  const Pair<V> over = exact_sum(V{} - 1.0f, m), under = exact_sum(V{} + 1.0f, m);
  const V t = 1.0f / under.high;
  const V q = over.high * t;
  const V error = fma(-under.low, t, fma(-under.high, t, V{} + 1.0f));
  const Pair<V> r = {q, fma(q, error, fma(over.low, t, fma(t, over.high, -q)))};

  const V square = q * q;
  V p = V{} + 0.3027294874e+0f;
  p = fma(p, square, V{} + 0.3996108174e+0f);
  p = fma(p, square, V{} + 0.6666694880e+0f);
  const V two = q * 2.0f, cubic = (square * q) * p;
  const V first = s.high + two;
  const V first_low = (((s.high - first) + two) + s.low) + r.low * 2.0f;
  const V sum = first + cubic;
  const V y = sum + (((first - sum) + cubic) + first_low);
  const V infinity = V{} + __builtin_inff(), none = V{} + __builtin_nanf("");
  const V above = x == infinity ? infinity : x > 0.0f ? y : none;
  return x == 0.0f ? -infinity : above;
}
GG_INLINE float log(float x) { return log_float<float, int32_t>(x); }
GG_INLINE F32s log(const F32s& x) { return log_float<F32s, Vec<int32_t>>(x); }
GG_INLINE double log(double x) { return __builtin_log(x); }
GG_INLINE F64s log(const F64s& x) {
  F64s y{};
  for (int i = 0; i < kLanes<double>; ++i) y[i] = __builtin_log(x[i]);
  return y;
}

}  // namespace glassgrad::GG_ISA
