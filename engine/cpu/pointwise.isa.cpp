// The loops of the pointwise ops: every row of numbers/pointwise.def, its value and its gradients, for every
// dtype it takes.
#include "../numbers/formulas.h"
#include "kernels.h"

// Tells the compiler that the elements of the result are independent: y may be one of the inputs.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"  // loops that call the C library cannot be vectorized
#define GG_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define GG_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace glassgrad::GG_ISA {
namespace {

// The operand whose sine or cosine a formula computes; −1: none.
template <class F>
constexpr int kAngle = -1;
template <>
constexpr int kAngle<sin_row::value> = 0;
template <>
constexpr int kAngle<cos_row::value> = 0;
template <>
constexpr int kAngle<sin_row::dx> = 1;
template <>
constexpr int kAngle<cos_row::dx> = 1;

template <class F, bool kIsNear, size_t... I>
GG_INLINE void turn(int64_t from, int64_t to, float* y, const float* const* x, Indices<I...>) {
  using V = Angle<kIsNear>;
  GG_INDEPENDENT
  for (int64_t i = from; i < to; ++i) y[i] = F::of((has(F::kUsed, I) ? V(x[I][i]) : V(0))...).v;
}
// Sines and cosines of contiguous angles, in PyTorch's groups of eight.
template <class F, size_t... I>
GG_INLINE void run_angles(int64_t n, float* y, const float* const* x, Indices<I...> all) {
  constexpr int64_t kGroup = 8;
  for (int64_t i = 0; i < n; i += kGroup) {
    const int64_t end = i + kGroup < n ? i + kGroup : n;
    bool near = true;
    for (int64_t j = i; j < end; ++j) near &= is_near(x[kAngle<F>][j]);
    if (!near)
      turn<F, false>(i, end, y, x, all);
    else if (end - i == kGroup)  // the compiler knows this count
      turn<F, true>(i, i + kGroup, y, x, all);
    else
      turn<F, true>(i, end, y, x, all);
  }
}

// Runs the loop if the operands in `repeated` are single elements and all others contiguous; otherwise
// returns false.
template <class F, class R, class T, unsigned repeated, size_t... I>
GG_INLINE bool run_flat(int64_t n, void* out, const void* const* in, const int64_t* steps, Indices<I...>) {
  if (!(... && (!has(F::kUsed, I) || steps[I] == (has(repeated, I) ? 0 : 1)))) return false;
  using V = ValueOf<T>;
  constexpr unsigned kMoving = F::kUsed & ~repeated;
  R* const y = static_cast<R*>(out);
  const T* const x[] = {static_cast<const T*>(in[I])...};
  if constexpr (kAngle<F> >= 0 && std::is_same_v<T, float> && repeated == 0) {
    run_angles<F>(n, y, x, Indices<I...>());
    return true;
  }
  const V fixed[] = {has(F::kUsed & repeated, I) ? V(*x[I]) : V(0)...};
  GG_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) y[i] = stored(F::of((has(kMoving, I) ? V(x[I][i]) : fixed[I])...));
  return true;
}

template <class F, class R, class T, size_t... I>
GG_INLINE void run(int64_t n, void* out, int64_t step, const void* const* in, const int64_t* steps,
                   Indices<I...> all) {
  constexpr unsigned kNumbers = F::kNumbers;
  constexpr bool kOneMoves = __builtin_popcount(F::kUsed & ~kNumbers) == 1;
  if (step == 1) {
    if (run_flat<F, R, T, kNumbers>(n, out, in, steps, all)) return;
    if constexpr (!kOneMoves) {
      if ((... ||
           (has(F::kUsed & ~kNumbers, I) && run_flat<F, R, T, kNumbers | 1u << I>(n, out, in, steps, all))))
        return;
    }
  }
  using V = ValueOf<T>;
  R* y = static_cast<R*>(out);
  const T* x[] = {static_cast<const T*>(in[I])...};
  for (int64_t i = 0; i < n; ++i, y += step) {
    // No vectors over several operands: gathering them takes as long as most formulas.
    if constexpr (!kOneMoves) asm("" : "+r"(y));
    *y = stored(F::of((has(F::kUsed, I) ? V(*x[I]) : V(0))...));
    ((x[I] += has(F::kUsed, I) ? steps[I] : 0), ...);
  }
}

template <class F, class R, class T>
void row(int64_t n, void* y, int64_t step, const void* const* in, const int64_t* steps) {
  run<F, R, T>(n, y, step, in, steps, std::make_index_sequence<F::kOperands>());
}

