#include "out.h"

#include "arguments.h"
#include "engine/autograd.h"
#include "engine/ops/promote.h"

namespace glassgrad::GG_HOST {

namespace {

bool fits(OutRule::Fit fit, DType from, DType to) {
  const auto category = [](DType t) { return is_floating(t) ? 2 : t == boolean ? 0 : 1; };
  return fit == OutRule::Any || from == to || (fit == OutRule::Castable && category(from) <= category(to));
}
void check_fits(const OutRule& rule, DType result, DType out) {
  check(out != boolean || !rule.not_bool, "{}", rule.not_bool);
  if (fits(rule.fit, result, out)) return;
  throw Error(fmt::format(fmt::runtime(rule.text), fmt::arg("E", scalar_type_name(result)),
                          fmt::arg("G", scalar_type_name(out)), fmt::arg("e", cpp_type_name(result)),
                          fmt::arg("g", cpp_type_name(out))));
}

void fit_size(OutRule::Size size, const Tensor& to, const Dims& shape) {
  if (to.shape() == shape) return;
  if (to.numel() != 0 && size == OutRule::Warns)
    warn(fmt::format(
        "An output with one or more elements was resized since it had shape {}, which does not match the required output "
        "shape {}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
        "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
        "t.resize_(0).",
        to.shape(), shape));
  if (to.numel() != 0 && size == OutRule::Counted)
    warn(fmt::format(
        "The number of elements in the out tensor of shape {} is {} which does not match the computed number of elements "
        "{}. Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor of shape "
        "({},).",
        to.shape(), to.numel(), shape[0], shape[0]));
  resize_(to, shape);
}

void check_no_graph(const Arguments& a, const Tensor& to, bool of_graph) {
  if (of_graph || needs_grad(to)) [[unlikely]]
    fail(
        "{}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
        "requires grad.",
        a.signature->out_rule().known_as ? a.signature->out_rule().known_as : a.signature->name());
}
void write(const OutRule& rule, const Tensor& to, const Tensor& x) {
  if (rule.size == OutRule::Counted && to.numel() == x.numel()) {
    copy_(to, x.view(to.shape()));
    return;
  }
  if (rule.size != OutRule::Keep) fit_size(rule.size, to, x.shape());
  copy_(to, x);
}

}  // namespace

OutRule same(const char* text, const char* indices) {
  OutRule rule{OutRule::Same, text};
  rule.indices = indices;
  return rule;
}
OutRule without_bool(const OutRule& rule, const char* text) {
  OutRule other = rule;
  other.not_bool = text;
  return other;
}

const Tensor& resize_(const Tensor& x, const Dims& shape) {
  check(!x.requires_grad(), "cannot resize variables that require grad");
  if (x.shape() == shape) return x;
  const int64_t n = checked_numel(shape, x.dtype()), size = item_size(x.dtype());
  const Ref<Storage> old = x->storage;
  const int64_t left = int64_t(old->bytes) / size - x->offset;
  if (n > left) {
    check(!old->owner || !old->owner->foreign, "Trying to resize storage that is not resizable");
    const Tensor y = empty_contiguous(shape, x.dtype(), x.device());
    if (left > 0) copy_(y.as_strided({left}, {1}, 0), x.as_strided({left}, {1}, 0));
    set_data(x, y);
  }
  x->shape = shape;
  x->strides = contiguous_strides(shape);
  ++x->storage->version;  // a new version, so that its views refresh their nodes
  return x;
}

Result give_out(const Arguments& a, const Computation<Tensor>& compute) {
  const Signature& s = *a.signature;
  const Object out = a[s.out()];
  const Tensor& to = *as_tensor(out);
  const OutRule& rule = s.out_rule();
  const int dtype = s.parameter_of(Kind::DType);
  const bool makes = s.parameter_of(Kind::Layout) >= 0;  // the function makes a new tensor: zeros, arange …
  const bool asked = dtype >= 0 && a[dtype];
  Arguments b = a;
  Owned cast;  // kept until b has been read
  const auto compute_in_its_dtype = [&] {
    if (dtype >= 0) {
      b.slot[size_t(dtype)] = object_of(cast = as_owned(wrap(to.dtype())));
    } else if (const Tensor* const x = as_tensor(a[0])) {
      b.slot[0] = object_of(cast = as_owned(wrap(glassgrad::to(*x, to.dtype()))));
    }
    return compute(b);
  };
  if (makes) {
    if (asked && to_dtype(a[dtype]) != to.dtype())
      check_fits(same("dtype {E} does not match dtype of out parameter ({G})"), to_dtype(a[dtype]),
                 to.dtype());
    check_no_graph(a, to, false);
    check_fits(rule, to.dtype(), to.dtype());
    const Tensor x = compute_in_its_dtype();
    if (s.name() == "empty")
      fit_size(rule.size, to, x.shape());
    else
      write(rule, to, x.detach());
    if (x.requires_grad()) to.requires_grad_();
    return as_result(out);
  }
  Tensor x = compute(a);
  check_no_graph(a, to, x.requires_grad());
  check_fits(asked && rule.fit != OutRule::Same ? kSame : rule, x.dtype(), to.dtype());
  if (rule.in_its_dtype && x.dtype() != to.dtype()) x = compute_in_its_dtype();
  write(rule, to, x);
  return as_result(out);
}

Result give_out(const Arguments& a, const Computation<NamedTuple>& compute) {
  const int slot = a.signature->out();
  const Object pair = a[slot];
  check<TypeError>(size(pair) == 2, "expected tuple of 2 elements but got {}", size(pair));
  for (int k = 0; k < 2; ++k)
    check<TypeError>(is_tensor(item(pair, k)), "expected Tensor as element {} in argument {}, but got {}", k,
                     slot, type_name(item(pair, k)));
  const OutRule& rule = a.signature->out_rule();
  const NamedTuple x = compute(a);
  const Tensor &values = *as_tensor(item(pair, 0)), &indices = *as_tensor(item(pair, 1));
  check_no_graph(a, values, x.values.requires_grad());
  check_no_graph(a, indices, false);
  check_fits(rule, x.values.dtype(), values.dtype());
  check_fits(rule.indices ? OutRule{rule.fit, rule.indices} : rule, x.indices.dtype(), indices.dtype());
  write(rule, values, x.values);
  write(rule, indices, x.indices);
  return wrap(NamedTuple{x.name, values, indices, true});
}

}  // namespace glassgrad::GG_HOST
