// Arithmetic on single numbers with the functions of the loops, so that the explanation of a cell has the
// same bits.
#include "../numbers/formulas.h"
#include "kernels.h"

namespace glassgrad::GG_ISA {
namespace {

#define SCALAR(name, dtypes, operands, value)                                \
  struct name##_scalar {                                                     \
    template <class V>                                                       \
    GG_INLINE static V of(V a, [[maybe_unused]] V b, [[maybe_unused]] V c) { \
      return value;                                                          \
    }                                                                        \
  };
#include "../numbers/scalar.def"

template <class F, class T>
bool compute_in(DType t, const Scalar* in, Scalar& out) {
  using V = ValueOf<T>;
  if (t != dtype_of<T>()) return false;
  if constexpr (is_floating(dtype_of<T>()))
    out.real = double(F::of(V(in[0].real), V(in[1].real), V(in[2].real)));
  else
    out.whole = F::of(V(in[0].whole), V(in[1].whole), V(in[2].whole)).v;
  return true;
}

// Computes in dtype t, which must be one of T.
template <class F, class... T>
bool compute(DType t, const Scalar* in, Scalar& out, Types<T...>) {
  return (... || compute_in<F, T>(t, in, out));
}

bool scalar(ScalarFunction f, DType t, const Scalar* in, Scalar& out) {
  switch (f) {
#define SCALAR(name, dtypes, operands, value) \
  case ScalarFunction::name:                  \
    return compute<name##_scalar>(t, in, out, dtypes::types());
#include "../numbers/scalar.def"
  }
  return false;
}

}  // namespace

void fill_scalar(Kernels& k) { k.scalar = scalar; }

}  // namespace glassgrad::GG_ISA
