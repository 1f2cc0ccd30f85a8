// Turns uniforms into normals like PyTorch's kernel: logarithm, sine and cosine are the polynomials of Julien
// Pommier's avx_mathfun, from Cephes. With the C library's, a third of the normals differ in the last bit.
#include "kernels.h"
#include "vec.h"

namespace glassgrad::GG_ISA {
namespace {

using I32s = Vec<int32_t>;

template <int n>
GG_INLINE F32s poly(const F32s& x, const float (&coefficients)[n]) {
  F32s y = F32s{} + coefficients[0];
  for (int i = 1; i < n; ++i) y = fma(y, x, F32s{} + coefficients[i]);
  return y;
}

// ln x for a normal x > 0: x = m·2^e with m in [√½, √2).
GG_INLINE F32s block_log(const F32s& x) {
  constexpr float kLog[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                            -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                            2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
  const I32s bits = __builtin_bit_cast(I32s, x);
  const F32s half = __builtin_bit_cast(F32s, (bits & 0x7fffff) | 0x3f000000);  // the mantissa, in [0.5, 1)
  const I32s low = half < 0.707106781186547524f;                               // −1 or 0
  const F32s e = to_float((bits >> 23) - 126 + low);
  const F32s m = (half - 1.0f) + (low ? half : F32s{});
  const F32s square = m * m;
  F32s y = fma(poly(m, kLog) * m, square, e * -2.12194440e-4f);
  y = fma(-square, F32s{} + 0.5f, y);
  return fma(e, F32s{} + 0.693359375f, m + y);  // ln 2 = 0.693359375 − 0.000212194440
}

// sin x and cos x for x ≥ 0: octant j, remainder by π/4 in three parts, one polynomial for each function.
GG_INLINE void block_sincos(const F32s& x, F32s& sin, F32s& cos) {
  constexpr float kQuarterPi[] = {-0.78515625f, -2.4187564849853515625e-4f, -3.77489497744594108e-8f};
  constexpr float kCos[] = {2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f};
  constexpr float kSin[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
  const I32s j = (__builtin_convertvector(x * 1.27323954473516f, I32s) + 1) & ~1;
  F32s t = x;
  for (const float part : kQuarterPi) t = fma(to_float(j), F32s{} + part, t);
  const F32s z = t * t;
  const F32s c = fma(poly(z, kCos) * z, z, -(z * 0.5f)) + 1.0f;
  const F32s s = fma(poly(z, kSin) * z, t, t);
  const I32s exchanged = (j & 2) != 0;
  sin = exchanged ? c : s;
  cos = exchanged ? s : c;
  sin = (j & 4) != 0 ? -sin : sin;
  cos = ((j - 2) & 4) == 0 ? -cos : cos;
}

void normal(float* y, int64_t n, float mean, float std) {
  constexpr int kPairs = kLanes<float>;
  constexpr float kTwoPi = 6.283185307179586f;
  for (int64_t i = 0; i + 2 * kPairs <= n; i += 2 * kPairs) {
    F32s sin, cos, r = -2.0f * block_log(1.0f - load(y + i));
    for (int j = 0; j < kPairs; ++j) r[j] = __builtin_sqrtf(r[j]);
    block_sincos(kTwoPi * load(y + i + kPairs), sin, cos);
    store<float>(y + i, fma(r * cos, F32s{} + std, F32s{} + mean));
    store<float>(y + i + kPairs, fma(r * sin, F32s{} + std, F32s{} + mean));
  }
}

}  // namespace

void fill_normal(Kernels& k) { k.normal = normal; }

}  // namespace glassgrad::GG_ISA
