// Choosing between tensors by a condition.
#include "../core/default_float64.h"
#include "../glass/why.h"
#include "../ops.h"
#include "kernels.h"
#include "layout.h"
#include "promote.h"

namespace glassgrad {
namespace {

// The loops read both operands in the result's dtype.
Expr why_where(const Cell& c) {
  const DType t = c.dtype();
  return where(c.in(0), cast(c.in(1), t), cast(c.in(2), t));
}
struct Value {
  double value;
  static constexpr AttrNames kNames{"value"};
};
Expr why_masked_fill(const Cell& c) {
  const DType t = c.dtype();
  const Expr value = c.has_input(2) ? c.in(2) : number(scalar_of(c.attr<Value>().value, t));
  return where(c.in(1), cast(value, t), c.in(0));
}

constexpr Op where_op{"where", "WhereBackward0", "cond ? a : b", why_where};
constexpr Op masked_fill_op{"masked_fill", "MaskedFillBackward0", "mask ? value : x", why_masked_fill};
constexpr Op masked_fill_tensor_op{"masked_fill", "MaskedFillBackward1", "mask ? value : x", why_masked_fill};

// y = condition ? a : b
void select_into(const Tensor& y, const Tensor& condition, const Tensor& a, const Tensor& b) {
  Loop loop(y, y.dtype());
  loop.add_as_is(condition);
  loop.add(a);
  loop.add(b);
  loop.run([&](const auto& table) { return table.select[int(computed_in(y.dtype()))]; });
}

// If the condition is a tensor, two numbers promote as beside a tensor: a float number counts as float32.
DType where_type(const Tensor& condition, const Tensor& a, const Tensor& b) {
  const DType t = result_type({{&a, &b}});
  const bool numbers = a->is_number && b->is_number && !condition->is_number;
  return numbers && t == float64 ? scope_dtype(float32) : t;
}

// Overwritten numbers have gradient 0; the value has a gradient if it is a tensor.
constexpr auto back_to_x = [](BackwardContext& d, const auto&) {
  if (d.needs(0)) d[0] = masked_fill(d.g, d.saved(0), 0);
};
constexpr auto back_to_x_and_value = [](BackwardContext& d, const auto& a) {
  back_to_x(d, a);
  if (d.needs(2)) d[2] = where(d.saved(0), d.g, 0);
};

void check_fill(const Tensor& x, const Tensor& mask, const Tensor& value) {
  check(mask.dtype() == boolean, "masked_fill_ only supports boolean masks, but got mask with dtype {}",
        cpp_type_name(mask.dtype()));
  check(value.dim() == 0,
        "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
        value.dim());
  check_number_fits(value, x.dtype());
}

}  // namespace

Tensor where(const Tensor& cond, const Tensor& a, const Tensor& b) {
  check(cond.dtype() == boolean,
        "where expected condition to be a boolean tensor, but got a tensor with dtype {}",
        scalar_type_name(cond.dtype()));
  const Tensor* const in[] = {&cond, &a, &b};
  const Tensor y = new_result(broadcast(in), where_type(cond, a, b), in);
  select_into(y, cond, a, b);
  return record(where_op, y, {&cond, &a, &b}, {{&cond}}, NoAttr(), [](BackwardContext& d, NoAttr) {
    if (d.needs(1)) d[1] = where(d.saved(0), d.g, 0);
    if (d.needs(2)) d[2] = where(d.saved(0), 0, d.g);
  });
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, const Tensor& value) {
  check_fill(x, mask, value);
  // Always contiguous, unlike the other pointwise ops.
  const Tensor y = empty(broadcast(mask.shape(), x.shape()), x.dtype(), x.device());
  select_into(y, mask, value, x);
  if (value->is_number)
    return record(masked_fill_op, y, {&x, &mask}, {{&mask}}, Value{value.item()}, back_to_x);
  return record(masked_fill_tensor_op, y, {&x, &mask, &value}, {{&mask}}, NoAttr(), back_to_x_and_value);
}

Tensor masked_fill_(const Tensor& x, const Tensor& mask, const Tensor& value) {
  announce(x, value);
  check_fill(x, mask, value);
  if (any_needs_grad({&x, &value})) check_no_overlap(x);  // without a graph, PyTorch fills expanded tensors
  check_shape(x, broadcast(x.shape(), mask.shape()));
  const Tensor read_value = copy_if_overlapping(x, value), read_mask = copy_if_overlapping(x, mask);
  select_into(x, read_mask, read_value, x);
  if (value->is_number)
    return record_in_place(masked_fill_op, x, {&x, &mask}, {{&mask}}, Value{value.item()}, back_to_x);
  return record_in_place(masked_fill_tensor_op, x, {&x, &mask, &value}, {{&mask}}, NoAttr(),
                         back_to_x_and_value);
}

}  // namespace glassgrad