// ---- select and convert
template <class T>
using BitsOf =
    std::conditional_t<sizeof(T) == 1, uint8_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;

// Selects by masks. Compilers turn `condition ? a : b` into a branch, which is fifty times slower for random
// conditions.
template <class T>
GG_INLINE T selected(bool condition, T a, T b) {
  using Bits = BitsOf<T>;
  const Bits all = Bits(Bits(0) - Bits(condition));
  const Bits chosen = Bits((__builtin_bit_cast(Bits, a) & all) | (__builtin_bit_cast(Bits, b) & Bits(~all)));
  return __builtin_bit_cast(T, chosen);
}

template <class T>
void select_row(int64_t n, void* out, int64_t step, const void* const* in, const int64_t* steps) {
  T* y = static_cast<T*>(out);
  const bool* condition = static_cast<const bool*>(in[0]);
  const T *a = static_cast<const T*>(in[1]), *b = static_cast<const T*>(in[2]);
  const auto moves = [&](int64_t s, int64_t sa, int64_t sb) {
    return step == 1 && steps[0] == s && steps[1] == sa && steps[2] == sb;
  };
  if (moves(1, 0, 1)) {  // masked_fill
    const T value = *a;
    GG_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) y[i] = selected(condition[i], value, b[i]);
  } else if (moves(1, 1, 0)) {
    const T value = *b;
    GG_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) y[i] = selected(condition[i], a[i], value);
  } else if (moves(1, 1, 1)) {
    GG_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) y[i] = selected(condition[i], a[i], b[i]);
  } else {
    for (int64_t i = 0; i < n; ++i)
      y[i * step] = selected(condition[i * steps[0]], a[i * steps[1]], b[i * steps[2]]);
  }
}

template <class From, class To>
void convert_row(int64_t n, void* out, int64_t step, const void* const* in, const int64_t* steps) {
  To* y = static_cast<To*>(out);
  const From* x = static_cast<const From*>(in[0]);
  if (step == 1 && steps[0] == 1) {
    GG_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) y[i] = converted<To>(x[i]);
  } else if (step == 1 && steps[0] == 0) {
    const To value = converted<To>(*x);
    GG_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) y[i] = value;
  } else {
    for (int64_t i = 0; i < n; ++i) y[i * step] = converted<To>(x[i * steps[0]]);
  }
}

// ---- gelu and its slope
// The slope is the gradient for g = 1. The compiler shares what the formulas of value and slope have in
// common.
template <class Value, class Gradient, class T>
void value_and_slope(int64_t n, T* x, T* y) {
  GG_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) {
    const T at = x[i], value = Value::of(at);
    x[i] = Gradient::of(T(1), at, value);
    y[i] = value;
  }
}

void gelu_and_slope(int64_t n, DType t, void* x, void* y, bool tanh) {
  floats(t, [&](auto zero) {
    using T = decltype(zero);
    if (tanh)
      value_and_slope<gelu_tanh_row::value, gelu_tanh_row::dx>(n, static_cast<T*>(x), static_cast<T*>(y));
    else
      value_and_slope<gelu_row::value, gelu_row::dx>(n, static_cast<T*>(x), static_cast<T*>(y));
  });
}

struct Rows {
  template <class F, class R, class T>
  static constexpr RowKernel formula() {
    return row<F, R, T>;
  }
  template <class T>
  static constexpr RowKernel select() {
    return select_row<T>;
  }
  template <class From, class To>
  static constexpr RowKernel convert() {
    return convert_row<From, To>;
  }
};

template <class T, class Wide>
void fill_narrow(PointwiseKernels& p, DType t) {
  const int i = int(t) - kDTypes;
  p.widen[i] = convert_row<T, Wide>;
  p.round[i] = convert_row<Wide, T>;
  p.copy[i] = convert_row<T, T>;
}

}  // namespace

void fill_pointwise(Kernels& k) {
  k.pointwise = filled_table<Rows, RowKernel>();
#define WIDE(...)
#define NARROW_INTEGER(dtype, T, ...) fill_narrow<T, int64_t>(k.pointwise, dtype);
#define NARROW_FLOAT(dtype, T, ...) fill_narrow<T, float>(k.pointwise, dtype);
#include "../core/dtypes.def"
  k.gelu_and_slope = gelu_and_slope;
}

}  // namespace glassgrad::GG_ISA
