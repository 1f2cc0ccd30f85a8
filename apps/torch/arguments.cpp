#include "arguments.h"

namespace glassgrad::GG_HOST {

namespace {

std::vector<Tensor> tensors_of(Items items, int64_t n) {
  std::vector<Tensor> tensors;
  for (int64_t k = 0; k < n; ++k) {
    const Object o = item(items, k);
    const Tensor* const x = as_tensor(o);
    check<TypeError>(x, "expected Tensor as element {} in argument 0, but got {}", k, type_name(o));
    tensors.push_back(*x);
  }
  return tensors;
}

}  // namespace

const Tensor& undefined_tensor() {
  static const Tensor none;
  return none;
}

bool is_tensors(Object o) {
  if (!is_list(o)) return false;
  for (int64_t k = 0; k < size(o); ++k)
    if (!is_tensor(item(o, k))) return false;
  return true;
}

std::vector<Tensor> to_tensors(Object o) {
  check<TypeError>(is_list(o), "expected a tuple or list of Tensors, but got {}", type_name(o));
  return tensors_of(items_of(o), size(o));
}

Dims to_dims(Object o) {
  if (!is_list(o)) return {to_int(o)};
  Dims dims;
  for (int64_t k = 0; k < size(o); ++k) dims.push(to_int(item(o, k)));
  return dims;
}

Dims read_dims(const Arguments& a, int i) {
  if (!a[i]) return {};
  const bool variadic = a.variadic_slot == i;
  if (!variadic && !is_list(a[i])) return {to_int(a[i])};
  const Items items = variadic ? a.items : items_of(a[i]);
  const int64_t n = variadic ? a.n_items : size(a[i]);
  Dims dims;
  for (int64_t k = 0; k < n; ++k) {
    const Object o = item(items, k);
    check<TypeError>(
        is_int(o) || is_index(o),
        "{}(): argument '{}' failed to unpack the object at pos {} with error \"type must be tuple of "
        "ints,but got {}\"",
        a.signature->name(), a.parameter(i).name, k + 1, type_name(o));
    dims.push(to_int(o));
  }
  return dims;
}

std::vector<Tensor> read_tensors(const Arguments& a, int i) {
  return a.variadic_slot == i ? tensors_of(a.items, a.n_items) : to_tensors(a[i]);
}

Text read_text(const Arguments& a, int i) {
  if (a[i]) return to_text(a[i]);
  const Text quoted = a.parameter(i).fallback;
  return quoted.size() < 2 || quoted == "None" ? Text() : quoted.substr(1, quoted.size() - 2);
}

Options read_options(const Arguments& a, int i) {
  const Object* const slot = a.slot.data() + i;
  Options o;
  if (slot[2]) o.device = to_device(slot[2]);
  if (slot[0]) o.dtype = to_dtype(slot[0]);
  o.requires_grad = slot[4] && to_bool(slot[4]);
  return o;
}

}  // namespace glassgrad::GG_HOST
