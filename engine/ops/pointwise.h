// Turns a row of pointwise.def into functions: the value, the node with its gradients, the in-place form.
#pragma once
#include <span>

#include "../glass/why.h"
#include "../ops.h"
#include "promote.h"

namespace glassgrad {

enum class TypePromotionKind : uint8_t { arithmetic, numeric, real, floating, compare, integral };

// Sets a row apart from others of its kind; pointwise.def explains each.
enum class Trait : uint8_t {
  subtracts,
  names_b_first,
  negates,
  refuses_bool,
  refuses_integer_zero,
  keeps_number_a,
  keeps_number_b,
  rounds_number,
  rounds_root,
  rounds_gradient_once,
  rounds_bf16_gradient_once
};

constexpr bool has_trait(PointwiseId id, Trait asked) {
#define TRAIT(name, trait) \
  if (id == PointwiseId::name && asked == Trait::trait) return true;
#include "../numbers/pointwise.def"
  return false;
}

// A row of the table. Its derivatives are ops of their own: the fused loops that a backward runs.
struct PointwiseOp {
  PointwiseId id;
  TypePromotionKind kind;
  Op op;
  std::span<const Op> derivative;
};

// The numbers beside the operand of a UNARY_NUMBERS row R: the op's attributes.
template <class R>
struct ScalarArguments {
  double first, second;
  static constexpr AttrNames kNames{R::kFirst, R::kSecond};
};
using NumberSpan = std::span<const double>;
inline NumberSpan numbers_of(const NoAttr&) { return {}; }
template <class R>
NumberSpan numbers_of(const ScalarArguments<R>& n) {
  return {&n.first, 2};
}

// The dtype in which the row computes. Throws for dtypes that the op does not take.
DType operand_type(const PointwiseOp& row, Operands in);
// The row's value, with operands read as dtype t; not recorded.
Tensor value_of(const PointwiseOp& row, DType t, Operands in, NumberSpan numbers = {});
// Writes the row's value to x, which is one of the operands. The loop may overwrite x while it reads `in`.
void value_into(const Tensor& x, const PointwiseOp& row, DType t, Operands in, NumberSpan numbers = {});
// Runs the loop of derivative k on the operands g, …, y. `named` is the set of those that its formula names,
// one bit each: the trace sees them in this order; the others may be undefined.
Tensor derivative_of(const PointwiseOp& row, int k, unsigned named, Operands all, NumberSpan numbers,
                     Attr attr);

constexpr bool is_just_g(const char* formula) { return formula[0] == 'g' && formula[1] == 0; }

// For narrow dtypes, rounds after each op of a gradient, except where PyTorch's gradient is one op.
template <class R>
constexpr bool rounds_once(DType t) {
  constexpr PointwiseId id = R::kRow.id;
  return R::kRow.kind == TypePromotionKind::floating || has_trait(id, Trait::rounds_gradient_once) ||
         (has_trait(id, Trait::rounds_bf16_gradient_once) && t == bfloat16);
}

// Computes derivative k: composed of ops if it must be differentiable itself, else in one fused loop. A
// derivative that is just g is returned as it is.
template <class R, int k, class A, class... T>
Tensor gradient(const A& attr, const Tensor& g, const T&... rest) {
  if constexpr (is_just_g(R::kRow.derivative[k].formula)) return g;
  if (grad_mode || (is_narrow(g.dtype()) && !rounds_once<R>(g.dtype())))
    return R::template derivative<k>(attr, g, rest...);
  const Tensor* const all[] = {&g, &rest...};
  constexpr unsigned named = operands_named(R::kRow.derivative[k].formula, R::kLetters);
  return derivative_of(R::kRow, k, named, all, numbers_of(attr), Attr(attr));
}

template <bool present>
Tensor saved_if(const BackwardContext& d, int i) {
  return present ? d.saved(i) : Tensor();
}

// ---- one operand: saves x and y if the derivative names them
template <class R>
struct UnaryBackward {
  static constexpr bool kX = names(R::kRow.derivative[0].formula, 'x'),
                        kY = names(R::kRow.derivative[0].formula, 'y');
  static constexpr bool kSaves = kX || kY;

