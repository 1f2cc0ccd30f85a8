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
  if (name == "training") return Value::of(module_of(self).module().training());
  const Tensor* const x = module_of(self).module().own(name);
  return x ? tensor(*x) : Value::none();
}

// ---- layers and losses
struct Layer {
  const char *name, *home;
  const char* parameters;  // of its __init__; they become its attributes, but for "bias"
  void (*build)(Interpreter&, const Value& self, Given parameters);
  // What it computes: F.FUNCTION(…) of what it is called with and of attributes; "=name" is given by name.
  const char *function, *arguments;
};

template <class M>
void plain(Interpreter&, const Value& self, Given) {
  build<M>(self);
}
struct Loss : nn::Module {
  Loss() : Module("") {}
};

constexpr Layer kLayers[] = {
    {"Linear", "linear", "in_features out_features bias=True",
     [](Interpreter& in, const Value& self, Given a) {
       build<nn::Linear>(self, index_of(a[0]), index_of(a[1]), in.truth(a[2]));
     },
     "linear", "input weight bias"},
    {"Identity", "linear", "", plain<nn::Identity>, "", "input"},
    {"Dropout", "dropout", "p=0.5 inplace=False",
     [](Interpreter&, const Value& self, Given a) { build<nn::Dropout>(self, real_of(a[0])); }, "dropout",
     "input p training inplace"},
    {"Embedding", "sparse", "num_embeddings embedding_dim padding_idx=None",
     [](Interpreter&, const Value& self, Given a) {
       std::optional<int64_t> padding;
       if (!a[2].is_none()) padding = index_of(a[2]);
       build<nn::Embedding>(self, index_of(a[0]), index_of(a[1]), padding);
     },
     "embedding", "input weight padding_idx"},
    {"LayerNorm", "normalization", "normalized_shape eps=1e-5 elementwise_affine=True bias=True",
     [](Interpreter& in, const Value& self, Given a) {
       const Value shape = a[0].is_int() ? tuple({a[0]}) : tuple(in.items(a[0]));
       Dims sizes;
       for (const Value& size : shape.as<Tuple>()->items) sizes.push(index_of(size));
       build<nn::LayerNorm>(self, sizes, real_of(a[1]), in.truth(a[2]), in.truth(a[3]));
       attributes(self).set("normalized_shape", shape);
     },
     "layer_norm", "input normalized_shape weight bias eps"},
    {"ReLU", "activation", "", plain<nn::ReLU>, "relu", "input"},
    {"Tanh", "activation", "", plain<nn::Tanh>, "tanh", "input"},
    {"Sigmoid", "activation", "", plain<nn::Sigmoid>, "sigmoid", "input"},
    {"SiLU", "activation", "", plain<nn::SiLU>, "silu", "input"},
    {"GELU", "activation", "approximate='none'",
     [](Interpreter&, const Value& self, Given a) {
       build<nn::GELU>(self, text_of(a[0], "approximate must be a str"));
     },
     "gelu", "input =approximate"},
    {"LeakyReLU", "activation", "negative_slope=0.01",
     [](Interpreter&, const Value& self, Given a) { build<nn::LeakyReLU>(self, real_of(a[0])); },
     "leaky_relu", "input negative_slope"},
    {"Softmax", "activation", "dim=None",
     [](Interpreter&, const Value& self, Given a) {
       build<nn::Softmax>(self, a[0].is_none() ? int64_t{0} : index_of(a[0]));
     },
     "softmax", "input dim"},
    {"MSELoss", "loss", "reduction='mean'", plain<Loss>, "mse_loss", "input target =reduction"},
    {"L1Loss", "loss", "reduction='mean'", plain<Loss>, "l1_loss", "input target =reduction"},
    {"BCEWithLogitsLoss", "loss", "reduction='mean'", plain<Loss>, "binary_cross_entropy_with_logits",
     "input target =reduction"},
    {"CrossEntropyLoss", "loss", "weight=None ignore_index=-100 reduction='mean' label_smoothing=0.0",
     [](Interpreter&, const Value& self, Given a) {
       if (!a[0].is_none())
         raise("NotImplementedError", "CrossEntropyLoss with a weight for each class is not supported here");
       build<Loss>(self);
     },
     "cross_entropy", "input target =ignore_index =reduction =label_smoothing"}};

