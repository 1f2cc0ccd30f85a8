// torch.optim for programs: nn/'s optimizers. A program may change lr and weight_decay between steps through
// the dicts of param_groups.
#include "apps/script/modules.h"
#include "apps/script/torch.h"
#include "apps/torch/signature.h"
#include "nn/optim.h"

namespace glassgrad::script {
namespace {

struct OptimizerObject : Instance {
  explicit OptimizerObject(const Value& type) : Instance(type) {}
  std::unique_ptr<nn::optim::Optimizer> native;
};
nn::optim::Optimizer& native(const Value& self) {
  auto* const o = dynamic_cast<OptimizerObject*>(self.as<Instance>());
  if (!o || !o->native) raise("AttributeError", "the optimizer was not built: call super().__init__() first");
  return *o->native;
}

using Groups = std::vector<nn::optim::ParamGroup>;
using Made = std::unique_ptr<nn::optim::Optimizer>;

double real(Dict& settings, std::string_view name) { return real_of(*settings.find(name)); }

std::vector<Tensor> tensors_of(Interpreter& in, const Value& given) {
  std::vector<Tensor> all;
  const auto add = [&](const Value& x) {
    const auto* pair = x.as<Tuple>();  // from named_parameters()
    const Value& one = pair && pair->items.size() == 2 ? pair->items[1] : x;
    const auto* const t = one.as<TensorObject>();
    if (!t)
      raise("TypeError", "optimizer can only optimize Tensors, but one of the params is {}", type_name(one));
    all.push_back(t->tensor);
  };
  if (given.as<TensorObject>())
    add(given);
  else
    in.each(given, add);
  return all;
}

// The groups as the program sees them: dicts with "params" and every setting.
std::vector<Value> groups_of(Interpreter& in, const Value& params, const Dict& defaults) {
  if (params.as<TensorObject>())
    raise(
        "TypeError",
        "params argument given to the optimizer should be an iterable of Tensors or dicts, but got torch.FloatTensor");
  const std::vector<Value> given = in.items(params);
  if (given.empty()) raise("ValueError", "optimizer got an empty parameter list");
  std::vector<Value> groups;
  const auto add = [&](Dict* from, const std::vector<Tensor>& tensors) {
    Dict* const group = make<Dict>();
    groups.emplace_back(group);
    std::vector<Value> items;
    for (const Tensor& x : tensors) items.push_back(tensor(x));
    group->set("params", list(std::move(items)));
    if (from)
      from->each([&](const Value& key, Value& x) {
        if (!group->find(key)) group->set(key, x);
      });
    const_cast<Dict&>(defaults).each([&](const Value& key, Value& x) {
      if (!group->find(key)) group->set(key, x);
    });
  };
  if (given[0].as<Dict>())
    for (const Value& one : given) {
      Dict* const d = one.as<Dict>();
      if (!d) raise("TypeError", "param_group must be a dict, but got <class '{}'>", type_name(one));
      const Value* const own = d->find("params");
      if (!own) raise("KeyError", "'params'");
      add(d, tensors_of(in, *own));
    }
  else
    add(nullptr, tensors_of(in, list(given)));
  return groups;
}

nn::optim::Betas betas_of(Interpreter& in, Dict& d) {
  const std::vector<Value> both = in.items(*d.find("betas"));
  if (both.size() != 2) raise("ValueError", "betas are two numbers, but got {}", both.size());
  return {real_of(both[0]), real_of(both[1])};
}

// An optimizer: PyTorch's constructor, and a function that makes nn/'s optimizer.
struct Optimizer {
  std::string_view constructor;
  Made (*build)(Interpreter&, Groups, Dict& settings);
};
constexpr Optimizer kOptimizers[] = {
    {"SGD(object params, float lr=0.001, float momentum=0, float dampening=0, float weight_decay=0, bool "
     "nesterov=False, *, bool maximize=False, bool? foreach=None, bool differentiable=False, bool? fused=None)",
     [](Interpreter& in, Groups groups, Dict& d) -> Made {
       return std::make_unique<nn::optim::SGD>(std::move(groups), real(d, "momentum"), real(d, "dampening"),
                                               in.truth(*d.find("nesterov")));
     }},
    {"Adam(object params, float lr=0.001, object betas=(0.9,0.999), float eps=1e-8, float weight_decay=0, bool "
     "amsgrad=False, *, bool maximize=False, bool? foreach=None, bool capturable=False, bool "
     "differentiable=False, bool? fused=None)",
     [](Interpreter& in, Groups groups, Dict& d) -> Made {
       return std::make_unique<nn::optim::Adam>(std::move(groups), betas_of(in, d), real(d, "eps"));
     }},
    {"AdamW(object params, float lr=0.001, object betas=(0.9,0.999), float eps=1e-8, float weight_decay=0.01, "
     "bool amsgrad=False, *, bool? foreach=None, bool maximize=False, bool capturable=False, bool "
     "differentiable=False, bool? fused=None)",
     [](Interpreter& in, Groups groups, Dict& d) -> Made {
       return std::make_unique<nn::optim::AdamW>(std::move(groups), betas_of(in, d), real(d, "eps"));
     }}};

Value init(Interpreter& in, const Arguments& a, const rows::Signature& constructor, const Optimizer& row) {
  Dict* const values = make<Dict>();
  const Value kept(values);
  const std::vector<Value> given = values_of(constructor, {a.positional.subspan(1), a.named});
  for (size_t k = 1; k < given.size(); ++k) values->set(constructor.parameters()[k].name, given[k]);
  for (const char* flag : {"amsgrad", "maximize", "capturable", "differentiable"})
    if (const Value* x = values->find(flag); x && in.truth(*x))
      raise("NotImplementedError", "{} of glassgrad has no {}=True", constructor.name(), flag);
  std::vector<Value> groups = groups_of(in, given[0], *values);
  Groups native_groups;
  for (const Value& group : groups) {
    Dict& d = *group.as<Dict>();
    native_groups.push_back({tensors_of(in, *d.find("params")), real(d, "lr"), real(d, "weight_decay")});
  }
  auto* const self = dynamic_cast<OptimizerObject*>(a.positional[0].as<Instance>());
  self->native = row.build(in, std::move(native_groups), *values);
  self->set("param_groups", list(std::move(groups)));
  self->set("defaults", kept);
  return Value::none();
}

// Copies lr and weight_decay from the program's groups to nn/'s.
void take_settings(Interpreter& in, const Value& self) {
  auto& groups = native(self).param_groups();
  const std::vector<Value> dicts = in.items(in.attribute(self, "param_groups"));
  for (size_t i = 0; i < std::min(groups.size(), dicts.size()); ++i) {
    Dict* const d = dicts[i].as<Dict>();
    if (!d) continue;
    groups[i].lr = real(*d, "lr");
    groups[i].weight_decay = real(*d, "weight_decay");
  }
}

Value step(Interpreter& in, BuiltinArgs a) {
  Value loss = Value::none();
  if (a[1] && !a[1].is_none()) loss = in.call(a[1], {});
  take_settings(in, a[0]);
  native(a[0]).step();
  return loss;
}
Value zero_grad(Interpreter& in, BuiltinArgs a) {
  native(a[0]).zero_grad(!a[1] || in.truth(a[1]));
  return Value::none();
}
Value repr(Interpreter& in, BuiltinArgs a) {
  std::string text = in.type(a[0]).as<Class>()->name + " (";
  int number = 0;
  for (const Value& group : in.items(in.attribute(a[0], "param_groups"))) {
    text += fmt::format("\nParameter Group {}\n", number++);
    std::map<std::string, std::string> lines;
    group.as<Dict>()->each([&](const Value& name, Value& x) { lines[in.str(name)] = in.str(x); });
    for (const auto& [name, value] : lines)
      if (name != "params") text += fmt::format("    {}: {}\n", name, value);
  }
  return str(text + ")");
}

constexpr BuiltinDef kOptimizerMethods[] = {
    {"step", 0, 1, step, "closure"},
    {"zero_grad", 0, 1, zero_grad, "set_to_none"},
    {"__repr__", 0, 0, repr},
};

Value construct_optimizer(Interpreter& in, const Value& type, const Arguments& a) {
  const Value self(make<OptimizerObject>(type));
  in.call(in.attribute(self, "__init__"), a);
  return self;
}

}  // namespace

Value make_optimizers(Interpreter&) {
  Namespace* const module = make<Namespace>("torch.optim");
  const Value kept(module);
  Dict& names = *static_cast<Dict*>(module->attributes.object());
  const auto make_class = [&](const char* name, const Value& base) {
    Class* const made = make<Class>(name, base);
    made->module = "torch.optim";
    made->construct = construct_optimizer;
    names.set(name, Value(made));
    return made;
  };
  Class* const optimizer = make_class("Optimizer", Heap::current().types().object);
  add_methods(*optimizer, kOptimizerMethods);
  for (const Optimizer& row : kOptimizers) {
    const rows::Signature constructor(row.constructor);
    Class* const made = make_class(constructor.name().c_str(), Value(optimizer));
    const auto call = [constructor, &row](Interpreter& in, const Arguments& a) {
      return init(in, a, constructor, row);
    };
    static_cast<Dict*>(made->attributes.object())->set("__init__", Value(make<Builtin>("__init__", call)));
  }
  return kept;
}

}  // namespace glassgrad::script
