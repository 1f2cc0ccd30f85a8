// e^x, ln x and ln(1 + x) with the bits of PyTorch's vector code, for numbers and for short vectors of them.
#pragma once
#include "pair.h"

namespace glassgrad::GG_ISA {

// e^x is Sleef's (within one unit in the last place): x = q ln 2 + s, a polynomial in s, times 2^q. V is a
// number and I the integer of its size, or both are vectors. split_by_ln2 sets s and returns q + round;
// `round` is so large that the low bits of the sum are the integer q.
template <class V, class T>
GG_INLINE V split_by_ln2(const V& x, T round, T ln2_high, T ln2_low, V& s) {
  const V shifted = x * T(1.442695040888963407359924681001892137) + round, q = shifted - round;
  s = fma(q, V{} - ln2_low, fma(q, V{} - ln2_high, x));
  return shifted;
}
template <class V>
GG_INLINE V exp_of_rest(const V& s) {
  V u = V{} + 0.000198527617612853646278381f;
  u = fma(u, s, V{} + 0.00139304355252534151077271f);
  u = fma(u, s, V{} + 0.00833336077630519866943359f);
  u = fma(u, s, V{} + 0.0416664853692054748535156f);
  u = fma(u, s, V{} + 0.166666671633720397949219f);
  u = fma(u, s, V{} + 0.5f);
  return 1.0f + fma(s * s, u, s);
}
// Below the range, where e^x is 0, the power of another number is computed and replaced: a product that
// becomes subnormal takes a processor a hundred times as long, and masked scores are all −∞.
template <class V, class I>
GG_INLINE V exp_float(const V& x) {
  constexpr float kRound = 12582912.0f;  // 3·2^22: adding it rounds to an integer
  const V inside = x < V{} - 104.0f ? V{} : V{} + 104.0f < x ? V{} + 104.0f : x;  // ∞ above
  V s;
  const V shifted = split_by_ln2(inside, kRound, 0.693145751953125f, 1.428606765330187045e-06f, s);
  V u = exp_of_rest(s);
  if constexpr (requires { times_power(u, s); }) {
    u = times_power(u, shifted - kRound);
  } else {  // two scalings, so that 2^q may be subnormal
    const I q = __builtin_bit_cast(I, shifted) - __builtin_bit_cast(int32_t, kRound), half = q >> 1;
    u = u * __builtin_bit_cast(V, (half + 127) << 23);
    u = u * __builtin_bit_cast(V, (q - half + 127) << 23);
  }
  return x < V{} - 104.0f ? V{} : u;
}
template <class V>
GG_INLINE V line(const V& s, double a, double b) {
  return fma(V{} + a, s, V{} + b);
}
template <class V, class I>
GG_INLINE V exp_double(const V& x) {
  constexpr double kRound = 6755399441055744.0;  // 3·2^51
  V s;
  const V inside = x < V{} - 1000.0 ? V{} : x;
  const V shifted = split_by_ln2(inside, kRound, 0.69314718055966295651160180568695068359375,
                                 2.8235290563031577122588448175013436e-13, s);
  const I q = (__builtin_bit_cast(I, shifted) & ((int64_t{1} << 52) - 1)) - (int64_t{1} << 51), half = q >> 1;
  const V s2 = s * s, s4 = s2 * s2;
  const V high = fma(s2, line(s, 0.2755762628169491192e-6, 0.2755723402025388239e-5),
                     line(s, 0.2480158687479686264e-4, 0.1984126989855865850e-3));
  const V low = fma(s2, line(s, 0.1388888888914497797e-2, 0.8333333333314938210e-2),
                    line(s, 0.4166666666666602598e-1, 0.1666666666666669072e+0));
  V u = fma(s4 * s4, line(s, 0.2081276378237164457e-8, 0.2511210703042288022e-7), fma(s4, high, low));
  u = fma(fma(fma(u, s, V{} + 0.5), s, V{} + 1.0), s, V{} + 1.0);
  u = u * __builtin_bit_cast(V, (half + 1023) << 52);
  u = u * __builtin_bit_cast(V, (q - half + 1023) << 52);
  u = x < V{} - 1000.0 ? V{} : u;
  return x > 709.78271114955742909217217426 ? V{} + __builtin_inf() : u;
}
GG_INLINE float to_float(int32_t i) { return float(i); }

template <class V>
GG_INLINE Pair<V> times_ln2(const V& exponent) {
  const V ln2 = V{} + 0.69314718246459960938f, scaled = ln2 * exponent;
  return {scaled, fma(V{} - 1.904654323148236017e-09f, exponent, fma(ln2, exponent, -scaled))};
}
// s + 2 artanh r, with artanh as a polynomial in r².
template <class V>
GG_INLINE V plus_twice_artanh(const Pair<V>& s, const Pair<V>& r) {
  const V q = r.high, square = q * q;
  V p = V{} + 0.3027294874e+0f;
  p = fma(p, square, V{} + 0.3996108174e+0f);
  p = fma(p, square, V{} + 0.6666694880e+0f);
  const V two = q * 2.0f, cubic = (square * q) * p;
  const V first = s.high + two;
  const V first_low = (((s.high - first) + two) + s.low) + r.low * 2.0f;
  const V sum = first + cubic;
  return sum + (((first - sum) + cubic) + first_low);
}

// ln x for V = float with I = int32_t, or vectors of them, also with Sleef's bits: x = m·2^e with m in [3/4,
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
  const Pair<V> s = times_ln2(exponent);