Value forward(const Layer& layer, std::span<const std::string_view> words, const Arguments& a) {
  const Value& self = a.positional[0];
  const size_t asked = words.size() > 1 && words[1] == "target" ? 2 : 1;
  const Row row{"forward", static_cast<int>(asked), static_cast<int>(asked), nullptr,
                asked == 2 ? "input target" : "input"};
  std::vector<Value> given = match(row, row.name, {a.positional.subspan(1), a.named});
  if (!*layer.function) return given[0];
  std::vector<Named> named;
  for (const std::string_view word : words.subspan(asked))
    if (word[0] == '=')
      named.push_back({word.substr(1), own(self, word.substr(1))});
    else
      given.push_back(own(self, word));
  return call(*torch_function(Torch::Functional, layer.function), {given, named});
}

// ---- containers
struct Sequence : nn::Module {
  Sequence() : Module("") {}
};
struct ModuleListModule : nn::ModuleListBase {};
struct ModuleDictModule : nn::Module {
  ModuleDictModule() : Module("") {}
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
Value sequential_init(Interpreter&, Given a) {
  build<Sequence>(a[0]);
  if (a.size() == 2 && a[1].as<Dict>())
    set_named(a[0], a[1]);
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
Value extend_modules(Interpreter& in, Given a) {
  for (const Value& m : in.items(a[1])) append(a[0], m);
  return a[0];
}
Value list_init(Interpreter& in, Given a) {
  build<ModuleListModule>(a[0]);
  if (a[1] && !a[1].is_none()) extend_modules(in, a);
  return Value::none();
}
Value dict_init(Interpreter&, Given a) {
  build<ModuleDictModule>(a[0]);
  if (a[1]) set_named(a[0], a[1]);
  return Value::none();
}
size_t place(const Value& self, const Value& index) {
  const int64_t n = static_cast<int64_t>(children(self).size()), at = index_of(index);
  if (at < -n || at >= n) raise("IndexError", "index {} is out of range", at);
  return static_cast<size_t>(at < 0 ? at + n : at);
}
Value item(Interpreter&, Given a) { return children(a[0])[place(a[0], a[1])].second; }
Value named_item(Interpreter& in, Given a) {
  const Value* const m = module_of(a[0]).child(text_of(a[1], "keys of a ModuleDict are str"));
  if (!m) raise("KeyError", "{}", in.repr(a[1]));
  return *m;
}
Value length(Interpreter&, Given a) { return Value::of(static_cast<int64_t>(children(a[0]).size())); }
template <bool kNames, bool kModules>
Value iterated(Interpreter& in, Given a) {
  std::vector<Value> all;
  for (const auto& [name, m] : children(a[0]))
    all.push_back(kNames && kModules ? tuple({str(name), m}) : kNames ? str(name) : m);
  return in.iterate(list(std::move(all)));
}
Value append_one(Interpreter&, Given a) {
  append(a[0], a[1]);
  return a[0];
}

constexpr Row kSequential[] = {{"__init__", 0, -1, sequential_init}, {"forward", 1, 1, sequential, "input"}};
constexpr Row kModuleList[] = {{"__init__", 0, 1, list_init, "modules"}};
constexpr Row kNumbered[] = {
    {"__getitem__", 1, 1, item},
    {"__len__", 0, 0, length},
    {"__iter__", 0, 0, iterated<false, true>},
    {"append", 1, 1, append_one, "module"},
    {"extend", 1, 1, extend_modules, "modules"},
};
constexpr Row kByName[] = {
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
  const auto add = [&](const char* name, const char* home, std::span<const Row> rows,
                       std::span<const Row> more = {}) {
    const Value made = module_class(in, name, home, base, rows);
    add_methods(*made.as<Class>(), more);
    nn.set(name, made);
    return made;
  };
  for (const Layer& layer : kLayers) {
    Dict& methods = *add(layer.name, layer.home, {}).as<Class>()->attributes.as<Dict>();
    const auto init = [&layer, signature = Signature(layer.parameters)](Interpreter& i, const Arguments& a) {
      const Value& self = a.positional[0];
      const auto values = signature.values({a.positional.subspan(1), a.named});
      layer.build(i, self, values);
      for (size_t k = 0; k < values.size(); ++k)
        if (const std::string_view name = signature.names()[k];
            name != "bias" && !attributes(self).find(name))
          attributes(self).set(name, values[k]);
      return Value::none();
    };
    methods.set("__init__", make<Builtin>("__init__", init));
    const auto call = [&layer, words = split_words(layer.arguments)](Interpreter&, const Arguments& a) {
      return forward(layer, words, a);
    };
    methods.set("forward", make<Builtin>("forward", call));
  }
  add("Sequential", "container", kSequential, kNumbered);
  add("ModuleList", "container", kModuleList, kNumbered);
  add("ModuleDict", "container", kByName);
}

}  // namespace glassgrad::script