  template <class A>
  void operator()(BackwardContext& d, const A& attr) const {
    d[0] = gradient<R, 0>(attr, d.g, saved_if<kX>(d, 0), saved_if<kY>(d, 1));
  }
};

template <class R, class A>
Tensor unary_as(DType t, const Tensor& x, const A& attr) {
  using B = UnaryBackward<R>;
  const Tensor y = value_of(R::kRow, t, {{&x}}, numbers_of(attr));
  if constexpr (B::kSaves)
    return record(R::kRow.op, y, {&x}, {{&x, B::kX}, {&y, B::kY}}, attr, B());
  else
    return record(R::kRow.op, y, {&x}, {}, attr, B());
}
template <class R>
Tensor unary(const Tensor& x) {
  return unary_as<R>(operand_type(R::kRow, {{&x}}), x, NoAttr());
}

template <class R, class A>
Tensor unary_in_place_as(DType t, const Tensor& x, const A& attr) {
  using B = UnaryBackward<R>;
  announce(x);
  check_writable(x, x.shape());
  check_castable(t, x);
  const bool keep = B::kX && grad_mode && needs_grad(x);
  const Tensor old = keep ? converted(x, x.dtype()) : Tensor();
  value_into(x, R::kRow, t, {{&x}}, numbers_of(attr));
  if constexpr (B::kSaves)
    return record_in_place(R::kRow.op, x, {&x}, {{&old, keep, 0}, {&x, B::kY}}, attr, B());
  else
    return record_in_place(R::kRow.op, x, {&x}, {}, attr, B());
}
template <class R>
Tensor unary_in_place(const Tensor& x) {
  return unary_in_place_as<R>(operand_type(R::kRow, {{&x}}), x, NoAttr());
}

// ---- two operands: saves those that the needed derivatives name
template <class R>
struct BinaryBackward {
  static constexpr const char *kDa = R::kRow.derivative[0].formula, *kDb = R::kRow.derivative[1].formula;
  static constexpr bool kA = names(kDa, 'a') || names(kDb, 'a'), kB = names(kDa, 'b') || names(kDb, 'b'),
                        kY = names(kDa, 'y') || names(kDb, 'y'), kSaves = kA || kB || kY;
  template <char operand>
  static bool wants(bool a_needs, bool b_needs) {
    constexpr bool by_a = names(kDa, operand), by_b = names(kDb, operand);
    return (a_needs && by_a) || (b_needs && by_b);
  }

  void operator()(BackwardContext& d, const NoAttr& none) const {
    const Tensor a = saved_if<kA>(d, 0), b = saved_if<kB>(d, 1), y = saved_if<kY>(d, 2);
    if (d.needs(0)) d[0] = gradient<R, 0>(none, d.g, a, b, y);
    if (d.needs(1)) d[1] = gradient<R, 1>(none, d.g, a, b, y);
  }
};

template <class R>
Tensor binary(const Tensor& a, const Tensor& b) {
  using B = BinaryBackward<R>;
  const Tensor y = value_of(R::kRow, operand_type(R::kRow, {{&a, &b}}), {{&a, &b}});
  if constexpr (!B::kSaves) {
    return record(R::kRow.op, y, {&a, &b}, {}, NoAttr(), B());
  } else {
    const bool need_a = grad_mode && needs_grad(a), need_b = grad_mode && needs_grad(b);
    const Save save_a{&a, B::template wants<'a'>(need_a, need_b)},
        save_b{&b, B::template wants<'b'>(need_a, need_b)};
    if constexpr (!B::kY)
      return record(R::kRow.op, y, {&a, &b}, {save_a, save_b}, NoAttr(), B());
    else
      return record(R::kRow.op, y, {&a, &b}, {save_a, save_b, {&y, B::template wants<'y'>(need_a, need_b)}},
                    NoAttr(), B());
  }
}

template <class R>
Tensor binary_in_place(const Tensor& x, const Tensor& b) {
  using B = BinaryBackward<R>;
  announce(x, b);
  check_writable(x, broadcast(x.shape(), b.shape()));
  const DType t = operand_type(R::kRow, {{&x, &b}});
  check_castable(t, x);
  const bool need_a = grad_mode && needs_grad(x), need_b = grad_mode && needs_grad(b);
  const bool keep_a = B::template wants<'a'>(need_a, need_b), keep_b = B::template wants<'b'>(need_a, need_b);
  const Tensor old = keep_a ? converted(x, x.dtype()) : Tensor();
  const Tensor read_b = copy_if_overlapping(x, b);
  // b aliases x: save a copy before overwriting.
  const Tensor old_b = keep_b && shares_memory(x, b) ? converted(read_b, read_b.dtype()) : b;
  value_into(x, R::kRow, t, {{&x, &read_b}});
  return record_in_place(
      R::kRow.op, x, {&x, &b},
      {{&old, keep_a, 0}, {&old_b, keep_b, 1}, {&x, B::template wants<'y'>(need_a, need_b)}}, NoAttr(), B());
}

// ---- no gradient
template <class R>
Tensor plain(const Tensor& x) {
  return record(R::kRow.op, value_of(R::kRow, operand_type(R::kRow, {{&x}}), {{&x}}), {&x}, NoAttr());
}
template <class R>
Tensor plain(const Tensor& a, const Tensor& b) {
  return record(R::kRow.op, value_of(R::kRow, operand_type(R::kRow, {{&a, &b}}), {{&a, &b}}), {&a, &b},
                NoAttr());
}

}  // namespace glassgrad
