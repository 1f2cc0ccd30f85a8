// The layers, losses and containers of torch.nn. What a layer computes is a function of torch.nn.functional;
// its parameters are drawn by nn/.
#include "nn/layers.h"
#include "apps/script/modules.h"
#include "apps/script/torch.h"

namespace glassgrad::script {
namespace {

Dict& attributes(const Value& self) { return *static_cast<Dict*>(as_module(self)->attributes.object()); }
Value own(const Value& self, std::string_view name) {
  if (const Value* x = attributes(self).find(name)) return *x;
  const Tensor* const x = module_of(self).module().own(name);
  return x ? tensor(*x) : Value::none();
}

// F.NAME(arguments), without those that are absent.
Value functional(std::string_view name, std::initializer_list<Value> arguments,
                 std::initializer_list<Named> named = {}) {
  return call(*torch_function(Torch::Functional, name), {arguments, named});
}
Value boolean_of(Interpreter& in, const Value& x, bool fallback) {
  return Value::of(x ? in.truth(x) : fallback);
}
// ---- layers
Value linear_init(Interpreter& in, Given a) {
  const int64_t from = index_of(a[1]), to = index_of(a[2]);
  build<nn::Linear>(a[0], from, to, !a[3] || in.truth(a[3]));
  attributes(a[0]).set("in_features", Value::of(from));
  attributes(a[0]).set("out_features", Value::of(to));
  return Value::none();
}
Value linear(Interpreter&, Given a) {
  return functional("linear", {a[1], own(a[0], "weight"), own(a[0], "bias")});
}

Value dropout_init(Interpreter& in, Given a) {
  build<nn::Dropout>(a[0], real_of(a[1], 0.5));
  attributes(a[0]).set("p", a[1] ? a[1] : Value::of(0.5));
  attributes(a[0]).set("inplace", boolean_of(in, a[2], false));
  return Value::none();
}
Value dropout(Interpreter&, Given a) {
  const Value training = Value::of(module_of(a[0]).module().training());
  return functional("dropout", {a[1], own(a[0], "p"), training, own(a[0], "inplace")});
}

Value embedding_init(Interpreter&, Given a) {
  const int64_t rows = index_of(a[1]), width = index_of(a[2]);
  std::optional<int64_t> padding;
  if (a[3] && !a[3].is_none()) padding = index_of(a[3]);
  build<nn::Embedding>(a[0], rows, width, padding);
  attributes(a[0]).set("num_embeddings", Value::of(rows));
  attributes(a[0]).set("embedding_dim", Value::of(width));
  if (padding && *padding < 0) *padding += rows;
  attributes(a[0]).set("padding_idx", padding ? Value::of(*padding) : Value::none());
  return Value::none();
}
Value embedding(Interpreter&, Given a) {
  return functional("embedding", {a[1], own(a[0], "weight"), own(a[0], "padding_idx")});
}

Value layer_norm_init(Interpreter& in, Given a) {
  Dims shape;
  std::vector<Value> sizes;
  if (a[1].is_int())
    sizes.push_back(a[1]);
  else
    sizes = in.items(a[1]);
  for (const Value& size : sizes) shape.push(index_of(size));
  const bool affine = !a[3] || in.truth(a[3]);
  build<nn::LayerNorm>(a[0], shape, real_of(a[2], 1e-5), affine, !a[4] || in.truth(a[4]));
  attributes(a[0]).set("normalized_shape", tuple(std::move(sizes)));
  attributes(a[0]).set("eps", a[2] ? a[2] : Value::of(1e-5));
  attributes(a[0]).set("elementwise_affine", Value::of(affine));
  return Value::none();
}
Value layer_norm(Interpreter&, Given a) {
  return functional("layer_norm", {a[1], own(a[0], "normalized_shape"), own(a[0], "weight"),
                                   own(a[0], "bias"), own(a[0], "eps")});
}

// ---- activations: a function of one tensor
template <class M>
Value plain_init(Interpreter&, Given a) {
  build<M>(a[0]);
  return Value::none();
}
Value gelu_init(Interpreter&, Given a) {
  const std::string kind = a[1] ? text_of(a[1], "approximate must be a str") : "none";
  build<nn::GELU>(a[0], kind);
  attributes(a[0]).set("approximate", str(kind));
  return Value::none();
}
Value leaky_relu_init(Interpreter&, Given a) {
  build<nn::LeakyReLU>(a[0], real_of(a[1], 0.01));
  attributes(a[0]).set("negative_slope", a[1] ? a[1] : Value::of(0.01));
  return Value::none();
}
Value softmax_init(Interpreter&, Given a) {
  build<nn::Softmax>(a[0], a[1] && !a[1].is_none() ? index_of(a[1]) : int64_t{0});
  attributes(a[0]).set("dim", a[1] ? a[1] : Value::none());
  return Value::none();
}

// ---- losses
struct Loss : nn::Module {
  Loss() : Module("") {}
};
Value loss_init(Interpreter&, Given a) {
  build<Loss>(a[0]);
  attributes(a[0]).set("reduction", a[1] ? a[1] : str("mean"));
  return Value::none();
}
template <const char* const& kFunction>
Value loss(Interpreter&, Given a) {
  const Named reduction{"reduction", own(a[0], "reduction")};
  return functional(kFunction, {a[1], a[2]}, {reduction});
}
constexpr const char* kMse = "mse_loss";
constexpr const char* kL1 = "l1_loss";
constexpr const char* kLogits = "binary_cross_entropy_with_logits";

Value cross_entropy_init(Interpreter&, Given a) {
  if (a[1] && !a[1].is_none())
    raise("NotImplementedError", "CrossEntropyLoss with a weight for each class is not supported here");
  build<Loss>(a[0]);
  attributes(a[0]).set("ignore_index", a[2] ? a[2] : Value::of(int64_t{-100}));
  attributes(a[0]).set("reduction", a[3] ? a[3] : str("mean"));
  attributes(a[0]).set("label_smoothing", Value::of(real_of(a[4], 0)));
  return Value::none();
}
Value cross_entropy(Interpreter&, Given a) {
  return functional("cross_entropy", {a[1], a[2]},
                    {{"ignore_index", own(a[0], "ignore_index")},
                     {"reduction", own(a[0], "reduction")},
                     {"label_smoothing", own(a[0], "label_smoothing")}});
}

// ---- containers
struct Sequence : nn::Module {
  Sequence() : Module("") {}
};
struct ModuleListModule : nn::ModuleListBase {};
struct ModuleDictModule : nn::Module {
  ModuleDictModule() : Module("") {}
  std::string trace_prefix() const override { return trace_name() + "."; }
};

auto& children(const Value& self) { return module_of(self).children; }
void append(const Value& self, const Value& module) {
  if (!as_module(module)) raise("TypeError", "{} is not a Module subclass", type_name(module));
  set_child(module_of(self), std::to_string(children(self).size()), module);
}
Value sequential_init(Interpreter&, Given a) {
  build<Sequence>(a[0]);
  if (Dict* const named = a.size() == 2 ? a[1].as<Dict>() : nullptr)
    named->each([&](const Value& name, Value& m) { set_child(module_of(a[0]), name.as<Str>()->text, m); });
  else
    for (const Value& m : a.subspan(1)) append(a[0], m);
  return Value::none();
}
// As nn::Sequential names its intermediate values.
Value sequential(Interpreter& in, Given a) {
  Value x = a[1];
  for (const auto& child : children(a[0])) {
    x = in.call(child.second, {{&x, 1}});
    if (const auto* t = x.as<TensorObject>()) named(t->tensor, "x");
  }
  return x;
}
Value list_init(Interpreter& in, Given a) {
  build<ModuleListModule>(a[0]);
  if (a[1] && !a[1].is_none())
    for (const Value& m : in.items(a[1])) append(a[0], m);
  return Value::none();
}
Value dict_init(Interpreter&, Given a) {
  build<ModuleDictModule>(a[0]);
  if (Dict* const named = a[1] ? a[1].as<Dict>() : nullptr)
    named->each([&](const Value& name, Value& m) { set_child(module_of(a[0]), name.as<Str>()->text, m); });
  return Value::none();
}
size_t place(Interpreter&, const Value& self, const Value& index) {
  const int64_t n = static_cast<int64_t>(children(self).size()), at = index_of(index);
  if (at < -n || at >= n) raise("IndexError", "index {} is out of range", at);
  return static_cast<size_t>(at < 0 ? at + n : at);
}
Value item(Interpreter& in, Given a) {
  if (const auto* s = a[1].as<Slice>()) {
    const auto some = cut(*s, static_cast<int64_t>(children(a[0]).size()));
    std::vector<Value> modules;
    for (int64_t k = 0; k < some.length; ++k)
      modules.push_back(children(a[0])[static_cast<size_t>(some.start + k * some.step)].second);
    const Value type = in.type(a[0]);
    if (in.attribute(type, "__name__").as<Str>()->text == "Sequential") return in.call(type, {modules});
    const Value all = list(std::move(modules));
    return in.call(type, {{&all, 1}});
  }
  return children(a[0])[place(in, a[0], a[1])].second;
}
Value set_item(Interpreter& in, Given a) {
  set_child(module_of(a[0]), children(a[0])[place(in, a[0], a[1])].first, a[2]);
  return Value::none();
}
Value named_item(Interpreter& in, Given a) {
  const Value* const m = module_of(a[0]).child(text_of(a[1], "keys of a ModuleDict are str"));
  if (!m) raise("KeyError", "{}", in.repr(a[1]));
  return *m;
}
Value length(Interpreter&, Given a) { return Value::of(static_cast<int64_t>(children(a[0]).size())); }
template <bool kNames, bool kModules>
std::vector<Value> listed(const Value& self) {
  std::vector<Value> all;
  for (const auto& [name, m] : children(self))
    all.push_back(kNames && kModules ? tuple({str(name), m}) : kNames ? str(name) : m);
  return all;
}
template <bool kNames, bool kModules>
Value iterated(Interpreter& in, Given a) {
  return in.iterate(list(listed<kNames, kModules>(a[0])));
}
Value append_one(Interpreter&, Given a) {
  append(a[0], a[1]);
  return a[0];
}
Value extend(Interpreter& in, Given a) {
  for (const Value& m : in.items(a[1])) append(a[0], m);
  return a[0];
}

constexpr Row kNumbered[] = {
    {"__getitem__", 1, 1, item},
    {"__setitem__", 2, 2, set_item},
    {"__len__", 0, 0, length},
    {"__iter__", 0, 0, iterated<false, true>},
    {"append", 1, 1, append_one, "module"},
    {"extend", 1, 1, extend, "modules"},
};
constexpr Row kByName[] = {
    {"__init__", 0, 1, dict_init, "modules"},
    {"__getitem__", 1, 1, named_item},
    {"__len__", 0, 0, length},
    {"__setitem__", 2, 2,
     [](Interpreter&, Given a) {
       set_child(module_of(a[0]), text_of(a[1], "keys of a ModuleDict are str"), a[2]);
       return Value::none();
     }},
    {"__contains__", 1, 1,
     [](Interpreter&, Given a) {
       return Value::of(bool(module_of(a[0]).child(text_of(a[1], "keys are str"))));
     }},
    {"__iter__", 0, 0, iterated<true, false>},
    {"keys", 0, 0, iterated<true, false>},
    {"values", 0, 0, iterated<false, true>},
    {"items", 0, 0, iterated<true, true>},
};

struct Layer {
  const char *name, *home;
  std::vector<Row> rows;
};

// A class whose forward is F.FUNCTION(x), with what `extra` are attributes of.
Row computes(Value (*f)(Interpreter&, Given)) { return {"forward", 1, 1, f, "input"}; }

std::vector<Layer> layers() {
#define GG_ACTIVATION(name, function)                                                  \
  Layer {                                                                              \
#name, "activation", {                                                             \
      {"__init__", 0, 0, plain_init<nn::name>},                                        \
          computes([](Interpreter&, Given a) { return functional(function, {a[1]}); }) \
    }                                                                                  \
  }
  return {
      {"Linear",
       "linear",
       {{"__init__", 2, 3, linear_init, "in_features out_features bias"}, computes(linear)}},
      {"Identity",
       "linear",
       {{"__init__", 0, -1, plain_init<nn::Identity>}, computes([](Interpreter&, Given a) { return a[1]; })}},
      {"Dropout", "dropout", {{"__init__", 0, 2, dropout_init, "p inplace"}, computes(dropout)}},
      {"Embedding",
       "sparse",
       {{"__init__", 2, 3, embedding_init, "num_embeddings embedding_dim padding_idx"}, computes(embedding)}},
      {"LayerNorm",
       "normalization",
       {{"__init__", 1, 4, layer_norm_init, "normalized_shape eps elementwise_affine bias"},
        computes(layer_norm)}},
      GG_ACTIVATION(ReLU, "relu"),
      GG_ACTIVATION(Tanh, "tanh"),
      GG_ACTIVATION(Sigmoid, "sigmoid"),
      GG_ACTIVATION(SiLU, "silu"),
      {"GELU",
       "activation",
       {{"__init__", 0, 1, gelu_init, "approximate"}, computes([](Interpreter&, Given a) {
          return functional("gelu", {a[1]}, {{"approximate", own(a[0], "approximate")}});
        })}},
      {"LeakyReLU",
       "activation",
       {{"__init__", 0, 1, leaky_relu_init, "negative_slope"}, computes([](Interpreter&, Given a) {
          return functional("leaky_relu", {a[1], own(a[0], "negative_slope")});
        })}},
      {"Softmax", "activation", {{"__init__", 0, 1, softmax_init, "dim"}, computes([](Interpreter&, Given a) {
                                   return functional("softmax", {a[1], own(a[0], "dim")});
                                 })}},
      {"MSELoss",
       "loss",
       {{"__init__", 0, 1, loss_init, "reduction"}, {"forward", 2, 2, loss<kMse>, "input target"}}},
      {"L1Loss",
       "loss",
       {{"__init__", 0, 1, loss_init, "reduction"}, {"forward", 2, 2, loss<kL1>, "input target"}}},
      {"BCEWithLogitsLoss",
       "loss",
       {{"__init__", 0, 1, loss_init, "reduction"}, {"forward", 2, 2, loss<kLogits>, "input target"}}},
      {"CrossEntropyLoss",
       "loss",
       {{"__init__", 0, 4, cross_entropy_init, "weight ignore_index reduction label_smoothing"},
        {"forward", 2, 2, cross_entropy, "input target"}}},
      {"ModuleDict", "container", {std::begin(kByName), std::end(kByName)}},
  };
#undef GG_ACTIVATION
}

}  // namespace

void add_layers(Interpreter& in, Dict& nn) {
  const Value base = *nn.find("Module");
  for (const Layer& layer : layers())
    nn.set(layer.name, module_class(in, layer.name, layer.home, base, layer.rows));
  const Row sequential_rows[] = {{"__init__", 0, -1, sequential_init}, computes(sequential)};
  const Row list_rows[] = {{"__init__", 0, 1, list_init, "modules"}};
  for (const auto& [name, rows] : {std::pair{"Sequential", std::span<const Row>(sequential_rows)},
                                   std::pair{"ModuleList", std::span<const Row>(list_rows)}}) {
    const Value made = module_class(in, name, "container", base, rows);
    add_methods(*made.as<Class>(), kNumbered);
    nn.set(name, made);
  }
}

}  // namespace glassgrad::script
