#include "tensors.h"

#include "apps/script/torch.h"
#include "engine/autograd.h"
#include "engine/graph.h"
#include "engine/ops.h"
#include "engine/print.h"
#include "nn/module.h"

namespace glassgrad::script {
namespace {

using T = const Tensor&;

const Tensor& tensor_in(const Value& x) { return x.as<TensorObject>()->tensor; }
Value size_of(const Dims& shape) {
  std::vector<Value> sizes;
  for (const int64_t n : shape) sizes.push_back(Value::of(n));
  return Value(make<Tuple>(std::move(sizes), &kSize));
}
Value ints(const Dims& values) {
  std::vector<Value> items;
  for (const int64_t n : values) items.push_back(Value::of(n));
  return tuple(std::move(items));
}
Value number(T x, int64_t at = 0) {
  Value made;
  const auto v = x.raw();
  all_types(v.dtype, [&](auto zero) {
    const auto value = v.as<const decltype(zero)>()[at];
    if constexpr (std::is_same_v<decltype(zero), bool>)
      made = Value::of(bool(value));
    else if constexpr (std::is_integral_v<decltype(zero)>)
      made = Value::of(int64_t{value});
    else
      made = Value::of(double(value));
  });
  return made;
}

// ---- properties
Tensor reversed(T x) {
  if (x.dim() != 2 && warnings())
    warnings()(
        "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw "
        "an error in a future release. Consider `x.mT` to transpose batches of matrices or "
        "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.");
  return x.T();
}
Tensor transposed(T x) {
  check(x.dim() >= 2, "tensor.mT is only supported on matrices or batches of matrices. Got {}-D tensor.",
        x.dim());
  return x.transpose(-2, -1);
}
// <MulBackward0>, as a tensor prints it; the object at … is nobody's business.
Value node_of(T x) {
  if (!needs_grad(x) || x.is_leaf()) return Value::none();
  const Value& type = Heap::current().types().other("grad_fn");
  Instance* const node = make<Instance>(type);
  const Value kept(node);
  static_cast<Dict*>(node->attributes.object())->set("name_", str(std::string(grad_fn(x)->name())));
  return kept;
}

struct Property {
  const char* name;
  Value (*get)(T x);
};
constexpr Property kProperties[] = {
    {"shape", [](T x) { return size_of(x.shape()); }},
    {"dtype", [](T x) { return Value(make<DTypeObject>(x.dtype())); }},
    {"device", [](T x) { return Value(make<DeviceObject>(x.device())); }},
    {"ndim", [](T x) { return Value::of(x.dim()); }},
    {"itemsize", [](T x) { return Value::of(int64_t{item_size(x.dtype())}); }},
    {"nbytes", [](T x) { return Value::of(item_size(x.dtype()) * x.numel()); }},
    {"T", [](T x) { return tensor(reversed(x)); }},
    {"mT", [](T x) { return tensor(transposed(x)); }},
    {"grad", [](T x) { return tensor(x.grad()); }},
    {"grad_fn", node_of},
    {"requires_grad", [](T x) { return Value::of(x.requires_grad()); }},
    {"is_leaf", [](T x) { return Value::of(x.is_leaf()); }},
    {"data", [](T x) { return tensor(x.data()); }},
    {"_version", [](T x) { return Value::of(int64_t(x.version())); }},
    {"is_cuda", [](T) { return Value::of(false); }},
};

// ---- methods
Value nested(T x, int dim, int64_t at) {
  if (dim == x.dim()) return number(x, at);
  std::vector<Value> items;
  for (int64_t i = 0; i < x.shape()[dim]; ++i) items.push_back(nested(x, dim + 1, at + i * x.strides()[dim]));
  return list(std::move(items));
}
Value size(Interpreter& in, Given a) {
  T x = tensor_in(a[0]);
  return a[1] && !a[1].is_none() ? Value::of(x.size(index_of(in, a[1]))) : size_of(x.shape());
}
Value stride(Interpreter& in, Given a) {
  T x = tensor_in(a[0]);
  return a[1] && !a[1].is_none() ? Value::of(x.strides()[wrap_dim(index_of(in, a[1]), x.dim())])
                                 : ints(x.strides());
}
Value item(Interpreter&, Given a) {
  T x = tensor_in(a[0]);
  check(x.numel() == 1, "a Tensor with {} elements cannot be converted to Scalar", x.numel());
  return number(x);
}
Value requires_grad(Interpreter& in, Given a) {
  tensor_in(a[0]).requires_grad_(!a[1] || in.truth(a[1]));
  return a[0];
}
Value detach_in_place(Interpreter&, Given a) {
  T x = tensor_in(a[0]);
  check(!x->base, "Can't detach views in-place. Use detach() instead.");
  x->fn = {};
  x->nr = 0;
  x->requires_grad = false;
  return a[0];
}
std::optional<bool> maybe(Interpreter& in, const Value& x) {
  return x && !x.is_none() ? std::optional(in.truth(x)) : std::nullopt;
}
Tensor maybe_tensor(const Value& x, const char* what) {
  if (!x || x.is_none()) return {};
  if (!x.as<TensorObject>())
    raise("TypeError", "{} can be either Tensors or None, but got {}", what, type_name(x));
  return tensor_in(x);
}
Value backward(Interpreter& in, Given a) {
  tensor_in(a[0]).backward(maybe_tensor(a[1], "gradients"), maybe(in, a[2]), a[3] && in.truth(a[3]));
  return Value::none();
}
std::vector<Tensor> tensors_in(Interpreter& in, const Value& x) {
  if (x.as<TensorObject>()) return {tensor_in(x)};
  std::vector<Tensor> all;
  in.each(x, [&](const Value& one) { all.push_back(maybe_tensor(one, "all inputs")); });
  return all;
}

Tensor cast(T x, DType dtype) { return x.dtype() == dtype ? x : to(x, dtype); }
Value cast_to(const Value& x, DType dtype) {
  return tensor_in(x).dtype() == dtype ? x : tensor(cast(tensor_in(x), dtype));
}
// to(dtype), to(device), to(device, dtype), to(other): itself where nothing changes.
Value to_other(Interpreter&, Given a) {
  Value result = a[0];
  for (const Value& x : a.subspan(1)) {
    if (!x) continue;
    if (const auto* d = x.as<DTypeObject>()) result = cast_to(result, d->dtype);
    if (const auto* t = x.as<TensorObject>()) result = cast_to(result, t->tensor.dtype());
    const auto* text = x.as<Str>();
    if (text && text->text != "cpu") raise("AssertionError", "Torch not compiled with CUDA enabled");
  }
  return result;
}
Value type(Interpreter&, Given a) {
  T x = tensor_in(a[0]);
  if (const auto* d = a[1] ? a[1].as<DTypeObject>() : nullptr) return cast_to(a[0], d->dtype);
  if (a[1]) raise("TypeError", "dtype must be a type, str, or dtype object");
  return str(x.dtype() == float32   ? "torch.FloatTensor"
             : x.dtype() == float64 ? "torch.DoubleTensor"
             : x.dtype() == int64   ? "torch.LongTensor"
                                    : "torch.BoolTensor");
}
Value register_hook(Interpreter& in, Given a) {
  T x = tensor_in(a[0]);
  check(x.requires_grad(), "cannot register a hook on a tensor that doesn't require gradient");
  const Value hook = a[1];
  const uint64_t id = x.register_hook(
      [&in, hook](const Tensor& g) {
        const Value given = tensor(g), result = in.call(hook, {{&given, 1}});
        if (result.is_none()) return Tensor();
        if (!result.as<TensorObject>())
          raise("TypeError", "expected Variable, but hook returned '{}'", type_name(result));
        return tensor_in(result);
      },
      "hook");
  Instance* const handle = make<Instance>(Heap::current().types().other("RemovableHandle"));
  const Value kept(handle), of = a[0];
  const auto remove = [of, id](Interpreter&, const Arguments&) {
    tensor_in(of).remove_hook(id);
    return Value::none();
  };
  static_cast<Dict*>(handle->attributes.object())->set("remove", Value(make<Builtin>("remove", remove)));
  return kept;
}
Value refuse_numpy(Interpreter&, Given) {
  raise("NotImplementedError", "there is no numpy here: x.tolist() gives the numbers as lists");
}

constexpr Row kMethods[] = {
    {"size", 0, 1, size, "dim"},
    {"stride", 0, 1, stride, "dim"},
    {"dim", 0, 0, [](Interpreter&, Given a) { return Value::of(tensor_in(a[0]).dim()); }},
    {"ndimension", 0, 0, [](Interpreter&, Given a) { return Value::of(tensor_in(a[0]).dim()); }},
    {"numel", 0, 0, [](Interpreter&, Given a) { return Value::of(tensor_in(a[0]).numel()); }},
    {"nelement", 0, 0, [](Interpreter&, Given a) { return Value::of(tensor_in(a[0]).numel()); }},
    {"element_size", 0, 0,
     [](Interpreter&, Given a) { return Value::of(int64_t{item_size(tensor_in(a[0]).dtype())}); }},
    {"is_contiguous", 0, 0, [](Interpreter&, Given a) { return Value::of(tensor_in(a[0]).is_contiguous()); }},
    {"is_floating_point", 0, 0,
     [](Interpreter&, Given a) { return Value::of(is_floating(tensor_in(a[0]).dtype())); }},
    {"storage_offset", 0, 0,
     [](Interpreter&, Given a) { return Value::of(int64_t{tensor_in(a[0])->offset}); }},
    {"data_ptr", 0, 0,
     [](Interpreter&, Given a) {
       return Value::of(int64_t(reinterpret_cast<uintptr_t>(tensor_in(a[0]).raw().data)));
     }},
    {"item", 0, 0, item},
    {"tolist", 0, 0, [](Interpreter&, Given a) { return nested(tensor_in(a[0]), 0, 0); }},
    {"detach", 0, 0, [](Interpreter&, Given a) { return tensor(tensor_in(a[0]).detach()); }},
    {"detach_", 0, 0, detach_in_place},
    {"requires_grad_", 0, 1, requires_grad, "requires_grad"},
    {"retain_grad", 0, 0,
     [](Interpreter&, Given a) {
       tensor_in(a[0]).retain_grad();
       return Value::none();
     }},
    {"backward", 0, 3, backward, "gradient retain_graph create_graph"},
    {"register_hook", 1, 1, register_hook, "hook"},
    {"to", 0, 2, to_other, "device dtype"},
    {"type", 0, 1, type, "dtype"},
    {"type_as", 1, 1, [](Interpreter&, Given a) { return cast_to(a[0], tensor_in(a[1]).dtype()); }, "other"},
    {"float", 0, 0, [](Interpreter&, Given a) { return cast_to(a[0], float32); }},
    {"double", 0, 0, [](Interpreter&, Given a) { return cast_to(a[0], float64); }},
    {"long", 0, 0, [](Interpreter&, Given a) { return cast_to(a[0], int64); }},
    {"bool", 0, 0, [](Interpreter&, Given a) { return cast_to(a[0], boolean); }},
    {"cpu", 0, 0, [](Interpreter&, Given a) { return a[0]; }},
    {"numpy", 0, 0, refuse_numpy},
};

// ---- classes
Value make_class(const char* name, const char* module, const Value& base) {
  Class* const made = make<Class>(name, base);
  made->module = module;
  return Value(made);
}
Value parameter(Interpreter& in, const Value&, const Arguments& a) {
  constexpr Row kInit{"Parameter", 1, 2, nullptr, "data requires_grad"};
  const std::vector<Value> given = bind(kInit, "Parameter", a);
  if (!given[0].as<TensorObject>())
    raise("TypeError", "Parameter() argument 'data' must be Tensor, not {}", type_name(given[0]));
  return tensor(nn::Parameter(tensor_in(given[0]), !given[1] || in.truth(given[1])));
}

}  // namespace

bool find_tensor_attribute(Interpreter& in, const Value& x, std::string_view name, Value& into) {
  const auto* const t = x.as<TensorObject>();
  if (!t) return false;
  for (const Property& p : kProperties)
    if (p.name == name) {
      into = p.get(t->tensor);
      return true;
    }
  if (const Value* method = in.type(x).as<Class>()->find(name)) {
    into = Value(make<Bound>(x, *method));
    return true;
  }
  const rows::Function* const f = torch_function(Torch::Methods, name);
  if (!f) return false;
  into = Value(make<Bound>(x, Value(make<Builtin>(std::string(name), [f](Interpreter&, const Arguments& a) {
                             return call(*f, a);
                           }))));
  return true;
}

void set_tensor_attribute(Interpreter& in, const Value& x, std::string_view name, const Value& value) {
  const auto* const t = x.as<TensorObject>();
  if (t && name == "requires_grad") {
    check(value.is_bool(), "requires_grad must be a bool");
    check(t->tensor.is_leaf() || value.boolean() == t->tensor.requires_grad(),
          "you can only change requires_grad flags of leaf variables.{}",
          value.boolean()
              ? ""
              : " If you want to use a computed variable in a subgraph that doesn't require differentiation "
                "use var_no_grad = var.detach().");
    if (t->tensor.is_leaf()) t->tensor.requires_grad_(value.boolean());
  } else if (t && name == "grad") {
    const auto* const g = value.as<TensorObject>();
    if (!g && !value.is_none())
      raise("TypeError", "assigned grad expected to be a Tensor or None but got grad of type {}",
            type_name(value));
    t->tensor.set_grad(g ? g->tensor : Tensor());
  } else if (t && name == "data") {
    const auto* const y = value.as<TensorObject>();
    if (!y) raise("TypeError", "Variable data has to be a tensor, but got {}", type_name(value));
    set_data(t->tensor, y->tensor);
  } else {
    Value known;
    if (t && find_tensor_attribute(in, x, name, known))
      raise("AttributeError", "attribute '{}' of 'torch._C.TensorBase' objects is not writable", name);
    raise("AttributeError",
          "'{}' object has no attribute '{}', and attributes of tensors cannot be added here", type_name(x),
          name);
  }
}

Value gradients(Interpreter& in, const Arguments& a) {
  constexpr Row kGrad{"grad", 2, 6, nullptr,
                      "outputs inputs grad_outputs retain_graph create_graph allow_unused"};
  const std::vector<Value> given = bind(kGrad, "grad", a);
  const std::vector<Tensor> y = tensors_in(in, given[0]), x = tensors_in(in, given[1]);
  std::vector<Tensor> g(y.size());
  if (given[2] && !given[2].is_none()) g = tensors_in(in, given[2]);
  check(g.size() == y.size(), "got {} tensors and {} gradients", y.size(), g.size());
  std::vector<Value> all;
  for (const Tensor& one :
       grad(y, x, g, maybe(in, given[3]), given[4] && in.truth(given[4]), given[5] && in.truth(given[5])))
    all.push_back(tensor(one));
  return tuple(std::move(all));
}

void add_tensor_classes(Interpreter&, Dict& torch) {
  const Value object = Heap::current().types().object;
  const Value tensors = make_class("Tensor", "torch", object);
  add_methods(*tensors.as<Class>(), kMethods);
  torch.set("Tensor", tensors);
  const Value parameters = make_class("Parameter", "torch.nn.parameter", tensors);
  parameters.as<Class>()->construct = parameter;
  torch.set("_Parameter", parameters);
}

}  // namespace glassgrad::script
