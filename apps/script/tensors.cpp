#include "tensors.h"

#include "apps/script/modules.h"
#include "apps/script/torch.h"
#include "apps/torch/device_name.h"
#include "apps/torch/members.h"
#include "engine/autograd.h"
#include "engine/graph.h"
#include "engine/ops.h"
#include "engine/print.h"
#include "nn/module.h"

namespace glassgrad::script {
namespace {

using T = const Tensor&;

const Tensor& tensor_in(const Value& x) { return x.as<TensorObject>()->tensor; }

// ---- properties and methods
// grad_fn as <MulBackward0>, the way a tensor prints it, without an address.
Value node_of(T x) {
  if (!needs_grad(x) || x.is_leaf()) return Value::none();
  const Value& type = Heap::current().types().other("grad_fn");
  Instance* const node = make<Instance>(type);
  const Value kept(node);
  node->set("name_", str(std::string(grad_fn(x)->name())));
  return kept;
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
Value backward(Interpreter& in, BuiltinArgs a) {
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
// to(dtype), to(device), to(device, dtype), to(other): the tensor itself if nothing changes.
Value to_other(Interpreter&, BuiltinArgs a) {
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
Value register_hook(Interpreter& in, BuiltinArgs a) {
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
  handle->set("remove", Value(make<Builtin>("remove", remove)));
  return kept;
}
Value refuse_numpy(Interpreter&, BuiltinArgs) {
  raise("NotImplementedError", "there is no numpy here: x.tolist() gives the numbers as lists");
}

constexpr BuiltinDef kTensorMethods[] = {
    {"backward", 0, 3, backward, "gradient retain_graph create_graph"},
    {"register_hook", 1, 1, register_hook, "hook"},
    {"to", 0, 2, to_other, "device dtype"},
    {"type_as", 1, 1, [](Interpreter&, BuiltinArgs a) { return cast_to(a[0], tensor_in(a[1]).dtype()); },
     "other"},
#define GG_CAST(name, dtype)                                                     \
  {                                                                              \
    name, 0, 0, [](Interpreter&, BuiltinArgs a) { return cast_to(a[0], dtype); } \
  }
    GG_CAST("float", float32),
    GG_CAST("double", float64),
    GG_CAST("half", float16),
    GG_CAST("bfloat16", bfloat16),
    GG_CAST("long", int64),
    GG_CAST("int", int32),
    GG_CAST("short", int16),
    GG_CAST("char", int8),
    GG_CAST("byte", uint8),
    GG_CAST("bool", boolean),
    {"cpu", 0, 0, [](Interpreter&, BuiltinArgs a) { return a[0]; }},
    {"numpy", 0, 0, refuse_numpy},
};

// ---- classes
Value make_class(const char* name, const char* module, const Value& base) {
  Class* const made = make<Class>(name, base);
  made->module = module;
  return Value(made);
}
Value parameter(Interpreter& in, const Value&, const Arguments& a) {
  constexpr BuiltinDef kInit{"Parameter", 1, 2, nullptr, "data requires_grad"};
  const std::vector<Value> given = match(kInit, "Parameter", a);
  if (!given[0].as<TensorObject>())
    raise("TypeError", "Parameter() argument 'data' must be Tensor, not {}", type_name(given[0]));
  return tensor(nn::Parameter(tensor_in(given[0]), !given[1] || in.truth(given[1])));
}

// The method of this name, called with self and the other arguments; empty: there is none.
Builtin::Body method_named(std::string_view name) {
  for (const rows::Member& m : rows::kMethods)
    if (m.name == name)
      return [&m](Interpreter&, const Arguments& a) {
        const size_t given = a.positional.size() - 1 + a.named.size();
        check<TypeError>(given == 0, "Tensor.{}() takes no arguments ({} given)", m.name, given);
        return m.get(tensor_in(a.positional[0]));
      };
  for (const rows::CallMember& m : rows::kCalls)
    if (m.name == name)
      return [&m](Interpreter&, const Arguments& a) {
        return m.call(a.positional.data(),
                      {{a.positional.data() + 1}, int64_t(a.positional.size()) - 1, a.named});
      };
  const rows::Function* const f = torch_function(TorchNamespace::Methods, name);
  if (!f) return nullptr;
  return [f](Interpreter&, const Arguments& a) { return call(*f, a); };
}

// Finds attributes of devices and generators; dtypes have none.
bool find_other(Interpreter& in, const Value& x, std::string_view name, Value& into) {
  if (const auto* const d = x.as<DeviceObject>(); d && name == "type")
    into = str(device_type_name(d->device.type));
  if (into || !x.as<GeneratorObject>()) return bool(into);
  const Value* const method = tensors::type(in, x).as<Class>()->find(name);
  if (method) into = Value(make<BoundMethod>(x, *method));
  return method;
}

}  // namespace

Value tensors::type(Interpreter& in, const Value& x) {
  if (x.as<DTypeObject>()) return Heap::current().types().other("dtype");
  if (x.as<DeviceObject>()) return Heap::current().types().other("device");
  const auto* const t = x.as<TensorObject>();
  const char* const name = !t ? "Generator" : t->parameter ? "_Parameter" : "Tensor";
  return *in.module("torch").as<Namespace>()->attributes.as<Dict>()->find(name);
}

bool tensors::find_attribute(Interpreter& in, const Value& x, std::string_view name, Value& into) {
  const auto* const t = x.as<TensorObject>();
  if (!t) return find_other(in, x, name, into);
  for (const rows::Member& p : rows::kProperties)
    if (p.name == name) {
      into = p.get(t->tensor);
      return true;
    }
  if (name == "grad_fn") {
    into = node_of(t->tensor);
    return true;
  }
  Class& type = *in.type(x).as<Class>();
  const Value* method = type.find(name);
  if (!method) {  // from the table: made at first use
    Builtin::Body body = method_named(name);
    if (!body) return false;
    type.attributes.as<Dict>()->set(name, Value(make<Builtin>(std::string(name), std::move(body))));
    method = type.find(name);
  }
  into = Value(make<BoundMethod>(x, *method));
  return true;
}

void tensors::set_attribute(const Value& x, std::string_view name, const Value& value) {
  const auto* const t = x.as<TensorObject>();
  if (t && name == "requires_grad") return rows::set_requires_grad(t->tensor, &value);
  if (t && name == "grad") return rows::set_grad(t->tensor, &value);
  if (t && name == "data") return rows::assign_data(t->tensor, &value);
  raise("AttributeError", "'{}' object has no attribute '{}' that can be set here", type_name(x), name);
}

Value gradients(Interpreter& in, const Arguments& a) {
  constexpr BuiltinDef kGrad{"grad", 2, 6, nullptr,
                             "outputs inputs grad_outputs retain_graph create_graph allow_unused"};
  const std::vector<Value> given = match(kGrad, "grad", a);
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

namespace {

Value size(Interpreter& in, const Value&, const Arguments& a) {
  std::vector<Value> items;
  if (!a.positional.empty())
    for (const Value& n : in.items(a.positional[0])) items.push_back(Value::of(index_of(n)));
  return tuple(std::move(items), &kSize);
}

Value device(Interpreter&, const Value&, const Arguments& a) {
  constexpr BuiltinDef kDevice{"device", 1, 1, nullptr, "device"};
  return rows::wrap(rows::to_device(&match(kDevice, "device", a)[0]));
}

}  // namespace

void add_tensor_classes(Dict& torch) {
  const Value object = Heap::current().types().object;
  const Value base = make_class("Tensor", "torch", object);
  add_methods(*base.as<Class>(), kTensorMethods);
  torch.set("Tensor", base);
  const Value parameters = make_class("Parameter", "torch.nn.parameter", base);
  parameters.as<Class>()->construct = parameter;
  torch.set("_Parameter", parameters);
  const Value devices = Heap::current().types().other("device");
  devices.as<Class>()->construct = device;
  torch.set("device", devices);
  torch.set("dtype", Heap::current().types().other("dtype"));
  const Value sizes = Heap::current().types().other("Size");
  sizes.as<Class>()->base = Value(&Heap::current().types().get("tuple"));
  sizes.as<Class>()->construct = size;
  torch.set("Size", sizes);
}

}  // namespace glassgrad::script
