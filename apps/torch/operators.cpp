#include "operators.h"

namespace glassgrad::GG_HOST {

const Tensor& positive(const Tensor& x) {
  check(x.dtype() != boolean, "The `+` operator, on a bool tensor is not supported.");
  return x;
}

Tensor inverted(const Tensor& x) {
  check<TypeError>(!is_floating(x.dtype()),
                   "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
  return bitwise_not(x);
}

const Tensor& one_element(const Tensor& x) {
  check<ValueError>(x.numel() == 1, "only one element tensors can be converted to Python scalars");
  return x;
}

int64_t as_index(const Tensor& x) {
  check<TypeError>(x.numel() == 1 && !is_floating(x.dtype()),
                   "only integer tensors of a single element can be converted to an index");
  return x.item<int64_t>();
}

int64_t len(const Tensor& x) {
  check<TypeError>(x.dim() > 0, "len() of a 0-d tensor");
  return x.shape()[0];
}

std::vector<Tensor> rows_of(const Tensor& x) {
  check<TypeError>(x.dim() > 0, "iteration over a 0-d tensor");
  return x.unbind(0);
}

bool contains(Object x, Object element) {
  const Operands o(x, element);
  check(o.fit, "Tensor.__contains__ only supports Tensor or scalar, but you passed in a {}.",
        class_shown(element));
  return any(eq(*o.a, *o.b)).is_true();
}

}  // namespace glassgrad::GG_HOST
