// torch.optim for programs: nn/'s optimizers. param_groups are dicts of the program, which may change lr and
// weight_decay between steps.
#include "apps/script/modules.h"
#include "nn/optim.h"

namespace glassgrad::script {
namespace {

struct OptimizerObject : Instance {
  explicit OptimizerObject(Value type) : Instance(std::move(type)) {}
  std::unique_ptr<nn::optim::Optimizer> native;
};
nn::optim::Optimizer& native(const Value& self) {
  auto* const o = dynamic_cast<OptimizerObject*>(self.as<Instance>());
  if (!o || !o->native) raise("AttributeError", "the optimizer was not built: call super().__init__() first");
  return *o->native;
}

using Build = std::unique_ptr<nn::optim::Optimizer> (*)(Interpreter&, std::vector<nn::optim::ParamGroup>,
                                                        Dict&);

double real(Dict& settings, std::string_view name) { return real_of(*settings.find(name)); }

std::vector<Tensor> tensors_of(Interpreter& in, const Value& given) {
  std::vector<Tensor> all;
  const auto add = [&](const Value& x) {
    const auto* pair = x.as<Tuple>();  // of named_parameters()
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

Value init(Interpreter& in, const Arguments& a, const char* name, const Signature& signature, Build build) {
  Dict* const values = make<Dict>();
  const Value kept(values);
  const auto given = signature.values({a.positional.subspan(1), a.named});
  for (size_t k = 1; k < given.size(); ++k) values->set(signature.names()[k], given[k]);
  for (const char* flag : {"amsgrad", "maximize", "capturable", "differentiable"})
    if (const Value* x = values->find(flag); x && in.truth(*x))
      raise("NotImplementedError", "{} of glassgrad has no {}=True", name, flag);
  std::vector<Value> groups = groups_of(in, given[0], *values);
  std::vector<nn::optim::ParamGroup> native_groups;
  for (const Value& group : groups) {
    Dict& d = *group.as<Dict>();
    native_groups.push_back({tensors_of(in, *d.find("params")), real(d, "lr"), real(d, "weight_decay")});
  }
  auto* const self = dynamic_cast<OptimizerObject*>(a.positional[0].as<Instance>());
  self->native = build(in, std::move(native_groups), *values);
  auto* const attributes = static_cast<Dict*>(self->attributes.object());
  attributes->set("param_groups", list(std::move(groups)));
  attributes->set("defaults", kept);
  return Value::none();
}

// lr and weight_decay as the program's groups have them now.
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

Value step(Interpreter& in, Given a) {
  Value loss = Value::none();
  if (a[1] && !a[1].is_none()) loss = in.call(a[1], {});
  take_settings(in, a[0]);
  native(a[0]).step();
  return loss;
}
Value zero_grad(Interpreter& in, Given a) {
  if (!a[1] || in.truth(a[1])) {
    native(a[0]).zero_grad();
    return Value::none();
  }
  for (const auto& group : native(a[0]).param_groups())
    for (const Tensor& p : group.params)
      if (p.grad()) zero_(p.grad());
  return Value::none();
}
Value repr(Interpreter& in, Given a) {
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

constexpr Row kOptimizerMethods[] = {
    {"step", 0, 1, step, "closure"},
    {"zero_grad", 0, 1, zero_grad, "set_to_none"},
    {"__repr__", 0, 0, repr},
};

Value construct_optimizer(Interpreter& in, const Value& type, const Arguments& a) {
  const Value self(make<OptimizerObject>(type));
  in.call(in.attribute(self, "__init__"), a);
  return self;
}

nn::optim::Betas betas_of(Interpreter& in, Dict& d) {
  const std::vector<Value> both = in.items(*d.find("betas"));
  if (both.size() != 2) raise("ValueError", "betas are two numbers, but got {}", both.size());
  return {real_of(both[0]), real_of(both[1])};
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
  const auto add = [&](const char* name, std::string_view parameters, Build build) {
    Class* const made = make_class(name, Value(optimizer));
    const auto call = [name, build, signature = Signature(parameters)](Interpreter& in, const Arguments& a) {
      return init(in, a, name, signature, build);
    };
    static_cast<Dict*>(made->attributes.object())->set("__init__", Value(make<Builtin>("__init__", call)));
  };
  using Groups = std::vector<nn::optim::ParamGroup>;
  using Made = std::unique_ptr<nn::optim::Optimizer>;
  add("SGD",
      "params lr=0.001 momentum=0 dampening=0 weight_decay=0 nesterov=False maximize=False foreach=None "
      "differentiable=False fused=None",
      [](Interpreter& in, Groups groups, Dict& d) -> Made {
        return std::make_unique<nn::optim::SGD>(std::move(groups), real(d, "momentum"), real(d, "dampening"),
                                                in.truth(*d.find("nesterov")));
      });
  add("Adam",
      "params lr=0.001 betas=(0.9,0.999) eps=1e-8 weight_decay=0 amsgrad=False maximize=False foreach=None "
      "capturable=False differentiable=False fused=None",
      [](Interpreter& in, Groups groups, Dict& d) -> Made {
        return std::make_unique<nn::optim::Adam>(std::move(groups), betas_of(in, d), real(d, "eps"));
      });
  add("AdamW",
      "params lr=0.001 betas=(0.9,0.999) eps=1e-8 weight_decay=0.01 amsgrad=False foreach=None maximize=False "
      "capturable=False differentiable=False fused=None",
      [](Interpreter& in, Groups groups, Dict& d) -> Made {
        return std::make_unique<nn::optim::AdamW>(std::move(groups), betas_of(in, d), real(d, "eps"));
      });
  return kept;
}

}  // namespace glassgrad::script
