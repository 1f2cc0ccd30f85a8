// Comparisons, and choices by a condition.
#include "engine/ops/promote.h"
#include "table.h"

namespace glassgrad::GG_HOST {

namespace {

Tensor is_close(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  check(a.dtype() == b.dtype(), "{} did not match {}", scalar_type_name(a.dtype()),
        scalar_type_name(b.dtype()));
  check(rtol >= 0, "rtol must be greater than or equal to zero, but got {}", rtol);
  check(atol >= 0, "atol must be greater than or equal to zero, but got {}", atol);
  const auto real = [](const Tensor& x) { return is_floating(x.dtype()) ? x : to(x, default_dtype()); };
  const Tensor apart = abs(real(a) - real(b));
  const Tensor near = logical_and(isfinite(apart), apart <= add(abs(mul(real(b), rtol)), atol));
  const Tensor same = rtol == 0 && atol == 0 ? eq(a, b) : logical_or(eq(a, b), near);
  return equal_nan ? logical_or(same, logical_and(isnan(a), isnan(b))) : same;
}

}  // namespace

Rows comparison_rows() {
  return {
#define GG_COMPARE(name, function)                                                     \
  row(kBoth, name "(Tensor input, Tensor other" GG_OUT ")", call<function>).out(kAny), \
      row(kBoth, name "(Tensor input, Scalar other" GG_OUT ")", call<function>).out(kAny)
      GG_COMPARE("greater", gt).help("gt.").in_place(kMethod),
      GG_COMPARE("greater_equal", ge).help("ge.").in_place(kMethod),
      GG_COMPARE("less", lt).help("lt.").in_place(kMethod),
      GG_COMPARE("less_equal", le).help("le.").in_place(kMethod),
      GG_COMPARE("not_equal", ne).help("ne.").in_place(kMethod),
#undef GG_COMPARE
#define GG_NUMBER(name) \
  row(kBoth, #name "(Tensor input, Scalar other" GG_OUT ")", call<glassgrad::name>).out(kAny)
      GG_NUMBER(eq),
      GG_NUMBER(ne),
      GG_NUMBER(lt),
      GG_NUMBER(le),
      GG_NUMBER(gt),
      GG_NUMBER(ge),
#undef GG_NUMBER
      row(kBoth,
          "isclose(Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False)",
          call<is_close>)
          .help("|input − other| ≤ atol + rtol · |other|, bool."),
      row(kBoth,
          "allclose(Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False)",
          [](const Tensor& a, const Tensor& b, double rtol, double atol, bool nan) {
            return all(is_close(a, b, rtol, atol, nan)).is_true();
          })
          .help("Is isclose true everywhere?"),
      row(kBoth, "equal(Tensor input, Tensor other)", call<equal>)
          .help("Have both one shape and the same elements?"),
      row(kTorch, "where(Tensor condition)", call<places_of_nonzero>)
          .help("input where condition (bool) is true, else other; shapes broadcast. Of a condition "
                "alone: nonzero as a tuple."),
#define GG_WHERE(parameters)                                          \
  row(kTorch, "where(Tensor condition, " parameters ")", call<where>) \
      .out(same("Expected out type to be {E} but got {G}"))
      GG_WHERE("Tensor input, Tensor other" GG_OUT),
      GG_WHERE("Scalar self, Tensor other"),
      GG_WHERE("Tensor input, Scalar other"),
      GG_WHERE("Scalar self, Scalar other"),
      row(kMethod, "where(Tensor input, Tensor condition, Tensor other)",
          [](const Tensor& a, const Tensor& c, const Tensor& b) { return where(c, a, b); })
          .help("The tensor where condition (bool) is true, else other."),
      row(kMethod, "where(Tensor input, Tensor condition, Scalar other)",
          [](const Tensor& a, const Tensor& c, const Tensor& b) { return where(c, a, b); }),
#define GG_MASKED(name, places, mask, value)                                  \
  row(places, name "(Tensor input, Tensor mask, Tensor value)", call<value>), \
      row(places, name "(Tensor input, Tensor mask, Scalar value)", call<value>)
      GG_MASKED("masked_fill", kBoth, mask, masked_fill).help("value where mask (bool) is true, else input."),
      GG_MASKED("masked_fill_", kMethod, mask, masked_fill_)
          .help("value where mask (bool) is true, else input."),
#undef GG_MASKED
  };
}

}  // namespace glassgrad::GG_HOST
