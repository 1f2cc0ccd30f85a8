// Arithmetic on single numbers, by the functions that the loops use: an explanation of a cell gets its bits.
#include "../numbers/numbers.h"
#include "kernels.h"

namespace glassgrad::GG_ISA {
namespace {

// The dtypes of the table's second column.
struct arithmetic {
  static constexpr bool kFloats = true, kInt = true, kBool = true;
};
struct numeric {
  static constexpr bool kFloats = true, kInt = true, kBool = false;
};
struct floating {
  static constexpr bool kFloats = true, kInt = false, kBool = false;
};
struct integral {
  static constexpr bool kFloats = false, kInt = true, kBool = true;
};

#define SCALAR(name, dtypes, operands, value)                                \
  struct name##_scalar : dtypes {                                            \
    template <class V>                                                       \
    GG_INLINE static V of(V a, [[maybe_unused]] V b, [[maybe_unused]] V c) { \
      return value;                                                          \
    }                                                                        \
  };
#include "../numbers/scalar.def"

template <class F>
bool compute(DType t, const Scalar* in, Scalar& out) {
  if constexpr (F::kFloats) {
    if (t == float32) {
      out.real = double(F::of(float(in[0].real), float(in[1].real), float(in[2].real)));
      return true;
    }
    if (t == float64) {
      out.real = F::of(in[0].real, in[1].real, in[2].real);
      return true;
    }
  }
  if constexpr (F::kInt) {
    if (t == int64) {
      out.whole = F::of(Int(in[0].whole), Int(in[1].whole), Int(in[2].whole)).v;
      return true;
    }
  }
  if constexpr (F::kBool) {
    if (t == boolean) {
      using Bool = Integer<bool>;
      out.whole = F::of(Bool(in[0].whole), Bool(in[1].whole), Bool(in[2].whole)).v;
      return true;
    }
  }
  return false;
}

bool scalar(ScalarFunction f, DType t, const Scalar* in, Scalar& out) {
  switch (f) {
#define SCALAR(name, dtypes, operands, value) \
  case ScalarFunction::name:                  \
    return compute<name##_scalar>(t, in, out);
#include "../numbers/scalar.def"
  }
  return false;
}

}  // namespace

void fill_scalar(Kernels& k) { k.scalar = scalar; }

}  // namespace glassgrad::GG_ISA
