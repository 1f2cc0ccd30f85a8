// Copies, conversions and fills, and comparing whole tensors.
#include <algorithm>

#include "../glass/why.h"
#include "../ops.h"
#include "layout.h"
#include "promote.h"

namespace glassgrad {
namespace {

Expr why_copied(const Cell& c) { return c.in(1); }
Expr why_filled(const Cell& c) { return c.has_input(1) ? c.in(1) : why_constant(c); }

constexpr Op clone_op{"clone", "CloneBackward0", "x", why_same_place},
    to_op{"to", "ToCopyBackward0", "x", why_same_place},
    to_device_op{"to", "ToCopyBackward0", "x", why_same_place};
constexpr Op copy_op{"copy_", "CopyBackwards", "source", why_copied};
constexpr Op fill_op{"fill_", "FillBackward2", "value", why_filled},
    fill_tensor_op{"fill_", "FillBackward3", "value", why_filled};
constexpr Op zero_op{"zero_", "ZeroBackward0", "0", why_constant};

struct ToDType {
  DType dtype;
  static constexpr AttrNames kNames{"dtype"};
};
struct ToDevice {
  Device from;
  static constexpr AttrNames kNames{};
};
struct FillValue {
  double value;
  static constexpr AttrNames kNames{"value"};
};

// The gradient passes unchanged.
struct PassOn {
  void operator()(BackwardContext& d, const NoAttr&) const { d[0] = d.g; }
};
// Overwritten numbers have gradient 0.
void forget(BackwardContext& d) {
  if (d.needs(0)) d[0] = zeros_like(d.g);
}

bool all_true(const Tensor& condition) {
  const std::vector<int64_t> values = condition.to_vector<int64_t>();
  return std::all_of(values.begin(), values.end(), [](int64_t v) { return v != 0; });
}

}  // namespace

Tensor clone(const Tensor& x) {
  return record(clone_op, converted(x, x.dtype()), {&x}, {}, NoAttr(), PassOn());
}

Tensor Tensor::contiguous() const {
  if (is_contiguous()) return *this;
  const Tensor y = empty_contiguous(shape(), dtype(), device());
  assign(y, *this);
  return record(clone_op, y, {this}, {}, NoAttr(), PassOn());
}

Tensor to(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  // The engine converts the gradient back to x's dtype.
  const Tensor y = converted(x, dtype);
  if (!is_floating(dtype)) return record(to_op, y, {&x}, ToDType{dtype});
  return record(to_op, y, {&x}, {}, ToDType{dtype}, [](BackwardContext& d, ToDType) { d[0] = d.g; });
}

Tensor to(const Tensor& x, Device device) {
  if (x.device() == device) return x;
  const std::string reason = why_unavailable(device);
  check(reason.empty(), "{}", reason);
  return record(to_device_op, on_device(x, device), {&x}, {}, ToDevice{x.device()},
                [](BackwardContext& d, ToDevice a) { d[0] = to(d.g, a.from); });
}

Tensor copy_(const Tensor& x, const Tensor& source) {
  const GradMode tracked(grad_mode && is_floating(x.dtype()));  // integers have no gradient
  announce(x, source);
  if (x.ref() != source.ref()) {
    check_writable(x, broadcast(x.shape(), source.shape()));
    assign(x, copy_if_overlapping(x, source));
  } else if (any_needs_grad({&x})) {  // x ← x: only the graph and the version change
    check_no_overlap(x);
  }
  return record_in_place(copy_op, x, {&x, &source}, {}, ToDevice{source.device()},
                         [](BackwardContext& d, ToDevice a) {
                           forget(d);
                           if (d.needs(1)) d[1] = to(d.g, a.from);
                         });
}

Tensor fill_(const Tensor& x, const Tensor& value) {
  announce(x, value);
  check(value.dim() == 0, "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions.",
        value.dim());
  check_number_fits(value, x.dtype());
  if (any_needs_grad({&value})) check_no_overlap(x);  // an expanded x would count an address twice
  assign(x, copy_if_overlapping(x, value));
  if (value->is_number)
    return record_in_place(fill_op, x, {&x}, {}, FillValue{value.item()},
                           [](BackwardContext& d, FillValue) { forget(d); });
  return record_in_place(fill_tensor_op, x, {&x, &value}, {}, NoAttr(), [](BackwardContext& d, NoAttr) {
    forget(d);
    if (d.needs(1)) d[1] = d.g;
  });
}

Tensor zero_(const Tensor& x) {
  announce(x);
  assign(x, 0);
  return record_in_place(zero_op, x, {&x}, {}, NoAttr(), [](BackwardContext& d, NoAttr) { forget(d); });
}

bool equal(const Tensor& a, const Tensor& b) {
  const NoRecording no_recording;
  return a.shape() == b.shape() && all_true(eq(a, b));
}

bool all_finite(const Tensor& x) {
  const NoRecording no_recording;
  return all_true(isfinite(x));
}

bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol) {
  const NoRecording no_recording;
  check(a.dtype() == b.dtype(), "{} did not match {}", scalar_type_name(a.dtype()),
        scalar_type_name(b.dtype()));
  const Tensor difference = abs(to(a - b, float64)), allowed = abs(to(b, float64)) * rtol + atol;
  return all_true((a == b) | (isfinite(difference) & (difference <= allowed)));
}

}  // namespace glassgrad
