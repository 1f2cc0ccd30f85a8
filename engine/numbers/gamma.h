// The logarithm of the gamma function, and its derivatives. Floats are computed in double and rounded, but
// for trigamma.
#pragma once
#include "exp_log.h"
#include "trigonometry.h"

namespace glassgrad::GG_ISA {
namespace {

// B_2k for k from 1 to 7: the Bernoulli numbers of the Euler-Maclaurin formula.
GG_INLINE double bernoulli(int k) {
  constexpr double kNumbers[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6};
  return kNumbers[k - 1];
}
constexpr double kPi = 3.14159265358979323846;
constexpr double kSeriesFrom = 10;  // from here on the formula's terms shrink fast enough for a double

// ln Γ(x) for x > 0: from kSeriesFrom on by Stirling's series, before it by Γ(x + 1) = x · Γ(x).
GG_NOINLINE double log_gamma(double x) {
  if (x == 1 || x == 2) return 0;
  if (x == __builtin_inf()) return x;
  double product = 1, series = 0;
  for (; x < kSeriesFrom; x += 1) product *= x;
  double power = x;
  for (int k = 1; k <= 7; ++k) series += bernoulli(k) / (2 * k * (2 * k - 1)) * (1 / power), power *= x * x;
  constexpr double kHalfLogOfTwoPi = 0.91893853320467274178;
  return (x - 0.5) * GG_BUILTIN(log)(x) - x + kHalfLogOfTwoPi + series - GG_BUILTIN(log)(product);
}

// ln |Γ(x)|, from 0 down by the reflection |Γ(x)| = π/|sin(πx) · Γ(1 − x)|; ∞ at 0, −1, −2, ….
GG_NOINLINE double lgamma(double x) {
  if (!(x <= 0)) return log_gamma(x);
  const double to_whole = GG_BUILTIN(fabs)(x - GG_BUILTIN(rint)(x));
  if (!(to_whole > 0)) return __builtin_inf();
  return GG_BUILTIN(log)(kPi / GG_BUILTIN(sin)(kPi * to_whole)) - log_gamma(1 - x);
}

// Hurwitz's zeta function, Σ (q + k)^−s over k ≥ 0, for q > 0 and s > 1: the first terms one by one, the rest
// by the Euler-Maclaurin formula.
GG_NOINLINE double zeta(double s, double q) {
  if (q == __builtin_inf()) return 0;
  double sum = 0;
  for (const double far = kSeriesFrom + (s < 200 ? s : 200); q < far; q += 1) sum += GG_BUILTIN(pow)(q, -s);
  const double power = GG_BUILTIN(pow)(q, -s);
  sum += power * q / (s - 1) + power / 2;
  double term = power / q * s / 2;  // s(s+1)…(s+2k−2)/(2k)! · q^(−s−2k+1)
  for (int k = 1; k <= 7; ++k) {
    sum += bernoulli(k) * term;
    term *= (s + 2 * k - 1) * (s + 2 * k) / (q * q * (2 * k + 1) * (2 * k + 2));
  }
  return sum;
}

// ψ(x) = Γ'(x)/Γ(x). Below 0 by the reflection ψ(x) = ψ(1 − x) − π/tan(πx), NaN at −1, −2, …; −∞ at 0, ∞ at
// −0.
GG_NOINLINE double digamma(double x) {
  if (x == 0) return GG_BUILTIN(copysign)(__builtin_inf(), -x);
  double sum = 0;
  if (x < 0) {
    const double whole = GG_BUILTIN(trunc)(x);
    if (x == whole) return __builtin_nan("");
    sum = -kPi / GG_BUILTIN(tan)(kPi * (x - whole));
    x = 1 - x;
  }
  for (; x < kSeriesFrom; x += 1) sum -= 1 / x;
  double series = 0, power = 1;
  for (int k = 1; k <= 7; ++k) series += bernoulli(k) / (2 * k) * (power /= x * x);
  return sum + GG_BUILTIN(log)(x) - 0.5 / x - series;
}

// ψ'(x) with as many digits as PyTorch's: below ½ by the reflection ψ'(x) = π²/sin²(πx) − ψ'(1 − x), else six
// terms of the sum and the series for the rest.
template <class V>
GG_NOINLINE V trigamma(V x) {
  constexpr V pi = V(kPi);
  V sum = 0, sign = 1;
  if (x < V(0.5)) {
    const V s = sin(pi * x);
    sum = -(pi * pi) / (s * s);
    sign = -1;
    x = V(1) - x;
  }
  for (int k = 0; k < 6; ++k, x += V(1)) sum += V(1) / (x * x);
  const V z = V(1) / (x * x);
  const V series = V(1) / V(6) - z * (V(1) / V(30) - z * (V(1) / V(42)));
  sum += (V(1) + V(1) / (V(2) * x) + z * series) / x;
  return sign * sum;
}

// The nth derivative of ψ: (−1)^(n+1) · n! · ζ(n + 1, x). Below 0, ζ is summed over all places on both sides
// of 0, less those that are too low.
GG_NOINLINE double polygamma(double n, double x) {
  if (n == 0) return digamma(x);
  if (n == 1) return trigamma(x);
  const double s = n + 1, even = GG_BUILTIN(fmod)(n, 2.0) == 0 ? -1 : 1;  // (−1)^(n+1), which is (−1)^s too
  double sum;
  if (x > 0 || x != x) {
    sum = zeta(s, x);
  } else {
    const double above = x - GG_BUILTIN(floor)(x);
    sum = above == 0 ? __builtin_inf() : zeta(s, above) + even * (zeta(s, 1 - above) - zeta(s, 1 - x));
  }
  return even * GG_BUILTIN(exp)(lgamma(s)) * sum;
}

GG_INLINE float lgamma(float x) { return float(lgamma(double(x))); }
GG_INLINE float digamma(float x) { return float(digamma(double(x))); }
GG_INLINE float polygamma(float n, float x) {
  return n == 1 ? trigamma(x) : float(polygamma(double(n), double(x)));
}

}  // namespace
}  // namespace glassgrad::GG_ISA
