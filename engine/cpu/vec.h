// Short vectors, for the files compiled once per instruction set.
// Everything is always inlined (vectors go by reference, since instruction sets pass them differently) and
// lives in the set's own namespace; compiler builtins replace the inline functions of <cmath>, because all
// sets would share their out-of-line copies. Every set gives the same bits: each fma is written out, and
// everything else is rounded operation by operation.
#pragma once
#include "../numbers/builtin.h"
#ifdef __FMA__
#include <immintrin.h>
#endif
#ifdef GG_NEON
#include <arm_neon.h>
#endif
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wpsabi"  // warns about how calls return vectors; everything is inlined
#endif
#ifdef __clang__
#define GG_UNROLL _Pragma("clang loop unroll(full)")
#define GG_UNROLL_TWICE _Pragma("clang loop unroll_count(2)")
#else
#define GG_UNROLL _Pragma("GCC unroll 16")
#define GG_UNROLL_TWICE _Pragma("GCC unroll 2")
#endif

namespace glassgrad::GG_ISA {

// PyTorch's AVX2 vectors hold 32 bytes, and its results depend on that; so do ours, on every processor.
template <class T>
struct VecOf {
  using type __attribute__((vector_size(32))) = T;
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

// The widest vectors there are: a product does not depend on which lane holds which number. A tile of a
// product, kTileRows by kTileVectors vectors, fits the registers with its operands: 32 of 64 or 16 bytes, 16
// of 32. WebAssembly has no wide vectors: a tile of 16 numbers takes half the time of one of 96.
#if defined(__AVX512F__)
inline constexpr int kWideBytes = 64, kTileRows = 8, kTileVectors = 3;
#elif defined(GG_NEON)
inline constexpr int kWideBytes = 16, kTileRows = 6, kTileVectors = 4;
#elif defined(__wasm__)
inline constexpr int kWideBytes = 32, kTileRows = 2, kTileVectors = 1;
#else
inline constexpr int kWideBytes = 32, kTileRows = 6, kTileVectors = 2;
#endif
template <class T>
struct WideOf {
  using type __attribute__((vector_size(kWideBytes))) = T;
};
template <class T>
using Wide = typename WideOf<T>::type;
template <class T>
inline constexpr int kWide = kWideBytes / int(sizeof(T));

#ifdef GG_NEON
GG_INLINE Wide<float> fma(const Wide<float>& a, const Wide<float>& b, const Wide<float>& c) {
  return vfmaq_f32(c, a, b);
}
GG_INLINE Wide<double> fma(const Wide<double>& a, const Wide<double>& b, const Wide<double>& c) {
  return vfmaq_f64(c, a, b);
}
// A Vec is two Wide vectors.
GG_INLINE Wide<float> low(const F32s& x) { return __builtin_shufflevector(x, x, 0, 1, 2, 3); }
GG_INLINE Wide<float> high(const F32s& x) { return __builtin_shufflevector(x, x, 4, 5, 6, 7); }
GG_INLINE F32s joined(const Wide<float>& low, const Wide<float>& high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
GG_INLINE Wide<double> low(const F64s& x) { return __builtin_shufflevector(x, x, 0, 1); }
GG_INLINE Wide<double> high(const F64s& x) { return __builtin_shufflevector(x, x, 2, 3); }
GG_INLINE F64s joined(const Wide<double>& low, const Wide<double>& high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}
#endif

#ifdef __FMA__
GG_INLINE F32s fma(const F32s& a, const F32s& b, const F32s& c) { return _mm256_fmadd_ps(a, b, c); }
GG_INLINE F64s fma(const F64s& a, const F64s& b, const F64s& c) { return _mm256_fmadd_pd(a, b, c); }
#else
template <class V>
requires(sizeof(V) == sizeof(F32s)) GG_INLINE V fma(const V& a, const V& b, const V& c) {
#ifdef GG_NEON
  return joined(fma(low(a), low(b), low(c)), fma(high(a), high(b), high(c)));
#else
  V y{};
  for (int i = 0; i < int(sizeof(V) / sizeof(y[0])); ++i) y[i] = fma(a[i], b[i], c[i]);
  return y;
#endif
}
#endif

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
// Load and store only the first `count` lanes, 1 to all: load_part sets the others to 0, store_part leaves
// them alone.
template <class T>
GG_INLINE Wide<T> load_part(const T* p, int64_t count) {
#ifdef __AVX512F__
  const auto lanes = _bzhi_u32(0xffff, unsigned(count));
  if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(Wide<T>, _mm512_maskz_loadu_epi32(__mmask16(lanes), p));
  else
    return __builtin_bit_cast(Wide<T>, _mm512_maskz_loadu_epi64(__mmask8(lanes), p));
#else
  Wide<T> v{};
  for (int i = 0; i < kWide<T>; ++i) v[i] = i < count ? p[i] : T(0);
  return v;
#endif
}
template <class T>
GG_INLINE void store_part(T* p, const Wide<T>& v, int64_t count) {
#ifdef __AVX512F__
  const auto lanes = _bzhi_u32(0xffff, unsigned(count));
  if constexpr (sizeof(T) == 4)
    _mm512_mask_storeu_epi32(p, __mmask16(lanes), __builtin_bit_cast(__m512i, v));
  else
    _mm512_mask_storeu_epi64(p, __mmask8(lanes), __builtin_bit_cast(__m512i, v));
#else
  for (int i = 0; i < kWide<T> && i < count; ++i) p[i] = v[i];
#endif
}
#ifdef __AVX512F__
GG_INLINE Wide<float> fma(const Wide<float>& a, const Wide<float>& b, const Wide<float>& c) {
  return _mm512_fmadd_ps(a, b, c);
}
GG_INLINE Wide<double> fma(const Wide<double>& a, const Wide<double>& b, const Wide<double>& c) {
  return _mm512_fmadd_pd(a, b, c);
}
// Uses the masked intrinsics, because g++ 12 warns about its own unmasked ones.
constexpr __mmask16 kAll = 0xffff;
// u·2^q for whole numbers q, rounded once.
GG_INLINE Wide<float> times_power(const Wide<float>& u, const Wide<float>& q) {
  return _mm512_maskz_scalef_ps(kAll, u, q);
}
#endif
GG_INLINE F32s to_float(const Vec<int32_t>& i) { return __builtin_convertvector(i, F32s); }

}  // namespace glassgrad::GG_ISA

// ---- the mathematics that runs in vectors: its templates call the fma above
#include "../numbers/exp_log.h"

namespace glassgrad::GG_ISA {

#if defined(__AVX512F__) || defined(GG_NEON)
GG_INLINE Wide<float> exp(const Wide<float>& x) { return exp_float<Wide<float>, Wide<int32_t>>(x); }
GG_INLINE Wide<double> exp(const Wide<double>& x) { return exp_double<Wide<double>, Wide<int64_t>>(x); }
#endif
#ifdef GG_NEON
GG_INLINE F32s exp(const F32s& x) { return joined(exp(low(x)), exp(high(x))); }
GG_INLINE F64s exp(const F64s& x) { return joined(exp(low(x)), exp(high(x))); }
#else
GG_INLINE F32s exp(const F32s& x) { return exp_float<F32s, Vec<int32_t>>(x); }
GG_INLINE F64s exp(const F64s& x) { return exp_double<F64s, Vec<int64_t>>(x); }
#endif

GG_INLINE F32s log(const F32s& x) { return log_float<F32s, Vec<int32_t>>(x); }
GG_INLINE F64s log(const F64s& x) {
  F64s y{};
  for (int i = 0; i < kLanes<double>; ++i) y[i] = __builtin_log(x[i]);
  return y;
}

}  // namespace glassgrad::GG_ISA
