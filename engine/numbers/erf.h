// erf for floats with the bits of glibc's, which PyTorch's gelu calls. Other C libraries differ in the last
// digit, and a web page runs with one of them.
#pragma once
#include "exp_log.h"

namespace glassgrad::GG_ISA {

// c[0] + c[1] x + c[2] x² …
template <int n>
GG_INLINE float polynomial(const float (&c)[n], float x) {
  float y = c[n - 1];
  for (int i = n - 2; i >= 0; --i) y = c[i] + x * y;
  return y;
}

// The quotients of polynomials are those of fdlibm (Sun Microsystems, 1993), which all C libraries share;
// they differ in how they combine them.
GG_INLINE float erf_of_libm(float x) {
  constexpr float kMiddle = 0.84375f, kUpper = 1.25f, kFar = 2.857142f, kOne = 6.0f;
  const float size = GG_BUILTIN(fabsf)(x);
  if (!(size >= kMiddle && size < kOne)) return GG_BUILTIN(erff)(x);
  if (size < kUpper) {
    constexpr float kOver[] = {-2.3621185683e-03f, 4.1485610604e-01f, -3.7220788002e-01f, 3.1834661961e-01f,
                               -1.1089469492e-01f, 3.5478305072e-02f, -2.1663755178e-03f};
    constexpr float kUnder[] = {1,
                                1.0642088205e-01f,
                                5.4039794207e-01f,
                                7.1828655899e-02f,
                                1.2617121637e-01f,
                                1.3637083583e-02f,
                                1.1984500103e-02f};
    const float s = size - 1.0f;
    return GG_BUILTIN(copysignf)(8.4506291151e-01f + polynomial(kOver, s) / polynomial(kUnder, s), x);
  }
  constexpr float kNearOver[] = {-9.8649440333e-03f, -6.9385856390e-01f, -1.0558626175e+01f,
                                 -6.2375331879e+01f, -1.6239666748e+02f, -1.8460508728e+02f,
                                 -8.1287437439e+01f, -9.8143291473e+00f};
  constexpr float kNearUnder[] = {1,
                                  1.9651271820e+01f,
                                  1.3765776062e+02f,
                                  4.3456588745e+02f,
                                  6.4538726807e+02f,
                                  4.2900814819e+02f,
                                  1.0863500214e+02f,
                                  6.5702495575e+00f,
                                  -6.0424413532e-02f};
  constexpr float kFarOver[] = {-9.8649431020e-03f, -7.9928326607e-01f, -1.7757955551e+01f,
                                -1.6063638306e+02f, -6.3756646729e+02f, -1.0250950928e+03f,
                                -4.8351919556e+02f};
  constexpr float kFarUnder[] = {1,
                                 3.0338060379e+01f,
                                 3.2579251099e+02f,
                                 1.5367296143e+03f,
                                 3.1998581543e+03f,
                                 2.5530502930e+03f,
                                 4.7452853394e+02f,
                                 -2.2440952301e+01f};
  const float s = 1.0f / (size * size);
  const float q = size < kFar ? polynomial(kNearOver, s) / polynomial(kNearUnder, s)
                              : polynomial(kFarOver, s) / polynomial(kFarUnder, s);
  // e^(−x²) in two factors, the first for a number with so few digits that its square is exact.
  const float few = __builtin_bit_cast(float, __builtin_bit_cast(int32_t, size) & ~0xfff);
  const float rest =
      GG_BUILTIN(expf)(-few * few - 0.5625f) * GG_BUILTIN(expf)((few - size) * (few + size) + q);
  return GG_BUILTIN(copysignf)(1.0f - rest / size, x);
}

}  // namespace glassgrad::GG_ISA
