// Python's operators, indexing and loops on tensors.
#include "apps/script/torch.h"
#include "apps/script/types.h"
#include "apps/torch/indexing.h"
#include "apps/torch/operators.h"
#include "engine/autograd.h"
#include "engine/print.h"

namespace glassgrad::script::tensors {
namespace {

using rows::Operands;

const Tensor& tensor_in(const Value& x) { return x.as<TensorObject>()->tensor; }

using O = const Operands&;
using T = const Tensor&;

// a OP b, in the order of BinaryOp; null: binary() handles it (@).
constexpr Tensor (*kComputed[])(O) = {[](O o) { return add(*o.a, *o.b); },
                                      [](O o) { return difference(o); },
                                      [](O o) { return mul(*o.a, *o.b); },
                                      [](O o) { return quotient(o); },
                                      [](O o) { return floor_divide(*o.a, *o.b); },
                                      [](O o) { return rows::remainder_of(*o.a, *o.b); },
                                      [](O o) { return power(o); },
                                      nullptr,
                                      [](O o) { return bitwise_and(*o.a, *o.b); },
                                      [](O o) { return bitwise_or(*o.a, *o.b); },
                                      [](O o) { return bitwise_xor(*o.a, *o.b); },
                                      [](O o) { return rows::shifted_left(*o.a, *o.b); },
                                      [](O o) { return rows::shifted_right(*o.a, *o.b); }};
// a OP= b for + - * / in the same order. Other operators compute a OP b and copy it into a.
constexpr void (*kInPlace[])(T, T) = {[](T a, T b) { add_(a, b); }, [](T a, T b) { sub_(a, b); },
                                      [](T a, T b) { mul_(a, b); }, [](T a, T b) { div_(a, b); }};

}  // namespace

Value binary(BinaryOp op, const Value& a, const Value& b) {
  if (op == BinaryOp::MatMul) {
    const TensorObject *x = a.as<TensorObject>(), *y = b.as<TensorObject>();
    return x && y ? rows::wrap(matmul(x->tensor, y->tensor)) : Value::not_implemented();
  }
  const Operands o(&a, &b);
  return o.fit ? rows::wrap(kComputed[static_cast<size_t>(op)](o)) : Value::not_implemented();
}

Value in_place(BinaryOp op, const Value& a, const Value& b) {
  const Operands o(&a, &b);
  const auto at = static_cast<size_t>(op);
  if (!o.fit || !kComputed[at]) return Value::not_implemented();
  if (at < std::size(kInPlace))
    kInPlace[at](*o.a, *o.b);
  else
    copy_(*o.a, kComputed[at](o));
  return a;
}

Value compare(Compare op, const Value& a, const Value& b) {
  const bool equality = op == Compare::Eq || op == Compare::Ne;
  const auto *s = a.as<DTypeObject>(), *t = b.as<DTypeObject>();
  if (equality && s && t) return Value::of((s->dtype == t->dtype) == (op == Compare::Eq));
  const auto *d = a.as<DeviceObject>(), *e = b.as<DeviceObject>();
  if (equality && d && e) return Value::of((d->device == e->device) == (op == Compare::Eq));
  const Operands o(&a, &b);
  if (!o.fit) return Value::not_implemented();
  using Function = Tensor (*)(const Tensor&, const Tensor&);
  constexpr Function functions[] = {eq, ne, lt, le, gt, ge};  // in the order of Compare
  return rows::wrap(functions[size_t(op)](*o.a, *o.b));
}

Value unary(UnaryOp op, const Value& x) {
  if (!x.as<TensorObject>()) return Value::not_implemented();
  if (op == UnaryOp::Neg) return rows::wrap(neg(tensor_in(x)));
  if (op == UnaryOp::Invert) return rows::wrap(rows::inverted(tensor_in(x)));
  rows::positive(tensor_in(x));
  return x;
}

Value absolute(const Value& x) {
  return x.as<TensorObject>() ? rows::wrap(abs(tensor_in(x))) : Value::not_implemented();
}

Value item(const Value& x, const Value& key) { return rows::wrap(rows::get_item(tensor_in(x), &key)); }
void set_item(const Value& x, const Value& key, const Value& value) {
  rows::set_item(tensor_in(x), &key, &value);
}

Value iterate(const Value& x) {
  if (tensor_in(x).dim() > 0) Heap::current().check(size_t(tensor_in(x).size(0)) * kBytesOfTensor);
  return iterator("generator",
                  [all = rows::rows_of(tensor_in(x)), k = size_t(0)](Interpreter&) mutable -> Value {
                    return k < all.size() ? rows::wrap(all[k++]) : Value();
                  });
}

Value number(const Value& x) {
  const auto* const t = x.as<TensorObject>();
  return t ? rows::wrap_item(rows::one_element(t->tensor)) : Value();
}

bool contains(const Value& x, const Value& element) { return rows::contains(&x, &element); }
bool truth(const Value& x) { return !x.as<TensorObject>() || tensor_in(x).is_true(); }
int64_t length(const Value& x) { return rows::len(tensor_in(x)); }

namespace {

// PyTorch's text without the device, so that a program prints the same on every device.
std::string repr_of(const Tensor& x) {
  if (x.device() == kCpu) return glassgrad::repr(x);
  const char* const grad_fn = x.grad_fn_name();
  const Watch nobody(nullptr);
  return glassgrad::repr(on_host(x.detach()).raw(), {.device = {},
                                                     .grad_fn = grad_fn ? grad_fn : "",
                                                     .requires_grad = x.requires_grad(),
                                                     .parameter = x->is_parameter});
}

}  // namespace

std::string repr(const Value& x) {
  if (const auto* const t = x.as<TensorObject>()) return repr_of(t->tensor);
  if (const auto* const t = x.as<DTypeObject>()) return dtype_name(t->dtype);
  if (const auto* const d = x.as<DeviceObject>()) {
    const char* type = device_type_name(d->device.type);
    return is_cuda(d->device) ? fmt::format("device(type='{}', index={})", type, d->device.index)
                              : fmt::format("device(type='{}')", type);
  }
  return "<torch._C.Generator object>";
}

// For a device str() is shorter: "cpu".
std::string str(const Value& x) {
  const auto* const d = x.as<DeviceObject>();
  return d ? to_string(d->device) : repr(x);
}

std::string format(Interpreter& in, const Value& x, std::string_view specification) {
  const auto* const t = x.as<TensorObject>();
  if (t && t->tensor.dim() == 0) return in.format(rows::wrap_item(t->tensor), specification);
  if (!specification.empty())
    raise("TypeError", "unsupported format string passed to {}.__format__", rows::class_text(&x));
  return str(x);
}

}  // namespace glassgrad::script::tensors
