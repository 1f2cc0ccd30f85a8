// The layers, losses and containers of torch.nn: those in the table of apps/torch, whose forward() calls a
// function of torch.nn.functional, and those that nn/ implements.
#include <fmt/core.h>

#include "apps/script/modules.h"
#include "apps/script/torch.h"
#include "apps/torch/function.h"
#include "apps/torch/layer.h"
#include "engine/core/joined.h"
#include "nn/layers.h"

namespace glassgrad::script {
namespace {

Instance& attributes(const Value& self) { return *as_module(self); }
Value own(const Value& self, std::string_view name) {
  if (const Value* x = attributes(self).find(name)) return *x;
  if (name == "training") return Value::of(module_of(self).module().training());
  const Tensor* const x = module_of(self).module().own(name);
  return x ? tensor(*x) : Value::none();
}

// ---- layers and losses
using Build = void (*)(const Value& self, const rows::Arguments&);
// Builds self's module as an M of nn/, from arguments of types A.
template <class M, class... A>
void build_native(const Value& self, const rows::Arguments& a) {
  [&]<size_t... I>(std::index_sequence<I...>) {
    build<M>(self, rows::Slot<A>::read(a, static_cast<int>(I))...);
  }
  (std::index_sequence_for<A...>());
}

// Layers whose arguments nn/ checks, whose parameters it initializes, and which it prints.
struct NativeRow {
  rows::LayerRow row;
  Build build;
};
constexpr NativeRow kNative[] = {
    {{"linear", "Linear(int in_features, int out_features, bool bias=True)", "linear(input; weight, bias)",
      ""},
     build_native<nn::Linear, int64_t, int64_t, bool>},
    {{"linear", "Identity()", "(input)", ""}, build_native<PlainModule>},
    {{"dropout", "Dropout(float p=0.5, bool inplace=False)", "dropout(input; p, training, inplace)",
      "p= inplace="},
     build_native<nn::Dropout, double>},
    {{"sparse", "Embedding(int num_embeddings, int embedding_dim, int? padding_idx=None)",
      "embedding(input; weight, padding_idx)", ""},
     build_native<nn::Embedding, int64_t, int64_t, std::optional<int64_t>>},
    {{"normalization",
      "LayerNorm(int[1] normalized_shape, float eps=1e-5, bool elementwise_affine=True, bool bias=True)",
      "layer_norm(input; normalized_shape, weight, bias, eps)", ""},
     build_native<nn::LayerNorm, Dims, double, bool, bool>}};

const rows::Function* function_of(const rows::Layer& layer) {
  const auto* const f = torch_function(TorchNamespace::Functional, layer.function);
  return f ? f : torch_function(TorchNamespace::Functions, layer.function);
}

struct Known {
  rows::Layer layer;
  Build build;
};
// All layers of the table whose function exists; built once and kept for the life of the process.
const std::vector<Known>& known_layers() {
  static const auto& all = *[] {
    auto* const known = new std::vector<Known>;
    for (const NativeRow& n : kNative) known->push_back({rows::Layer(n.row), n.build});
    for (const rows::Layer& layer : rows::layers())
      if (function_of(layer)) known->push_back({layer, build_native<PlainModule>});
    return known;
  }();
  return all;
}

Value initialize(const Known& known, Interpreter& in, const Arguments& a) {
  const Value& self = a.positional[0];
  const auto& parameters = known.layer.constructor.parameters();
  std::vector<Value> given = values_of(known.layer.constructor, {a.positional.subspan(1), a.named});
  rows::Arguments slots;
  for (size_t k = 0; k < given.size(); ++k) {
    if (parameters[k].kind == rows::Kind::Ints)
      given[k] = given[k].is_int() ? tuple({given[k]}) : tuple(in.items(given[k]));
    slots.slot[k] = given[k].is_none() && parameters[k].allow_none ? nullptr : &given[k];
  }
  slots.signature = &known.layer.constructor;
  known.build(self, slots);
  for (size_t k = 0; k < given.size(); ++k) {
    const rows::Parameter& p = parameters[k];
    if (p.kind == rows::Kind::Tensor)
      in.call(in.attribute(self, "register_buffer"), {std::vector{str(p.name), given[k]}});
    else if (p.kind != rows::Kind::Anything && !module_of(self).module().own(p.name))
      attributes(self).set(p.name, given[k]);
  }
  return Value::none();
}

Value forward(const rows::Layer& layer, const std::string& inputs, const Arguments& a) {
  const Value& self = a.positional[0];
  const int asked = static_cast<int>(layer.inputs.size());
  std::vector<Value> given = match({"forward", asked, asked, nullptr, inputs.c_str()}, "forward",
                                   {a.positional.subspan(1), a.named});
  if (layer.function.empty()) return given[0];
  std::vector<KeywordArgument> named;
  for (const std::string& word : layer.settings) {
    const auto [name, mark] = rows::marked(word);
    if (mark)
      named.push_back({name, own(self, name)});
    else
      given.push_back(own(self, name));
  }
  return call(*function_of(layer), {given, named});
}

Value shown(const rows::Layer& layer, Interpreter& in, const Value& self) {
  std::string text;
  for (const std::string& word : layer.shown) {
    const auto [name, mark] = rows::marked(word);
    const Value value = own(self, name);
    if (mark == '?' && (value.is_none() || (value.is_bool() && !value.boolean()))) continue;
    text += (text.empty() ? "" : ", ") + (mark ? std::string(name) + "=" + in.repr(value) : in.str(value));
  }
  return str(text);
}

// ---- containers
struct ModuleListModule : nn::ModuleListBase {};
struct ModuleDictModule : PlainModule {
  bool names_children() const override { return true; }
};

auto& children(const Value& self) { return module_of(self).children; }
void append(const Value& self, const Value& module) {
  if (!as_module(module)) raise("TypeError", "{} is not a Module subclass", type_name(module));
  set_child(module_of(self), std::to_string(children(self).size()), module);
}
void set_named(const Value& self, const Value& named) {
  if (Dict* const all = named.as<Dict>())
    all->each([&](const Value& name, Value& m) { set_child(module_of(self), name.as<Str>()->text, m); });
}
Value sequential_init(Interpreter&, BuiltinArgs a) {
  build<PlainModule>(a[0]);
  if (a.size() == 2 && a[1].as<Dict>())
    set_named(a[0], a[1]);
  else
    for (const Value& m : a.subspan(1)) append(a[0], m);
  return Value::none();
}
// Names the intermediate values as nn::Sequential does.
Value sequential(Interpreter& in, BuiltinArgs a) {
  Value x = a[1];
  for (const auto& child : children(a[0])) {
    x = in.call(child.second, {{&x, 1}});
    if (const auto* t = x.as<TensorObject>()) named(t->tensor, "x");
  }
  return x;
}
Value extend_modules(Interpreter& in, BuiltinArgs a) {
  for (const Value& m : in.items(a[1])) append(a[0], m);
  return a[0];
}
Value list_init(Interpreter& in, BuiltinArgs a) {
  build<ModuleListModule>(a[0]);
  if (a[1] && !a[1].is_none()) extend_modules(in, a);
  return Value::none();
}
Value dict_init(Interpreter&, BuiltinArgs a) {
  build<ModuleDictModule>(a[0]);
  if (a[1]) set_named(a[0], a[1]);
  return Value::none();
}
size_t place(const Value& self, const Value& index) {
  const int64_t n = static_cast<int64_t>(children(self).size()), at = index_of(index);
  if (at < -n || at >= n) raise("IndexError", "index {} is out of range", at);
  return static_cast<size_t>(at < 0 ? at + n : at);
}
Value item(Interpreter&, BuiltinArgs a) { return children(a[0])[place(a[0], a[1])].second; }
Value named_item(Interpreter& in, BuiltinArgs a) {
  const Value* const m = module_of(a[0]).child(text_of(a[1], "keys of a ModuleDict are str"));
  if (!m) raise("KeyError", "{}", in.repr(a[1]));
  return *m;
}
Value length(Interpreter&, BuiltinArgs a) { return Value::of(static_cast<int64_t>(children(a[0]).size())); }
template <bool kNames, bool kModules>
Value iterated(Interpreter& in, BuiltinArgs a) {
  std::vector<Value> all;
  for (const auto& [name, m] : children(a[0]))
    all.push_back(kNames && kModules ? tuple({str(name), m}) : kNames ? str(name) : m);
  return in.iterate(list(std::move(all)));
}
Value append_one(Interpreter&, BuiltinArgs a) {
  append(a[0], a[1]);
  return a[0];
}

constexpr BuiltinDef kSequential[] = {{"__init__", 0, -1, sequential_init},
                                      {"forward", 1, 1, sequential, "input"}};
constexpr BuiltinDef kModuleList[] = {{"__init__", 0, 1, list_init, "modules"}};
constexpr BuiltinDef kNumbered[] = {
    {"__getitem__", 1, 1, item},
    {"__len__", 0, 0, length},
    {"__iter__", 0, 0, iterated<false, true>},
    {"append", 1, 1, append_one, "module"},
    {"extend", 1, 1, extend_modules, "modules"},
};
constexpr BuiltinDef kByName[] = {
    {"__init__", 0, 1, dict_init, "modules"},
    {"__getitem__", 1, 1, named_item},
    {"__len__", 0, 0, length},
    {"__iter__", 0, 0, iterated<true, false>},
    {"keys", 0, 0, iterated<true, false>},
    {"values", 0, 0, iterated<false, true>},
    {"items", 0, 0, iterated<true, true>},
};

}  // namespace

void add_layers(Interpreter& in, Dict& nn) {
  const Value base = *nn.find("Module");
  const auto add = [&](const char* name, const char* home, std::span<const BuiltinDef> rows,
                       std::span<const BuiltinDef> more = {}) {
    const Value made = module_class(in, name, home, base, rows);
    add_methods(*made.as<Class>(), more);
    nn.set(name, made);
    return made;
  };
  for (const Known& known : known_layers()) {
    const rows::Layer& layer = known.layer;
    const Value made = add(layer.constructor.name().c_str(), layer.home.c_str(), {});
    const auto method = [&](const char* name, Builtin::Body body) {
      made.as<Class>()->attributes.as<Dict>()->set(name, make<Builtin>(name, std::move(body)));
    };
    method("__init__", [&known](Interpreter& i, const Arguments& a) { return initialize(known, i, a); });
    method("forward", [&layer, inputs = joined(layer.inputs, " ")](Interpreter&, const Arguments& a) {
      return forward(layer, inputs, a);
    });
    if (!layer.shown.empty())
      method("extra_repr",
             [&layer](Interpreter& i, const Arguments& a) { return shown(layer, i, a.positional[0]); });
  }
  add("Sequential", "container", kSequential, kNumbered);
  add("ModuleList", "container", kModuleList, kNumbered);
  add("ModuleDict", "container", kByName);
}

}  // namespace glassgrad::script
