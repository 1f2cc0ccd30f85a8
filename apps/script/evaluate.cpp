// Expressions.
#include <algorithm>

#include "apps/script/number.h"
#include "apps/script/run.h"

namespace glassgrad::script {

Value Interpreter::Run::watched(const Expr& x) {
  Value v = node(x);
  watcher_->evaluated(x, v, frame_);
  return v;
}

Value Interpreter::Run::node(const Expr& x) {
  switch (x.kind) {
    case Expr::Constant:
      return x.value;
    case Expr::Name:
      return load(x);
    case Expr::Binary:
      return binary(x);
    case Expr::Call:
      return call(x);
    case Expr::Attribute:
      return attribute(x);
    case Expr::Subscript: {
      Value held, other;
      const Value& container = operand(*x.left, held);
      return in_.item(container, operand(*x.right, other));
    }
    case Expr::Comparison:
      return comparison(x);
    case Expr::BoolAnd:
    case Expr::BoolOr:
      return both(x);
    case Expr::Unary: {
      const Value v = evaluate(*x.left);
      return x.unary == UnaryOp::Not ? Value::of(!in_.truth(v)) : in_.unary(x.unary, v);
    }
    case Expr::Conditional:
      return conditional(x);
    case Expr::FString:
      return f_string(x);
    case Expr::Tuple:
    case Expr::List:
      return sequence(x);
    case Expr::Set:
      return set_display(x);
    case Expr::Dict:
      return dict_display(x);
    case Expr::SliceOf:
      return slice(x);
    case Expr::Lambda:
      return make_function(*x.code);
    case Expr::ListOf:
    case Expr::SetOf:
    case Expr::DictOf:
    case Expr::Generator:
      return comprehension(x);
    case Expr::Yield:  // a statement's (yields.cpp)
    case Expr::YieldFrom:
      break;
    case Expr::Starred:
      raise("SyntaxError", "can't use starred expression here");
    case Expr::Formatted: {
      std::string text;
      formatted(x, text);
      return script::str(std::move(text));
    }
  }
  return {};
}

Value Interpreter::Run::load(const Expr& x) {
  switch (x.scope) {
    case Scope::Global:
      return in_.find_global(x.id);
    case Scope::Local:
      if (const Value& v = frame_.slots[static_cast<size_t>(x.id)]) [[likely]]
        return v;
      break;
    case Scope::Cell:
      return load_cell(x);
    case Scope::Class:
      if (frame_.class_names)
        if (const Value* v = frame_.class_names->as<Dict>()->find(x.text)) return *v;
      if (x.outside == Scope::Cell) return load_cell(x);
      if (x.outside == Scope::Global) return in_.find_global(x.id);
  }
  unbound(x);
}

Value Interpreter::Run::attribute(const Expr& x) {
  Value held;
  const Value& self = operand(*x.left, held);
  if (Instance* const instance = self.as<Instance>())
    if (const Value* const own = instance->at(in_.attribute_cache(x, instance->type()).place)) return *own;
  return in_.attribute(self, x);
}

Value Interpreter::Run::load_cell(const Expr& x) {
  if (const Value& v = static_cast<Cell*>(frame_.cells[static_cast<size_t>(x.id)].object())->value) return v;
  unbound(x);
}

void Interpreter::Run::unbound(const Expr& x) {
  if (x.scope == Scope::Cell && x.id >= frame_.code->own_cells)
    in_.no_name(x.text,
                fmt::format("cannot access free variable '{}' where it is not associated with a value in "
                            "enclosing scope",
                            x.text));
  if (x.scope == Scope::Class) in_.no_name(x.text, "name '" + x.text + "' is not defined");
  raise("UnboundLocalError", "cannot access local variable '{}' where it is not associated with a value",
        x.text);
}

Value Interpreter::Run::binary(const Expr& x) {
  Value held, other;
  const Value& a = operand(*x.left, held);
  const Value& b = operand(*x.right, other);
  if (a.is_float() && b.is_float()) {
    if (x.binary == BinaryOp::Add) return Value::of(a.real() + b.real());
    if (x.binary == BinaryOp::Sub) return Value::of(a.real() - b.real());
    if (x.binary == BinaryOp::Mul) return Value::of(a.real() * b.real());
  } else if (a.is_int() && b.is_int()) {
    int64_t n = 0;
    if (x.binary == BinaryOp::Add && !__builtin_add_overflow(a.whole(), b.whole(), &n)) return Value::of(n);
    if (x.binary == BinaryOp::Sub && !__builtin_sub_overflow(a.whole(), b.whole(), &n)) return Value::of(n);
    if (x.binary == BinaryOp::Mul && !__builtin_mul_overflow(a.whole(), b.whole(), &n)) return Value::of(n);
  }
  return in_.binary(x.binary, a, b);
}

Value Interpreter::Run::comparison(const Expr& x) {
  Value left = evaluate(*x.items[0]), answer;
  for (size_t k = 0;; ++k) {
    Value right = evaluate(*x.items[k + 1]);
    answer = in_.compare(x.compares[k], left, right);
    if (k + 1 == x.compares.size() || !in_.truth(answer)) return answer;
    left = std::move(right);
  }
}

Value Interpreter::Run::both(const Expr& x) {
  const bool stop = x.kind == Expr::BoolOr;
  for (size_t k = 0;; ++k) {
    Value v = evaluate(*x.items[k]);
    if (k + 1 == x.items.size() || in_.truth(v) == stop) return v;
  }
}

Value Interpreter::Run::conditional(const Expr& x) {
  return evaluate(in_.truth(evaluate(*x.left)) ? *x.items[0] : *x.items[1]);
}

Value Interpreter::Run::f_string(const Expr& x) {
  std::string text;
  for (const auto& item : x.items) {
    if (item->kind == Expr::Constant)
      text += item->value.as<Str>()->text;
    else
      formatted(*item, text);
    Heap::current().check(text.size());
  }
  return script::str(std::move(text));
}

void Interpreter::Run::formatted(const Expr& x, std::string& into) {
  Value v = evaluate(*x.left);
  if (x.text == "s")
    v = script::str(in_.str(v));
  else if (!x.text.empty())
    v = script::str(in_.repr(v));
  const Value specification = x.right ? evaluate(*x.right) : Value();
  into += in_.format(v, specification ? specification.as<Str>()->text : "");
}

void Interpreter::Run::spread(const std::vector<ExprPtr>& items, std::vector<Value>& into) {
  into.reserve(items.size());
  for (const auto& item : items) {
    if (item->kind == Expr::Starred) {
      const Value all = evaluate(*item->left);
      if (!in_.iterable(all)) raise("TypeError", "Value after * must be an iterable, not {}", type_name(all));
      const auto more = in_.items(all);
      into.insert(into.end(), more.begin(), more.end());
    } else {
      into.push_back(evaluate(*item));
    }
  }
}

Value Interpreter::Run::sequence(const Expr& x) {
  const size_t n = x.items.size();
  if (x.value && !watcher_) return x.value;
  if (x.kind == Expr::Tuple &&
      std::none_of(x.items.begin(), x.items.end(), [](const auto& i) { return i->kind == Expr::Starred; })) {
    Slots room(in_.stack_slots_, n);
    for (size_t k = 0; k < n; ++k) room[k] = evaluate(*x.items[k]);
    return Tuple::of(room.part(0, n));
  }
  std::vector<Value> items;
  spread(x.items, items);
  return x.kind == Expr::List ? list(std::move(items)) : tuple(std::move(items));
}

Value Interpreter::Run::set_display(const Expr& x) {
  std::vector<Value> items;
  spread(x.items, items);
  const Value set = make<Set>();
  for (const Value& v : items) set.as<Set>()->add(v);
  return set;
}

Value Interpreter::Run::dict_display(const Expr& x) {
  const Value dict = make<Dict>();
  Dict& into = *dict.as<Dict>();
  for (size_t k = 0; k < x.items.size(); k += 2) {
    if (x.items[k]) {
      const Value key = evaluate(*x.items[k]);
      into.set(key, evaluate(*x.items[k + 1]));
      continue;
    }
    const Value given = evaluate(*x.items[k + 1]), more = as_dict(in_, given);
    if (!more) raise("TypeError", "'{}' object is not a mapping", type_name(given));
    more.as<Dict>()->each([&](const Value& key, const Value& value) { into.set(key, value); });
  }
  return dict;
}

Value Interpreter::Run::slice(const Expr& x) {
  const auto part = [&](size_t k) { return x.items[k] ? evaluate(*x.items[k]) : Value::none(); };
  const Value start = part(0), stop = part(1);
  return make<Slice>(start, stop, part(2));
}

template <class F>
void Interpreter::Run::gather(const std::vector<Clause>& clauses, size_t k, F f) {
  if (k == clauses.size()) return f();
  const Clause& clause = clauses[k];
  // The first iterable is evaluated before any target is bound.
  const Value all = in_.iterate(evaluate(*clause.iterable));
  if (k == 0) {
    for (const Clause& c : clauses) {
      for (const int slot : c.slots) frame_.slots[static_cast<size_t>(slot)] = {};
      for (const int cell : c.cells) frame_.cells[static_cast<size_t>(cell)] = make<Cell>();
    }
  }
  for (Value item; all.as<Iterator>()->next(in_, item);) {
    in_.tick();
    assign(*clause.target, std::move(item));
    bool take = true;
    for (const auto& condition : clause.conditions)
      if (!(take = in_.truth(evaluate(*condition)))) break;
    if (take) gather(clauses, k + 1, f);
  }
  for (const int slot : clause.slots) frame_.slots[static_cast<size_t>(slot)] = {};
}

Value Interpreter::Run::comprehension(const Expr& x) {
  if (x.kind == Expr::DictOf) {
    const Value dict = make<Dict>();
    gather(x.clauses, 0, [&] {
      const Value key = evaluate(*x.left);
      dict.as<Dict>()->set(key, evaluate(*x.right));
    });
    return dict;
  }
  if (x.kind == Expr::SetOf) {
    const Value set = make<Set>();
    gather(x.clauses, 0, [&] { set.as<Set>()->add(evaluate(*x.left)); });
    return set;
  }
  const Value items = list({});
  List& into = *items.as<List>();
  gather(x.clauses, 0, [&] {
    into.items.push_back(evaluate(*x.left));
    into.charge();
  });
  if (x.kind == Expr::ListOf) return items;
  return iterator("generator", [items, k = size_t{0}](Interpreter&) mutable {
    auto& all = items.as<List>()->items;
    return k < all.size() ? std::exchange(all[k++], {}) : Value();
  });
}

Value Interpreter::Run::make_function(const Code& code) {
  const Value made = make<Function>(&code);
  Function& f = *made.as<Function>();
  f.defaults.reserve(code.parameters.size());
  for (const auto& p : code.parameters) f.defaults.push_back(p.fallback ? evaluate(*p.fallback) : Value());
  f.captured.reserve(code.captured.size());
  for (const int cell : code.captured) f.captured.push_back(frame_.cells[static_cast<size_t>(cell)]);
  return made;
}

// f(a, b, …). Evaluates the arguments directly into the slots of the called function.
Value Interpreter::Run::call(const Expr& x) {
  in_.tick();
  Value f, self;
  if (x.left->kind == Expr::Attribute && !watcher_) {
    self = evaluate(*x.left->left);
    if (!in_.find_method(self, *x.left, f)) {
      f = in_.attribute(self, *x.left);
      self = Value();
    }
  } else {
    f = evaluate(*x.left);
    if (x.arguments.empty() && f.as<Class>() && f.as<Class>() == in_.super_class()) return super(x);
  }
  const Class* const type = f.as<Class>();
  const Function* const init = type ? in_.plain_init(*type) : nullptr;
  const Function* const function = init ? init : f.as<Function>();
  const Builtin* const builtin = f.as<Builtin>();
  const size_t first = self || init ? 1 : 0, n = first + x.arguments.size();
  const size_t all = function                     ? room_of(*function)
                     : builtin && builtin->direct ? first + builtin->parameters
                                                  : 0;
  Slots room(in_.stack_slots_, std::max(n, all));
  if (self) room[0] = std::move(self);
  size_t given = first;
  for (const Argument& a : x.arguments) {
    if (a.kind != Argument::Positional) {
      const auto those = room.part(init ? 1 : 0, given - (init ? 1 : 0));
      std::vector<Value> positional(those.begin(), those.end());
      return call_named(x, f, positional);
    }
    room[given++] = evaluate(*a.value);
  }
  in_.calling_ = &x;
  // find_method took the method from self's type, so self needs no check.
  if (builtin && builtin->direct && builtin->of_type == (first == 1) && n - first >= builtin->least &&
      n - first <= builtin->most) {
    in_.check_stack();
    const auto given_all = room.part(0, first + builtin->parameters);
    in_.count_work_on(given_all);
    return builtin->direct(in_, given_all);
  }
  if (function && function->simple && n == function->code->parameters.size()) {
    if (!init) return in_.enter(*function, room);
    if (in_.plain_init(*type) == init) return in_.initialized(room[0] = PlainInstance::of(f), *init, room);
  }
  return in_.call(f, {.positional = room.part(init ? 1 : 0, n - (init ? 1 : 0))});
}

// Evaluates the arguments from the first one that is not positional, and calls f.
Value Interpreter::Run::call_named(const Expr& x, const Value& f, std::vector<Value>& positional) {
  std::vector<KeywordArgument> named;
  std::vector<Value> keys;  // keep the names of ** alive
  size_t first = 0;
  while (x.arguments[first].kind == Argument::Positional) ++first;
  for (const Argument& a : std::span(x.arguments).subspan(first)) {
    Value v = evaluate(*a.value);
    if (a.kind == Argument::Positional) {
      positional.push_back(std::move(v));
    } else if (a.kind == Argument::Star) {
      if (!in_.iterable(v)) raise("TypeError", "Value after * must be an iterable, not {}", type_name(v));
      for (auto& item : in_.items(v)) positional.push_back(std::move(item));
    } else {
      const auto add = [&](std::string_view name, Value value) {
        for (const KeywordArgument& n : named)
          if (n.name == name) raise("TypeError", "got multiple values for keyword argument '{}'", name);
        named.push_back({name, std::move(value)});
      };
      if (a.kind == Argument::Named) {
        add(a.name, std::move(v));
        continue;
      }
      const Value dict = as_dict(in_, v);
      if (!dict) raise("TypeError", "argument after ** must be a mapping, not {}", type_name(v));
      dict.as<Dict>()->each([&](const Value& key, const Value& value) {
        if (!key.as<Str>()) raise("TypeError", "keywords must be strings");
        keys.push_back(key);
        add(key.as<Str>()->text, value);
      });
    }
  }
  in_.calling_ = &x;
  return in_.call(f, {.positional = positional, .named = named});
}

// super() without arguments: uses the enclosing class and the running function's first argument.
Value Interpreter::Run::super(const Expr&) {
  const auto& names = frame_.code->cell_names;
  const auto at = std::find(names.begin(), names.end(), "__class__");
  if (frame_.code->parameters.empty()) raise("RuntimeError", "super(): no arguments");
  if (at == names.end()) raise("RuntimeError", "super(): __class__ cell not found");
  const Value start =
      static_cast<Cell*>(frame_.cells[static_cast<size_t>(at - names.begin())].object())->value;
  if (!start) raise("RuntimeError", "super(): empty __class__ cell");
  const int cell = frame_.code->cell_of_slot.empty() ? -1 : frame_.code->cell_of_slot[0];
  return make<Super>(start,
                     cell < 0 ? frame_.slots[0]
                              : static_cast<Cell*>(frame_.cells[static_cast<size_t>(cell)].object())->value);
}

}  // namespace glassgrad::script
