// Tensor's operators: what a OP b computes for tensors and numbers.
#pragma once
#include "engine/autocast.h"
#include "table.h"

namespace glassgrad::GG_HOST {

// a and b of `a OP b`: tensors, or one of them a number or an array of the host's.
struct Operands {
  const Tensor *a, *b;
  Tensor made;
  bool fit;

  Operands(Object left, Object right) : a(as_tensor(left)), b(as_tensor(right)), fit(a && b) {
    if (fit) return;
    const Object other = a ? right : left;
    if (is_number(other))
      made = to_number(other);
    else if (a)
      made = over_array(other);
    fit = bool(made) && (a || b);
    (a ? b : a) = &made;
  }
  Operands(const Operands&) = delete;
  bool number_first() const { return a == &made; }
  bool number_last() const { return b == &made && made->is_number; }
};

inline Tensor difference(const Operands& o) { return o.number_first() ? rsub(*o.b, *o.a) : sub(*o.a, *o.b); }
// Casts x to float32 if it is on a GPU and autocast is on for GPUs, as PyTorch does for powers and for a
// number divided by a tensor.
inline Tensor cast_there(const Tensor& x) {
  const bool casts = autocast_dtype(DeviceType::CUDA) != float32 && x.device() != kCpu;
  return casts && is_autocast(x, float32) ? to(x, float32) : x;
}
inline Tensor quotient(const Operands& o) {
  return o.number_first() ? mul(reciprocal(cast_there(*o.b)), *o.a) : div(*o.a, *o.b);
}
inline Tensor power(const Operands& o) {
  if (o.number_first()) return pow_base(*o.a, cast_there(*o.b));
  const Tensor base = cast_there(*o.a);
  return o.number_last() ? pow_number(base, *o.b) : pow(base, cast_there(*o.b));
}

// +x and ~x; throw for dtypes that do not support them.
const Tensor& positive(const Tensor& x);
Tensor inverted(const Tensor& x);
// Returns x, which must have one element, for int() and float(); throws ValueError otherwise.
const Tensor& one_element(const Tensor& x);
// The integer that x holds, for use as an index. Throws TypeError.
int64_t as_index(const Tensor& x);
// len(x), and the rows for iteration. Throw TypeError for a 0-d tensor.
int64_t len(const Tensor& x);
std::vector<Tensor> rows_of(const Tensor& x);
// element in x
bool contains(Object x, Object element);

}  // namespace glassgrad::GG_HOST
