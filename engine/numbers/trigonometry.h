// sin, cos and tan of floats with the bits of PyTorch's vector code (Sleef's: sin and cos within 3.5 units in
// the last place, tan within one). Numbers from kFar on, and for tan from kNear on, are computed in double
// and rounded.
#pragma once
#include "pair.h"

namespace glassgrad::GG_ISA {

constexpr float kNear = 125.0f, kFar = 39000.0f;
GG_INLINE bool is_near(float x) { return GG_BUILTIN(fabsf)(x) < kNear; }

GG_INLINE float round_to_integer(float x) {
  constexpr float kRound = 12582912.0f;  // 1.5·2^23: adding it rounds to an integer
  return (x + kRound) - kRound;
}

// sin(x − n·π/2), negated if asked for. π/2 comes in three parts for numbers below kNear, in four for numbers
// below kFar: the product of n with each part but the last is exact.
template <bool kIsNear>
GG_INLINE float sine_after(float x, float n, bool negated) {
  float d;
  if constexpr (kIsNear) {
    d = fma(n, -1.57073974609375f, x);
    d = fma(n, -5.657970905303955e-05f, d);
    d = fma(n, -9.92093629470503e-10f, d);
  } else {
    d = fma(n, -1.5703125f, x);
    d = fma(n, -0.00048351287841796875f, d);
    d = fma(n, -3.1385570764541626e-07f, d);
    d = fma(n, -6.07710062827671e-11f, d);
  }
  const float s = d * d;
  d = negated ? -d : d;
  float u = 2.6083159809786593541503e-06f;
  u = fma(u, s, -0.0001981069071916863322258f);
  u = fma(u, s, 0.00833307858556509017944336f);
  u = fma(u, s, -0.166666597127914428710938f);
  return s * (u * d) + d;
}

// kIsNear: |x| < kNear. PyTorch computes eight neighbours at a time, all with four parts if one needs them.
template <bool kIsNear>
GG_INLINE float sin(float x) {
  if constexpr (!kIsNear)
    if (!(GG_BUILTIN(fabsf)(x) < kFar)) return float(GG_BUILTIN(sin)(double(x)));
  const float half_turns = round_to_integer(x * 0.318309886183790671538f);
  const float y = sine_after<kIsNear>(x, half_turns * 2.0f, int32_t(half_turns) & 1);
  return x == 0.0f ? x : y;
}
template <bool kIsNear>
GG_INLINE float cos(float x) {
  if constexpr (!kIsNear)
    if (!(GG_BUILTIN(fabsf)(x) < kFar)) return float(GG_BUILTIN(cos)(double(x)));
  const float half_turns = round_to_integer(x * 0.318309886183790671538f - 0.5f);
  return sine_after<kIsNear>(x, half_turns * 2.0f + 1.0f, !(int32_t(half_turns) & 1));
}
GG_INLINE float sin(float x) { return is_near(x) ? sin<true>(x) : sin<false>(x); }
GG_INLINE float cos(float x) { return is_near(x) ? cos<true>(x) : cos<false>(x); }
GG_INLINE double sin(double x) { return GG_BUILTIN(sin)(x); }
GG_INLINE double cos(double x) { return GG_BUILTIN(cos)(x); }

GG_INLINE float tan(float x) {
  if (!is_near(x)) return float(GG_BUILTIN(tan)(double(x)));
  if (x == 0.0f) return x;
  const float n = round_to_integer(x * 0.636619772367581343076f);
  Pair<float> d = exact_sum(fma(n, -1.57073974609375f, x), n * -5.657970905303955e-05f);
  d = quick_sum(d, n * -9.92093629470503e-10f);
  const bool odd = int32_t(n) & 1;
  if (odd) d = {-d.high, -d.low};
  Pair<float> s = squared(d);
  s = quick_sum(s.high, s.low);
  float u = 0.00446636462584137916564941f;
  u = fma(u, s.high, -8.3920182078145444393158e-05f);
  u = fma(u, s.high, 0.0109639242291450500488281f);
  u = fma(u, s.high, 0.0212360303848981857299805f);
  u = fma(u, s.high, 0.0540687143802642822265625f);
  Pair<float> y = quick_sum(0.133325666189193725585938f, u * s.high);
  y = quick_sum(0.33333361148834228515625f, multiply(s, y));
  y = multiply(d, quick_sum(1.0f, multiply(y, s)));
  if (odd) y = inverse(y);
  return y.high + y.low;
}
GG_INLINE double tan(double x) { return GG_BUILTIN(tan)(x); }

// An angle among eight neighbours that are all near, or not all.
template <bool kIsNear>
struct Angle {
  float v;
  GG_INLINE explicit Angle(float x) : v(x) {}
  GG_INLINE friend Angle operator*(Angle a, Angle b) { return Angle(a.v * b.v); }
  GG_INLINE friend Angle operator-(Angle x) { return Angle(-x.v); }
  GG_INLINE friend Angle sin(Angle x) { return Angle(GG_ISA::sin<kIsNear>(x.v)); }
  GG_INLINE friend Angle cos(Angle x) { return Angle(GG_ISA::cos<kIsNear>(x.v)); }
};

}  // namespace glassgrad::GG_ISA
