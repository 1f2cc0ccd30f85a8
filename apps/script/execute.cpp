// Statements but try, raise and with.
#include "apps/script/run.h"

namespace glassgrad::script {

using Flow = Interpreter::Run::Flow;

Flow Interpreter::Run::execute(const Body& body, size_t from) {
  for (auto s = body.begin() + static_cast<ptrdiff_t>(from); s != body.end(); ++s)
    if (const Flow flow = execute(**s); flow != Flow::Next)
      return noted(flow, static_cast<size_t>(s - body.begin()));
  return Flow::Next;
}

Flow Interpreter::Run::execute(const Statement& s) {
  frame_.at = &s;
  if (watcher_) [[unlikely]]
    watcher_->before(s, frame_);
  const Flow flow = as_python([&] { return dispatch(s); });
  if (watcher_) [[unlikely]]
    watcher_->after(s, frame_);
  return flow;
}

Flow Interpreter::Run::dispatch(const Statement& s) {
  switch (s.kind) {
    case Statement::Expression:
      evaluate(*s.value);
      break;
    case Statement::Assign: {
      if (s.targets.size() == 1) {
        assign(*s.targets[0], evaluate(*s.value));
        break;
      }
      const Value v = evaluate(*s.value);
      for (const auto& target : s.targets) assign(*target, v);
      break;
    }
    case Statement::AugAssign:
      augmented(s);
      break;
    case Statement::AnnAssign:
      if (s.value) assign(*s.targets[0], evaluate(*s.value));
      if (frame_.class_names) annotate(s);
      break;
    case Statement::If:
      return in_.truth(evaluate(*s.value)) ? noted(execute(s.body), kInBody)
                                           : noted(execute(s.other), kInElse);
    case Statement::While:
      return loop_while(s);
    case Statement::For:
      return loop_for(s);
    case Statement::Break:
      return Flow::Break;
    case Statement::Continue:
      return Flow::Continue;
    case Statement::Return:
      result = s.value ? evaluate(*s.value) : Value::none();
      return Flow::Return;
    case Statement::Def:
      define_function(s);
      break;
    case Statement::Class:
      define_class(s);
      break;
    case Statement::Raise:
      raise_statement(s);
      break;
    case Statement::Assert:
      if (!in_.truth(evaluate(*s.value))) {
        std::vector<Value> arguments;
        if (s.message) arguments.push_back(evaluate(*s.message));
        throw_new("AssertionError", std::move(arguments));
      }
      break;
    case Statement::Try:
      return attempt(s);
    case Statement::With:
      return with(s, 0);
    case Statement::Delete:
      for (const auto& target : s.targets) remove(*target);
      break;
    case Statement::Import:
      import(s);
      break;
    case Statement::ImportFrom:
      import_from(s);
      break;
    case Statement::Yield:
      if (s.value->kind == Expr::YieldFrom) return yield_from(s, in_.iterate(evaluate(*s.value->left)));
      result = s.value->left ? evaluate(*s.value->left) : Value::none();
      return Flow::Yield;
    case Statement::Pass:
    case Statement::Global:
    case Statement::Nonlocal:
      break;
  }
  return Flow::Next;
}

// ---- targets

void Interpreter::Run::bind(const Expr& x, const Value& v) {
  switch (x.scope) {
    case Scope::Global:
      in_.globals_at(x.id) = v;
      break;
    case Scope::Local:
      frame_.slots[static_cast<size_t>(x.id)] = v;
      break;
    case Scope::Cell:
      static_cast<Cell*>(frame_.cells[static_cast<size_t>(x.id)].object())->value = v;
      break;
    case Scope::Class:
      if (v)
        frame_.class_names->as<Dict>()->set(x.text, v);
      else
        frame_.class_names->as<Dict>()->erase(std::string_view(x.text));
      break;
  }
}

void Interpreter::Run::assign_other(const Expr& target, const Value& v) {
  switch (target.kind) {
    case Expr::Name:
      bind(target, v);
      break;
    case Expr::Attribute: {
      Value held;
      in_.set_attribute(operand(*target.left, held), target, v);
      break;
    }
    case Expr::Subscript: {
      Value held, other;
      const Value& container = operand(*target.left, held);
      in_.set_item(container, operand(*target.right, other), v);
      break;
    }
    default:
      return unpack(target.items, v);
  }
  if (watcher_) [[unlikely]]
    watcher_->assigned(target, v, frame_);
}

void Interpreter::Run::unpack(const std::vector<ExprPtr>& targets, const Value& v) {
  const size_t n = targets.size();
  size_t star = n;
  for (size_t k = 0; k < n; ++k)
    if (targets[k]->kind == Expr::Starred) star = k;
  if (const Tuple* const t = v.as<Tuple>(); t && star == n && t->items.size() == n) {
    const Value held = v;
    for (size_t k = 0; k < n; ++k) assign(*targets[k], t->items[k]);
    return;
  }
  if (!in_.iterable(v)) raise("TypeError", "cannot unpack non-iterable {} object", type_name(v));
  std::vector<Value> items;
  const Value all = in_.iterate(v);
  for (Value item; (star < n || items.size() <= n) && all.as<Iterator>()->next(in_, item);) {
    in_.tick();
    if (items.size() == items.capacity()) Heap::current().check(items.size() * 2 * sizeof(Value));
    items.push_back(std::move(item));
  }
  if (star == n && items.size() > n) raise("ValueError", "too many values to unpack (expected {})", n);
  const size_t least = star < n ? n - 1 : n;
  if (items.size() < least)
    raise("ValueError", "not enough values to unpack (expected {}{}, got {})", star < n ? "at least " : "",
          least, items.size());
  for (size_t k = 0, at = 0; k < n; ++k) {
    if (k != star) {
      assign(*targets[k], items[at++]);
      continue;
    }
    const auto first = items.begin() + static_cast<ptrdiff_t>(at);
    const auto last = first + static_cast<ptrdiff_t>(items.size() - least);
    assign(*targets[k]->left, list({first, last}));
    at += items.size() - least;
  }
}

void Interpreter::Run::remove(const Expr& target) {
  switch (target.kind) {
    case Expr::Name:
      if (target.scope == Scope::Class) {
        if (!frame_.class_names->as<Dict>()->erase(script::str(target.text)))
          in_.no_name(target.text, "name '" + target.text + "' is not defined");
        break;
      }
      if (target.scope == Scope::Global && !in_.globals_at(target.id))
        in_.no_name(target.text, "name '" + target.text + "' is not defined");
      load(target);  // raises NameError
      bind(target, {});
      break;
    case Expr::Attribute:
      in_.delete_attribute(evaluate(*target.left), target.text);
      break;
    case Expr::Subscript: {
      const Value container = evaluate(*target.left);
      in_.delete_item(container, evaluate(*target.right));
      break;
    }
    default:
      for (const auto& item : target.items) remove(*item);
  }
}

void Interpreter::Run::augmented(const Statement& s) {
  const Expr& target = *s.targets[0];
  Value held, key, v;
  const Value& container = target.kind == Expr::Name ? held : operand(*target.left, held);
  if (target.kind == Expr::Name) {
    v = load(target);
  } else {
    if (target.kind == Expr::Subscript) key = evaluate(*target.right);
    v = key ? in_.item(container, key) : in_.attribute(container, target);
  }
  v = in_.in_place(s.binary, v, evaluate(*s.value));
  if (target.kind == Expr::Name)
    bind(target, v);
  else if (key)
    in_.set_item(container, key, v);
  else
    in_.set_attribute(container, target, v);
  if (watcher_) [[unlikely]]
    watcher_->assigned(target, v, frame_);
}

// ---- loops

Flow Interpreter::Run::loop_while(const Statement& s, Flow flow) {
  for (;; flow = execute(s.body)) {
    if (flow == Flow::Break) return Flow::Next;
    if (flow >= Flow::Return) return noted(flow, kInBody);
    frame_.at = &s;
    if (!in_.truth(evaluate(*s.value))) break;
    in_.tick();
  }
  return noted(execute(s.other), kInElse);
}

Flow Interpreter::Run::loop_for(const Statement& s, Value iterator, Flow flow) {
  if (!iterator) iterator = in_.iterate(evaluate(*s.value));
  for (Value item;; flow = execute(s.body)) {
    // A generator that nobody else holds runs its `finally` blocks now; CPython ignores their errors too.
    if ((flow == Flow::Break || flow == Flow::Return) && iterator.object()->count == 1) try {
        iterator.as<Iterator>()->close(in_);
      } catch (const Raised&) {
      }
    if (flow == Flow::Break) return Flow::Next;
    if (flow >= Flow::Return) return noted(flow, kInBody, iterator);
    frame_.at = &s;
    if (!iterator.as<Iterator>()->next(in_, item)) break;
    in_.tick();
    assign(*s.targets[0], std::move(item));
  }
  return noted(execute(s.other), kInElse);
}

// ---- definitions

// Decorators are evaluated first, from the top, and called last, from the bottom.
std::vector<Value> Interpreter::Run::decorators(const Statement& s) {
  std::vector<Value> all;
  for (const auto& d : s.decorators) all.push_back(evaluate(*d));
  return all;
}

void Interpreter::Run::bind_decorated(const Statement& s, const std::vector<Value>& decorators, Value x) {
  for (size_t k = decorators.size(); k-- > 0;) x = in_.call(decorators[k], {.positional = {&x, 1}});
  assign(*s.targets[0], x);
}

void Interpreter::Run::define_function(const Statement& s) {
  const auto all = decorators(s);
  bind_decorated(s, all, make_function(*s.code));
}

// Keeps the annotation of a class's attribute in __annotations__, as a text: `from __future__ import
// annotations` has it so.
void Interpreter::Run::annotate(const Statement& s) {
  static constexpr std::string_view kName = "__annotations__";
  if (s.targets[0]->kind != Expr::Name) return;
  Dict& names = *frame_.class_names->as<Dict>();
  if (!names.find(kName)) names.set(kName, make<Dict>());
  names.find(kName)->as<Dict>()->set(s.targets[0]->text, script::str(s.text));
}

void Interpreter::Run::define_class(const Statement& s) {
  const auto all = decorators(s);
  const Value base = s.value ? evaluate(*s.value) : Heap::current().types().object;
  const Value made = in_.new_class(s.targets[0]->text, s.code->qualified_name, base);
  Frame frame{.code = s.code.get(), .outer = &frame_, .depth = frame_.depth + 1};
  const auto slots = static_cast<size_t>(s.code->slots), own = static_cast<size_t>(s.code->own_cells);
  Slots room(in_.stack_slots_, slots + own + s.code->captured.size());
  frame.slots = room.part(0, slots);
  frame.cells = room.part(slots, own + s.code->captured.size());
  for (size_t k = 0; k < own; ++k) frame.cells[k] = make<Cell>();
  for (size_t k = 0; k < s.code->captured.size(); ++k)
    frame.cells[own + k] = frame_.cells[static_cast<size_t>(s.code->captured[k])];
  Value names = made.as<Class>()->attributes;
  if (!s.code->document.empty()) names.as<Dict>()->set("__doc__", script::str(s.code->document));
  frame.class_names = &names;
  {
    const Deeper deeper(in_);
    Run run(in_, frame);
    run.execute(s.body);
  }
  for (size_t k = 0; k < s.code->cell_names.size(); ++k)
    if (k < static_cast<size_t>(s.code->own_cells) && s.code->cell_names[k] == "__class__")
      static_cast<Cell*>(frame.cells[k].object())->value = made;
  bind_decorated(s, all, made);
}

void Interpreter::Run::import(const Statement& s) {
  for (const auto& i : s.imports) {
    Value module = in_.module(i.name);
    if (!i.named) module = in_.module(std::string_view(i.name).substr(0, i.name.find('.')));
    assign(*i.target, module);
  }
}

void Interpreter::Run::import_from(const Statement& s) {
  const Value module = in_.module(s.text);
  for (const auto& i : s.imports) {
    Value v;
    if (!in_.find_attribute(module, i.name, v))
      raise("ImportError", "cannot import name '{}' from '{}' (unknown location)", i.name, s.text);
    assign(*i.target, v);
  }
}

}  // namespace glassgrad::script