  const Pair<V> over = exact_sum(V{} - 1.0f, m), under = exact_sum(V{} + 1.0f, m);
  const V t = 1.0f / under.high;
  const V q = over.high * t;
  const V error = fma(-under.low, t, fma(-under.high, t, V{} + 1.0f));
  const Pair<V> r = {q, fma(q, error, fma(over.low, t, fma(t, over.high, -q)))};

  const V y = plus_twice_artanh(s, r);
  const V infinity = V{} + __builtin_inff(), none = V{} + __builtin_nanf("");
  const V above = x == infinity ? infinity : x > 0.0f ? y : none;
  return x == 0.0f ? -infinity : above;
}
GG_INLINE float exp(float x) { return exp_float<float, int32_t>(x); }
// e^−x·2^more for 0 ≤ x ≤ 104, which is given as its bits: compilers choose among integers with one
// instruction, among floats with several. One sum scales if no power of two under- or overflows.
GG_INLINE float exp_minus(int32_t bits, uint32_t more) {
  constexpr float kRound = 12582912.0f;
  float s;
  const float shifted = split_by_ln2(-__builtin_bit_cast(float, bits), kRound, 0.693145751953125f,
                                     1.428606765330187045e-06f, s);
  const auto q = (__builtin_bit_cast(uint32_t, shifted) + more) << 23;
  return __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, exp_of_rest(s)) + q);
}
// e^−x for x ≥ 0, from 50 on e^−50: whoever adds 1 sees no difference.
GG_INLINE float exp_minus_to_50(float x) {
  constexpr auto kLast = __builtin_bit_cast(int32_t, 50.0f);
  const auto bits = __builtin_bit_cast(int32_t, x);
  return exp_minus(bits < kLast ? bits : kLast, 0);
}
// exp(−x) for numbers x ≥ 0, to the bit. The last product makes subnormal numbers.
GG_INLINE float exp_minus(float x) {
  constexpr auto kLast = __builtin_bit_cast(int32_t, 104.0f);
  const auto bits = __builtin_bit_cast(int32_t, x);
  const float e = exp_minus(bits > kLast ? 0 : bits, 64);
  return (bits > kLast ? 0.0f : e) * 0x1p-64f;
}
GG_INLINE double exp(double x) { return exp_double<double, int64_t>(x); }
GG_INLINE float log(float x) { return log_float<float, int32_t>(x); }
GG_INLINE double log(double x) { return GG_BUILTIN(log)(x); }
// ln(1 + x) like ln x above, with 1 + x = (1 + m)·2^e.
GG_INLINE float log1p(float x) {
  constexpr int kBias = 127, kMantissaBits = 23;
  if (x > 1e38f) return log(x);
  const int32_t bits = __builtin_bit_cast(int32_t, (x + 1.0f) * (1.0f / 0.75f));
  const int32_t e = ((bits >> kMantissaBits) & 0xff) - kBias;
  const float scale = __builtin_bit_cast(float, (kBias - e) << kMantissaBits);
  const float m = fma(x, scale, scale - 1.0f);
  const Pair<float> under = quick_sum(2.0f, m);
  const float t = 1.0f / under.high, q = m * t;
  const float error = fma(-under.low, t, fma(-under.high, t, 1.0f));
  const float y = plus_twice_artanh(times_ln2(to_float(e)), {q, fma(q, error, fma(t, m, -q))});
  const float inside = x > -1.0f ? y : x == -1.0f ? -__builtin_inff() : __builtin_nanf("");
  return x == 0.0f ? x : inside;
}
GG_INLINE double log1p(double x) { return GG_BUILTIN(log1p)(x); }

}  // namespace glassgrad::GG_ISA
