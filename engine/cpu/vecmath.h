// The mathematics that runs in short vectors.
#pragma once
#include "vec.h"
// after the vectors' fma, which its templates call
#include "../numbers/exp_log.h"

namespace glassgrad::GG_ISA {

GG_INLINE F32s exp(const F32s& x) { return exp_float<F32s, Vec<int32_t>>(x); }
GG_INLINE F64s exp(const F64s& x) { return exp_double<F64s, Vec<int64_t>>(x); }
#ifdef __AVX512F__
GG_INLINE Wide<float> exp(const Wide<float>& x) { return exp_float<Wide<float>, Wide<int32_t>>(x); }
GG_INLINE Wide<double> exp(const Wide<double>& x) { return exp_double<Wide<double>, Wide<int64_t>>(x); }
#endif

GG_INLINE F32s log(const F32s& x) { return log_float<F32s, Vec<int32_t>>(x); }
GG_INLINE F64s log(const F64s& x) {
  F64s y{};
  for (int i = 0; i < kLanes<double>; ++i) y[i] = __builtin_log(x[i]);
  return y;
}

}  // namespace glassgrad::GG_ISA
