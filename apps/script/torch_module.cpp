// The modules torch, torch.nn, torch.nn.functional, torch.optim, torch.autograd and torch.linalg of programs.
#include <cmath>
#include <numbers>

#include "apps/script/modules.h"
#include "apps/script/torch.h"
#include "apps/torch/indexing.h"
#include "engine/autograd.h"
#include "engine/print.h"
#include "nn/optim.h"

namespace glassgrad::script {
namespace {

Dict& names_of(const Value& module) {
  return *static_cast<Dict*>(module.as<Namespace>()->attributes.object());
}

template <TorchNamespace place>
Value find_function(std::string_view name) {
  const rows::Function* const f = torch_function(place, name);
  if (!f) return {};
  return Value(
      make<Builtin>(std::string(name), [f](Interpreter&, const Arguments& a) { return call(*f, a); }));
}
Value module_of_functions(const char* name, Value (*lookup)(std::string_view)) {
  Namespace* const made = make<Namespace>(name);
  made->lookup = lookup;
  return Value(made);
}

// ---- grad mode: with torch.no_grad(): …, @torch.no_grad()
constexpr const char* kWas = "was";
Instance& attributes(const Value& self) { return *self.as<Instance>(); }
Value enter(Interpreter&, BuiltinArgs a) {
  attributes(a[0]).set(kWas, Value::of(grad_mode));
  grad_mode = attributes(a[0]).find("mode")->boolean();
  return Value::none();
}
Value leave(Interpreter&, BuiltinArgs a) {
  grad_mode = attributes(a[0]).find(kWas)->boolean();
  return Value::none();
}
Value decorated(const Value& function, bool mode) {
  const auto call = [=](Interpreter& in, const Arguments& a) {
    const GradMode inside(mode);
    return in.call(function, a);
  };
  return Value(make<Builtin>("wrapper", call));
}
Value decorate(Interpreter&, BuiltinArgs a) {
  return decorated(a[1], attributes(a[0]).find("mode")->boolean());
}

template <bool kMode>
Value grad_mode_of(Interpreter&, const Value& type, const Arguments& a) {
  if (!a.positional.empty() && !a.positional[0].is_bool()) return decorated(a.positional[0], kMode);
  const Value self(make<Instance>(type));
  // inference_mode(False) enables gradients.
  const bool other = !a.positional.empty() && !a.positional[0].boolean();
  attributes(self).set("mode", Value::of(kMode != other));
  return self;
}
void add_grad_modes(Dict& torch) {
  constexpr BuiltinDef kRows[] = {
      {"__enter__", 0, 0, enter}, {"__exit__", 0, 3, leave}, {"__call__", 1, 1, decorate}};
  const auto add = [&](const char* name, auto construct) {
    Class* const made = make<Class>(name, Heap::current().types().object);
    torch.set(name, Value(made));
    made->module = "torch.autograd.grad_mode";
    made->construct = construct;
    add_methods(*made, kRows);
  };
  add("no_grad", grad_mode_of<false>);
  add("enable_grad", grad_mode_of<true>);
  add("inference_mode", grad_mode_of<false>);
}

// ---- random numbers
Value generator_of(std::shared_ptr<Generator> g) { return Value(make<GeneratorObject>(std::move(g))); }
// The engine's default generator, not owned.
Value default_one() {
  return generator_of({&default_generator(), [](Generator*) {}});
}
Value manual_seed(Interpreter&, BuiltinArgs a) {
  default_generator().manual_seed(index_of(a[0]));
  return default_one();
}
Value make_generator(Interpreter&, const Value&, const Arguments&) {
  return generator_of(std::make_shared<Generator>());
}
Generator& generator_in(const Value& x) { return *x.as<GeneratorObject>()->generator; }
constexpr BuiltinDef kGenerator[] = {
    {"manual_seed", 1, 1,
     [](Interpreter&, BuiltinArgs a) {
       generator_in(a[0]).manual_seed(index_of(a[1]));
       return a[0];
     }},
};

// ---- printing
Value set_printing(Interpreter& in, BuiltinArgs a) {
  PrintChange change;
  const auto whole = [&](size_t i) {
    return a[i] && !a[i].is_none() ? std::optional(index_of(a[i])) : std::nullopt;
  };
  if (const auto precision = whole(0)) change.precision = static_cast<int>(*precision);
  if (a[1].is_float())
    change.threshold = PrintOptions::kNoThreshold;  // inf
  else
    change.threshold = whole(1);
  change.edgeitems = whole(2);
  change.linewidth = whole(3);
  const std::string profile = a[4] && !a[4].is_none() ? text_of(a[4], "profile must be a str") : "";
  change.profile = profile;
  if (a[5] && !a[5].is_none()) change.sci_mode = in.truth(a[5]);
  set_printoptions(change);
  return Value::none();
}

// ---- values
const Tensor& tensor_argument(const Value& x) {
  if (const auto* t = x.as<TensorObject>()) return t->tensor;
  raise("TypeError", "expected a Tensor, but got {}", type_name(x));
}
Tensor made(Tensor x, const Value& device, const Value& requires_grad) {
  if (device && !device.is_none()) x = to(x, rows::to_device(&device));
  if (!requires_grad || !rows::to_bool(&requires_grad)) return x;
  check(is_floating(x.dtype()), "Only Tensors of floating point and complex dtype can require gradients");
  return x.requires_grad_();
}
std::optional<DType> maybe_dtype(const Value& x) {
  return x && !x.is_none() ? std::optional(rows::to_dtype(&x)) : std::nullopt;
}
Value tensor_of(Interpreter&, BuiltinArgs a) {
  return tensor(made(rows::from_values(&a[0], {.dtype = maybe_dtype(a[1])}), a[2], a[3]));
}
constexpr BuiltinDef kFunctions[] = {
    {"tensor", 1, 1, tensor_of, "data dtype device requires_grad pin_memory"},
    {"set_default_dtype", 1, 1,
     [](Interpreter&, BuiltinArgs a) {
       const DType t = rows::to_dtype(&a[0]);
       check<TypeError>(is_floating(t), "only floating-point types are supported as the default type");
       rows::default_dtype() = t;
       return Value::none();
     },
     "d"},
    {"get_default_dtype", 0, 0, [](Interpreter&, BuiltinArgs) { return rows::wrap(rows::default_dtype()); }},
    {"manual_seed", 1, 1, manual_seed, "seed"},
    {"set_printoptions", 0, 6, set_printing, "precision threshold edgeitems linewidth profile sci_mode"},
    {"is_grad_enabled", 0, 0, [](Interpreter&, BuiltinArgs) { return Value::of(grad_mode); }},
};

Value false_one(Interpreter&, BuiltinArgs) { return Value::of(false); }
Value zero(Interpreter&, BuiltinArgs) { return Value::of(int64_t{0}); }
constexpr BuiltinDef kCuda[] = {{"is_available", 0, 0, false_one}, {"device_count", 0, 0, zero}};

}  // namespace

Value make_functional(Interpreter&) {
  return module_of_functions("torch.nn.functional", find_function<TorchNamespace::Functional>);
}

namespace {

// torch.nn and torch.optim need no import of their own.
Value find_in_torch(std::string_view name) {
  const bool part = name == "nn" || name == "optim";
  return part ? Heap::current().interpreter->module("torch." + std::string(name))
              : find_function<TorchNamespace::Functions>(name);
}

}  // namespace

Value make_torch(Interpreter&) {
  const Value made = module_of_functions("torch", find_in_torch);
  Dict& torch = names_of(made);
  for (const BuiltinDef& row : kFunctions) torch.set(row.name, function(row));
  for (const DType t : kAllDTypes)  // without "torch."
    torch.set(dtype_name(t) + 6, Value(make<DTypeObject>(t)));
  for (const auto& [name, dtype] : {std::pair{"float", float32},
                                    {"double", float64},
                                    {"half", float16},
                                    {"long", int64},
                                    {"int", int32},
                                    {"short", int16}})
    torch.set(name, Value(make<DTypeObject>(dtype)));
  for (const auto& [name, value] :
       {std::pair{"inf", HUGE_VAL}, {"nan", std::nan("")}, {"pi", std::numbers::pi}, {"e", std::numbers::e}})
    torch.set(name, Value::of(double{value}));
  torch.set("newaxis", Value::none());
  torch.set("__version__", str("2.6.0"));
  add_tensor_classes(torch);
  add_grad_modes(torch);
  Class* const generators = make<Class>("Generator", Heap::current().types().object);
  torch.set("Generator", Value(generators));
  generators->module = "torch";
  generators->construct = make_generator;
  add_methods(*generators, kGenerator);
  torch.set("default_generator", default_one());
  torch.set("linalg", module_of_functions("torch.linalg", find_function<TorchNamespace::Linalg>));
  const auto submodule = [&](const char* name, std::span<const BuiltinDef> rows) {
    Namespace* const module = make<Namespace>(std::string("torch.") + name);
    torch.set(name, Value(module));
    for (const BuiltinDef& row : rows) names_of(Value(module)).set(row.name, function(row));
    return Value(module);
  };
  submodule("cuda", kCuda);
  names_of(submodule("autograd", {})).set("grad", Value(make<Builtin>("grad", gradients)));
  return made;
}

// ---- torch.nn.utils
namespace {

Value clip(Interpreter& in, BuiltinArgs a) {
  std::vector<Tensor> all;
  if (a[0].as<TensorObject>())
    all.push_back(tensor_argument(a[0]));
  else
    in.each(a[0], [&](const Value& x) { all.push_back(tensor_argument(x)); });
  return tensor(nn::optim::clip_grad_norm_(all, real_of(a[1], 0)));
}
constexpr BuiltinDef kClip{"clip_grad_norm_", 2, 2, clip, "parameters max_norm"};

}  // namespace

Value make_nn(Interpreter& in) {
  Namespace* const module = make<Namespace>("torch.nn");
  const Value made(module);
  Dict& nn = names_of(made);
  nn.set("Module", base_module(in));
  add_layers(in, nn);
  const Value torch = in.module("torch");
  nn.set("Parameter", *names_of(torch).find("_Parameter"));
  nn.set("functional", in.module("torch.nn.functional"));
  nn.set("init", module_of_functions("torch.nn.init", find_function<TorchNamespace::Init>));
  const Value utils(make<Namespace>("torch.nn.utils"));
  names_of(utils).set(kClip.name, function(kClip));
  nn.set("utils", utils);
  names_of(torch).set("nn", made);
  return made;
}

}  // namespace glassgrad::script
