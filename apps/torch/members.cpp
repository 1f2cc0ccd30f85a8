#include "members.h"

#include "engine/autograd.h"

namespace glassgrad::GG_HOST {

// ---- transposes
Tensor reversed(const Tensor& x) {
  if (x.dim() != 2)
    warn(
        x.dim() == 0
            ? "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases."
            : "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it "
              "will throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
              "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.");
  return x.T();
}

Tensor mt_of(const Tensor& x) {
  return matrices_transposed(
      x, "Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases.",
      "tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.");
}

Tensor mh_of(const Tensor& x) {
  return matrices_transposed(
      x, "Tensor.mH is deprecated on 0-D tensors. Consider using x.conj().",
      "tensor.mH is only supported on matrices or batches of matrices. Got 1-D tensor.");
}

Tensor h_of(const Tensor& x) {
  check(x.dim() == 0 || x.dim() == 2,
        "tensor.H is only supported on matrices (2-D tensors). Got {}-D tensor.{}", x.dim(),
        x.dim() > 2 ? " For batches of matrices, consider using tensor.mH" : "");
  return matrices_transposed(x, "Tensor.H is deprecated on 0-D tensors. Consider using x.conj().", "");
}

// ---- numbers
namespace {

template <class V>
Result nested(const V* at, const Dims& shape, const Dims& strides, int dim) {
  if (dim < shape.n)
    return made_list(shape[dim],
                     [&](int64_t i) { return nested(at + i * strides[dim], shape, strides, dim + 1); });
  if constexpr (std::is_same_v<V, bool>)
    return wrap(*at);
  else if constexpr (std::is_integral_v<V>)
    return wrap(int64_t(*at));
  else
    return wrap(double(*at));
}

}  // namespace

Result to_list(const Tensor& x) {
  Result result{};
  const Tensor values = on_host(x);
  const auto v = values.raw();
  every_type(v.dtype,
             [&](auto zero) { result = nested(v.as<const decltype(zero)>(), v.shape, v.strides, 0); });
  return result;
}

// ---- assignment
void set_grad(const Tensor& x, Object value) {
  const Tensor* const g = value ? as_tensor(value) : nullptr;
  check<TypeError>(g || !value || is_none(value),
                   "assigned grad expected to be a Tensor or None but got grad of type {}",
                   value ? type_name(value) : "");
  x.set_grad(g ? *g : Tensor());
}

void set_requires_grad(const Tensor& x, Object value) {
  check(value && is_truth(value), "requires_grad must be a bool");
  const bool on = to_bool(value);
  check(x.is_leaf() || on == x.requires_grad(),
        "you can only change requires_grad flags of leaf variables.{}",
        on ? ""
           : " If you want to use a computed variable in a subgraph that doesn't require differentiation use "
             "var_no_grad = var.detach().");
  check(!on || is_floating(x.dtype()),
        "only Tensors of floating point and complex dtype can require gradients");
  if (x.is_leaf()) x.requires_grad_(on);
}

void assign_data(const Tensor& x, Object value) {
  const Tensor* const y = value ? as_tensor(value) : nullptr;
  check<TypeError>(y, "Variable data has to be a tensor, but got {}", value ? class_text(value) : "nothing");
  set_data(x, *y);
}

// ---- methods
namespace {

// The only argument that a method takes, under any name; null if there is none.
Object only_argument(const char* name, const HostCall& call) {
  const int64_t given = call.n + call.n_names();
  check<TypeError>(given <= 1, "{}() takes at most 1 argument ({} given)", name, given);
  return !given ? nullptr : call.n ? item(call.args, 0) : call.named(0);
}
// A dimension, or nothing for all of them.
std::optional<int64_t> only_dim(const char* name, const HostCall& call) {
  const Object dim = only_argument(name, call);
  if (!dim || is_none(dim)) return {};
  check<TypeError>(is_int(dim), "{}(): argument 'dim' must be int, not {}", name, type_name(dim));
  return to_int(dim);
}

}  // namespace

Result size_of(Object self, const HostCall& call) {
  const Tensor& x = *as_tensor(self);
  const std::optional<int64_t> dim = only_dim("size", call);
  return dim ? wrap(x.size(*dim)) : wrap_size(x.shape());
}

Result stride_of(Object self, const HostCall& call) {
  const Tensor& x = *as_tensor(self);
  const std::optional<int64_t> dim = only_dim("stride", call);
  return dim ? wrap(x.strides()[wrap_dim(*dim, x.dim())]) : wrap_tuple(x.strides());
}

Result require_grad(Object self, const HostCall& call) {
  const Object on = only_argument("requires_grad_", call);
  as_tensor(self)->requires_grad_(!on || to_bool(on));
  return as_result(self);
}

Result detach_in_place(Object self, const HostCall& call) {
  const int64_t given = call.n + call.n_names();
  check<TypeError>(given == 0, "Tensor.detach_() takes no arguments ({} given)", given);
  const Tensor& x = *as_tensor(self);
  check(
      !x->base,
      "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
      "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() "
      "cannot be called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
      "torch/optim/optimizer.py as a solution.");
  x->fn = {};
  x->nr = 0;
  x->requires_grad = false;
  return as_result(self);
}

}  // namespace glassgrad::GG_HOST
