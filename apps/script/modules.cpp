#include "modules.h"

#include <unordered_set>

#include "engine/autograd.h"
#include "engine/ops.h"

namespace glassgrad::script {

// ---- registration by the program
void NativeModule::set_parameter(const std::string& name, const Tensor& x) {
  if (Tensor* const known = module().own(name); known && !buffers_.contains(name)) {
    *known = x;
    return;
  }
  remove(name);
  buffers_.erase(name);
  nn::Parameter& kept = parameters_[name];
  static_cast<Tensor&>(kept) = x;
  add(name, kept);
}
void NativeModule::set_buffer(const std::string& name, const Tensor& x, bool persistent) {
  if (!buffers_.contains(name)) remove(name);
  Tensor& kept = buffers_[name];
  kept = x;
  add(name, kept, persistent);
}
void NativeModule::set_child(const std::string& name, nn::Module& child) {
  if (module().own(name)) remove(name);
  add(name, child);
}

std::optional<std::string> NativeModule::shown() const {
  if (!object_.type().find("extra_repr")) return {};
  Interpreter& in = *Heap::current().interpreter;
  return in.str(in.call(in.attribute(Value(&object_), "extra_repr"), {}));
}

// Bytes that the heap charges for a module's nn::Module, without its tensors.
constexpr size_t kBytesOfModule = 1024;

ModuleObject::ModuleObject(const Value& type) : Instance((Heap::current().charge(kBytesOfModule), type)) {}
// Detaches children that outlive this module. When the heap is destroyed, clear() has already run.
ModuleObject::~ModuleObject() {
  heap().refund(kBytesOfModule);
  for (const auto& [name, child] : children)
    if (native && as_module(child)->native) as_module(child)->module().leave(module());
}
void ModuleObject::clear() {
  Instance::clear();
  native = nullptr;
  children.clear();
}
Value* ModuleObject::child(std::string_view name) {
  for (auto& [known, module] : children)
    if (known == name) return &module;
  return nullptr;
}

ModuleObject* as_module(const Value& x) { return dynamic_cast<ModuleObject*>(x.as<Instance>()); }
ModuleObject& module_of(const Value& x) {
  ModuleObject* const m = as_module(x);
  check<TypeError>(m, "{} is not a Module subclass", type_name(x));
  if (!m->native) raise("AttributeError", "'{}' object has no attribute '_parameters'", m->type().name);
  return *m;
}
void set_child(ModuleObject& self, const std::string& name, const Value& child) {
  self.native->set_child(name, module_of(child).module());
  if (Value* const known = self.child(name))
    *known = child;
  else
    self.children.emplace_back(name, child);
}

namespace {

const Tensor* parameter_in(const Value& x) {
  const auto* t = x.as<TensorObject>();
  return t && t->tensor->is_parameter ? &t->tensor : nullptr;
}

// ---- attributes
Value init(Interpreter&, BuiltinArgs a) {
  build<PlainModule>(a[0]);
  return Value::none();
}

Value get_attribute(Interpreter&, BuiltinArgs a) {
  ModuleObject& self = *as_module(a[0]);
  const std::string& name = text_of(a[1], "attribute name must be string");
  if (self.native) {
    if (name == "training") return Value::of(self.module().training());
    if (const Tensor* x = self.module().own(name)) return tensor(*x);
    if (const Value* child = self.child(name)) return *child;
  }
  raise("AttributeError", "'{}' object has no attribute '{}'", self.type().name, name);
}

void forget(ModuleObject& self, const std::string& name) {
  self.erase(name);
  std::erase_if(self.children, [&](const auto& known) { return known.first == name; });
}

Value set_attribute(Interpreter& in, BuiltinArgs a) {
  ModuleObject& self = *as_module(a[0]);
  const std::string& name = text_of(a[1], "attribute name must be string");
  const Value& value = a[2];
  const Tensor* const parameter = parameter_in(value);
  const bool is_module = as_module(value);
  if ((parameter || is_module) && !self.native)
    raise("AttributeError", "cannot assign {} before Module.__init__() call",
          parameter ? "parameters" : "module");
  const Tensor* const own = self.native ? self.module().own(name) : nullptr;
  const bool is_buffer = own && !(*own ? (*own)->is_parameter : self.native->is_parameter(name));
  const auto refuse = [&](const char* kind, const char* expected) {
    raise("TypeError", "cannot assign '{}' as {} '{}' ({} or None expected)", type_name(value), kind, name,
          expected);
  };
  const auto* const t = value.as<TensorObject>();
  if (parameter) {
    forget(self, name);
    self.native->set_parameter(name, *parameter);
  } else if (is_module) {
    self.erase(name);
    set_child(self, name, value);
  } else if (own && !is_buffer) {
    if (!value.is_none()) refuse("parameter", "torch.nn.Parameter");
    self.native->set_parameter(name, Tensor());
  } else if (self.child(name)) {
    if (!value.is_none()) refuse("child module", "torch.nn.Module");
    forget(self, name);
    self.native->remove(name);
    self.set(name, value);
  } else if (own) {
    if (!t && !value.is_none()) refuse("buffer", "torch.nn.Buffer, torch.Tensor");
    *self.module().own(name) = t ? t->tensor : Tensor();
  } else if (name == "training" && self.native) {
    self.module().set_training(in.truth(value));
  } else {
    self.set(name, value);
  }
  return Value::none();
}

// ---- registration
// The name for a new tensor. Throws if it is empty, has a dot, or is an attribute already.
const std::string& new_name(Interpreter& in, const Value& self, const Value& name, bool registered) {
  const std::string& text = text_of(name, "the name should be a string");
  if (text.empty() || text.find('.') != text.npos)
    raise("KeyError", "a name can't be empty or contain \".\", got: {}", text);
  Value known;
  if (!registered && in.find_attribute(self, text, known))
    raise("KeyError", "attribute '{}' already exists", text);
  return text;
}

Value register_buffer(Interpreter& in, BuiltinArgs a) {
  ModuleObject& self = module_of(a[0]);
  const std::string& name =
      new_name(in, a[0], a[1], a[1].as<Str>() && self.module().own(a[1].as<Str>()->text));
  const auto* const t = a[2].as<TensorObject>();
  if (!t && !a[2].is_none())
    raise("TypeError", "cannot assign '{}' object to buffer '{}' (torch Tensor or None required)",
          type_name(a[2]), name);
  self.native->set_buffer(name, t ? t->tensor : Tensor(), !a[3] || in.truth(a[3]));
  return Value::none();
}

Value register_parameter(Interpreter& in, BuiltinArgs a) {
  const Tensor* const p = parameter_in(a[2]);
  const std::string& name = new_name(in, a[0], a[1], false);
  if (!p && !a[2].is_none())
    raise("TypeError", "cannot assign '{}' object to parameter '{}' (torch.nn.Parameter or None required)",
          type_name(a[2]), name);
  module_of(a[0]).native->set_parameter(name, p ? *p : Tensor());
  return Value::none();
}

// ---- the tree
// PyTorch returns generators; here they are iterators over lists.
template <auto all_of, bool kNames>
Value tensors_of(Interpreter& in, BuiltinArgs a) {
  std::vector<Value> items;
  for (const NamedTensor& t : all_of(module_of(a[0]).module()))
    items.push_back(kNames ? tuple({str(t.name), tensor(t.tensor)}) : tensor(t.tensor));
  return in.iterate(list(std::move(items)));
}
constexpr auto kParameters = [](const nn::Module& m) { return m.named_parameters(); };
constexpr auto kBuffers = [](const nn::Module& m) { return m.named_buffers(); };

using Seen = std::unordered_set<const Object*>;

// Calls f(name, module) for each module once, parents first.
void visit(Interpreter& in, const Value& root, const std::string& prefix, Seen& seen,
           const std::function<void(const std::string&, const Value&)>& f) {
  if (!seen.insert(root.object()).second) return;
  in.count_work(1);
  const Interpreter::Deeper deeper(in);
  f(prefix, root);
  for (const auto& [name, child] : module_of(root).children)
    visit(in, child, prefix.empty() ? name : fmt::format("{}.{}", prefix, name), seen, f);
}

template <bool kNames>
Value modules(Interpreter& in, BuiltinArgs a) {
  std::vector<Value> all;
  Seen seen;
  visit(in, a[0], "", seen, [&](const std::string& name, const Value& m) {
    all.push_back(kNames ? tuple({str(name), m}) : m);
  });
  return in.iterate(list(std::move(all)));
}
// The children, each once under its first name.
std::vector<std::pair<std::string, Value>> distinct_children(const Value& module) {
  auto all = module_of(module).children;
  Seen seen;
  std::erase_if(all, [&](const auto& child) { return !seen.insert(child.second.object()).second; });
  return all;
}
template <bool kNames>
Value children(Interpreter& in, BuiltinArgs a) {
  std::vector<Value> all;
  for (const auto& [name, child] : distinct_children(a[0]))
    all.push_back(kNames ? tuple({str(name), child}) : child);
  return in.iterate(list(std::move(all)));
}

Value apply(Interpreter& in, BuiltinArgs a) {
  const Interpreter::Deeper deeper(in);
  in.count_work(1);
  const auto below = distinct_children(a[0]);
  for (const auto& child : below) in.call(in.attribute(child.second, "apply"), {{&a[1], 1}});
  in.call(a[1], {{&a[0], 1}});
  return a[0];
}

// ---- saving and loading
Value state_dict(Interpreter&, BuiltinArgs a) {
  Dict* const state = make<Dict>();
  const Value kept(state);
  for (const NamedTensor& t : module_of(a[0]).module().state_dict()) state->set(t.name, tensor(t.tensor));
  return kept;
}

Value load_state_dict(Interpreter& in, BuiltinArgs a) {
  Dict* const given = a[1].as<Dict>();
  if (!given) raise("TypeError", "Expected state_dict to be dict-like, got <class '{}'>.", type_name(a[1]));
  std::vector<NamedTensor> state;
  given->each([&](const Value& name, Value& x) {
    const auto* const t = x.as<TensorObject>();
    if (!t) raise("RuntimeError", "a state_dict holds tensors, and its {} is no Tensor", in.repr(name));
    state.push_back({in.str(name), t->tensor});
  });
  const nn::Module::Keys keys = module_of(a[0]).module().load_state_dict(state, !a[2] || in.truth(a[2]));
  static const Tuple::Type kKeys{"_IncompatibleKeys", {"missing_keys", "unexpected_keys"}};
  const auto names = [](const std::vector<std::string>& all) {
    std::vector<Value> items;
    for (const std::string& name : all) items.push_back(str(name));
    return list(std::move(items));
  };
  return tuple({names(keys.missing), names(keys.unexpected)}, &kKeys);
}

// ---- modes
Value set_mode(const Value& self, bool mode) {
  module_of(self).module().train(mode);
  return self;
}
Value requires_grad(Interpreter& in, BuiltinArgs a) {
  for (const Tensor& p : module_of(a[0]).module().parameters()) p.requires_grad_(!a[1] || in.truth(a[1]));
  return a[0];
}
// Converts all floating-point parameters and buffers; the tensors stay the same objects.
Value converted(const Value& self, DType dtype) {
  nn::Module& m = module_of(self).module();
  const NoGrad no_grad;
  for (const auto& all : {m.named_parameters(), m.named_buffers()})
    for (const NamedTensor& t : all)
      if (is_floating(t.tensor.dtype())) set_data(t.tensor, to(t.tensor.detach(), dtype));
  return self;
}
Value to_dtype(Interpreter&, BuiltinArgs a) {
  for (const Value& where : a.subspan(1))
    if (const auto* d = where ? where.as<DTypeObject>() : nullptr; d && is_floating(d->dtype))
      converted(a[0], d->dtype);
  return a[0];  // programs run on the CPU
}

Value forward(Interpreter&, BuiltinArgs a) {
  raise("NotImplementedError", "Module [{}] is missing the required \"forward\" function",
        module_of(a[0]).type().name);
}

// module(…): calls forward(…) in a trace scope of the module's name.
Value call_module(Interpreter& in, const Arguments& a) {
  const Value self = a.positional[0];
  return module_of(self).native->traced([&] {
    return in.call(in.attribute(self, "forward"), {a.positional.subspan(1), a.named});
  });
}

constexpr BuiltinDef kModuleMethods[] = {
    {"__init__", 0, 0, init},
    {"__getattr__", 1, 1, get_attribute},
    {"__setattr__", 2, 2, set_attribute},
    {"__repr__", 0, 0, [](Interpreter&, BuiltinArgs a) { return str(module_of(a[0]).module().repr()); }},
    {"forward", 0, -1, forward},
    {"register_buffer", 2, 3, register_buffer, "name tensor persistent"},
    {"register_parameter", 2, 2, register_parameter, "name param"},
    {"parameters", 0, 0, tensors_of<kParameters, false>},
    {"named_parameters", 0, 0, tensors_of<kParameters, true>},
    {"buffers", 0, 0, tensors_of<kBuffers, false>},
    {"named_buffers", 0, 0, tensors_of<kBuffers, true>},
    {"modules", 0, 0, modules<false>},
    {"named_modules", 0, 0, modules<true>},
    {"children", 0, 0, children<false>},
    {"named_children", 0, 0, children<true>},
    {"apply", 1, 1, apply, "fn"},
    {"state_dict", 0, 0, state_dict},
    {"load_state_dict", 1, 2, load_state_dict, "state_dict strict"},
    {"train", 0, 1, [](Interpreter& in, BuiltinArgs a) { return set_mode(a[0], !a[1] || in.truth(a[1])); },
     "mode"},
    {"eval", 0, 0, [](Interpreter&, BuiltinArgs a) { return set_mode(a[0], false); }},
    {"requires_grad_", 0, 1, requires_grad, "requires_grad"},
    {"zero_grad", 0, 1,
     [](Interpreter& in, BuiltinArgs a) {
       module_of(a[0]).module().zero_grad(!a[1] || in.truth(a[1]));
       return Value::none();
     },
     "set_to_none"},
    {"to", 0, 2, to_dtype, "device dtype"},
    {"float", 0, 0, [](Interpreter&, BuiltinArgs a) { return converted(a[0], float32); }},
    {"double", 0, 0, [](Interpreter&, BuiltinArgs a) { return converted(a[0], float64); }},
    {"half", 0, 0, [](Interpreter&, BuiltinArgs a) { return converted(a[0], float16); }},
    {"bfloat16", 0, 0, [](Interpreter&, BuiltinArgs a) { return converted(a[0], bfloat16); }},
    {"cpu", 0, 0, [](Interpreter&, BuiltinArgs a) { return a[0]; }},
};

Value construct_module(Interpreter& in, const Value& type, const Arguments& a) {
  const Value self(make<ModuleObject>(type));
  const Value* const init = type.as<Class>()->find("__init__");
  // A program's own __init__ is called by the caller.
  if (init->as<Builtin>()) in.call(in.attribute(self, "__init__"), a);
  return self;
}

}  // namespace

Value module_class(Interpreter&, const char* name, const char* home, const Value& base,
                   std::span<const BuiltinDef> rows) {
  Class* const made = make<Class>(name, base);
  const Value kept(made);
  made->module = fmt::format("torch.nn.modules.{}", home);
  made->construct = construct_module;
  add_methods(*made, rows);
  return kept;
}

Value base_module(Interpreter& in) {
  const Value made = module_class(in, "Module", "module", Heap::current().types().object, kModuleMethods);
  static_cast<Dict*>(made.as<Class>()->attributes.object())
      ->set("__call__", Value(make<Builtin>("__call__", call_module)));
  return made;
}

}  // namespace glassgrad::script
