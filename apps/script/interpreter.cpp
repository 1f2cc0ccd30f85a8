// The interpreter's entry points, and calls.
#include "apps/script/interpreter.h"

#include <algorithm>

#include "apps/script/run.h"
#include "nn/module_walk_hook.h"

namespace glassgrad::script {
namespace {

struct Module {
  std::string name;
  Value (*make)(Interpreter&);
};
std::vector<Module>& provided() {
  static std::vector<Module> all{{"math", make_math},
                                 {"random", make_random},
                                 {"torch", make_torch},
                                 {"torch.nn", make_nn},
                                 {"torch.nn.functional", make_functional},
                                 {"torch.optim", make_optimizers}};
  return all;
}

// "'a' and 'b'", "'a', 'b', and 'c'".
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t k = 0; k < names.size(); ++k) {
    if (k) text += k + 1 < names.size() ? ", " : names.size() > 2 ? ", and " : " and ";
    text += "'" + names[k] + "'";
  }
  return text;
}

}  // namespace

void provide(std::string_view module, Value (*make)(Interpreter&)) {
  provided().push_back({std::string(module), make});
}

// Counts nn/'s walks through modules against the limits of the running program.
class Interpreter::MeteringWalkHook : public nn::ModuleWalkHook {
 public:
  explicit MeteringWalkHook(Interpreter& in) : in_(in), outer_(std::exchange(nn::walk_hook, this)) {}
  ~MeteringWalkHook() override { nn::walk_hook = outer_; }
  MeteringWalkHook(const MeteringWalkHook&) = delete;
  MeteringWalkHook& operator=(const MeteringWalkHook&) = delete;
  void enter() override {
    in_.count_work(1);
    in_.enter_depth("");
  }
  void leave() noexcept override { --in_.depth_; }
  void takes(size_t bytes) override { in_.heap_.check(bytes); }

 private:
  Interpreter& in_;
  nn::ModuleWalkHook* const outer_;
};

Interpreter::Interpreter(Options options)
    : options_(std::move(options)),
      heap_(Heap::current()),
      random_(random_state()),
      walk_hook_(std::make_unique<MeteringWalkHook>(*this)),
      top_{} {
  heap_.interpreter = this;
}

Interpreter::~Interpreter() {
  if (heap_.interpreter == this) heap_.interpreter = nullptr;
}

// ---- entry points

// Sets up the top frame for a program.
void Interpreter::prepare(const Program& program) {
  if (top_.code == &program.top) return;
  top_.code = &program.top;
  top_slots_.assign(static_cast<size_t>(program.top.slots), {});
  top_cells_.clear();
  for (int k = 0; k < program.top.own_cells; ++k) top_cells_.push_back(make<Cell>());
  top_.slots = top_slots_;
  top_.cells = top_cells_;
}

void Interpreter::run(const Program& program) {
  for (const auto& s : program.body) run(program, *s);
}

void Interpreter::run(const Program& program, const Statement& statement) {
  prepare(program);
  const char here = 0;
  if (frame_ == &top_) stack_ = &here;
  Run run(*this, top_);
  run.execute(statement);
}

Value Interpreter::evaluate(const Expr& x, Frame* frame) {
  const char here = 0;
  if (!stack_ || frame_ == &top_) stack_ = &here;
  Run run(*this, frame ? *frame : top_);
  return as_python([&] { return run.evaluate(x); });
}

Value Interpreter::evaluate(const Program& program) {
  prepare(program);
  return evaluate(*program.body[0]->value);
}

Value Interpreter::set_global(std::string_view name, Value value) {
  return std::exchange(globals_at(names_.id(name)), std::move(value));
}

Value Interpreter::run_library(std::string_view text) {
  libraries_.push_back(std::make_unique<Program>(parse(text, std::string(kLibraryFile), names_)));
  const Value made = make<Function>(libraries_.back()->body.at(0)->code.get());
  made.as<Function>()->defaults.resize(made.as<Function>()->code->parameters.size());
  return made;
}

Value* Interpreter::global(std::string_view name) {
  const auto at = names_.ids.find(name);
  return at == names_.ids.end() ? nullptr : global(static_cast<size_t>(at->second));
}

Value* Interpreter::global(size_t id) {
  return id < globals_.size() && globals_[id] ? &globals_[id] : nullptr;
}

Value& Interpreter::globals_at(int id) {
  if (static_cast<size_t>(id) >= globals_.size()) globals_.resize(names_.names.size());
  return globals_[static_cast<size_t>(id)];
}

const Value& Interpreter::find_global(int id) {
  const auto at = static_cast<size_t>(id);
  if (at < globals_.size() && globals_[at]) return globals_[at];
  if (at >= builtins_.size()) builtins_.resize(names_.names.size());
  if (!builtins_[at]) {
    const Value* const x = Heap::current().types().find(names_.names[at]);
    if (!x) no_name(names_.names[at], "name '" + names_.names[at] + "' is not defined");
    builtins_[at] = *x;
  }
  return builtins_[at];
}

Value Interpreter::module(std::string_view name) {
  for (const auto& [known, module] : modules_)
    if (known == name) return module;
  for (const auto& m : provided()) {
    if (m.name != name) continue;
    const Value made = m.make(*this);
    modules_.emplace_back(name, made);
    return made;
  }
  if (const Value made = make_library(*this, name)) {
    modules_.emplace_back(name, made);
    return made;
  }
  raise("ModuleNotFoundError", "No module named '{}'", name);
}

// ---- depth

size_t Interpreter::stack_taken() const {
  const char here = 0;
  return stack_ ? static_cast<size_t>(std::abs(stack_ - &here)) : 0;
}

void Interpreter::too_deep(const char* doing) {
  raise("RecursionError", std::string("maximum recursion depth exceeded") + doing);
}

void Interpreter::check_interrupt() {
  if (options_.check_interrupt)
    options_.check_interrupt();
  else if (options_.interrupted)
    options_.interrupted();
}

// ---- calls

void Interpreter::count_work_on(std::span<const Value> all) {
  size_t n = 0;
  for (const Value& x : all) {
    if (!x.object()) continue;
    switch (x.object()->kind) {
      case Kind::Str:
        n += static_cast<Str&>(*x.object()).text.size();
        break;
      case Kind::List:
        n += static_cast<List&>(*x.object()).items.size();
        break;
      case Kind::Tuple:
        n += static_cast<Tuple&>(*x.object()).items.size();
        break;
      case Kind::Dict:
      case Kind::Set:
        n += static_cast<Dict&>(*x.object()).entries.size();
        break;
      default:
        break;
    }
  }
  count_work(n);
}

Value Interpreter::enter(const Function& f, Slots& room) {
  const Code& code = *f.code;
  const Value held(const_cast<Function*>(&f));
  const auto slots = static_cast<size_t>(code.slots), own = static_cast<size_t>(code.own_cells);
  Frame frame{.code = &code,
              .slots = room.part(0, slots),
              .cells = room.part(slots, own + f.captured.size()),
              .outer = frame_,
              .depth = frame_->depth + 1,
              .function = held};
  for (size_t k = 0; k < own; ++k) frame.cells[k] = make<Cell>();
  std::copy(f.captured.begin(), f.captured.end(), frame.cells.begin() + code.own_cells);
  if (own)
    for (size_t k = 0; k < code.cell_of_slot.size(); ++k)
      if (const int cell = code.cell_of_slot[k]; cell >= 0)
        static_cast<Cell*>(frame.cells[static_cast<size_t>(cell)].object())->value =
            std::exchange(frame.slots[k], {});
  if (code.is_generator) [[unlikely]] {
    calling_ = nullptr;
    return make_generator(frame);
  }
  const Deeper deeper(*this);
  Run run(*this, frame);
  frame.call = std::exchange(calling_, nullptr);
  if (Watcher* const watcher = code.library ? nullptr : options_.watcher) {
    watcher->entered(frame);
    run.result = Value::none();
    try {
      run.execute(code.body);
    } catch (...) {
      watcher->left(frame, Value());
      throw;
    }
    watcher->left(frame, run.result);
    return std::move(run.result);
  }
  return run.execute(code.body) == Run::Flow::Return ? std::move(run.result) : Value::none();
}

// Checks in CPython's order, so that the same error comes first.
std::vector<Value> bound_arguments(const Code& code, std::span<const Value> defaults, const Arguments& a) {
  const auto& parameters = code.parameters;
  std::vector<Value> slots(parameters.size());
  size_t plain = 0, required = 0, star = parameters.size(), star_star = parameters.size();
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (parameters[k].kind == Parameter::Plain) ++plain, required += !defaults[k];
    if (parameters[k].kind == Parameter::Star && !parameters[k].name.empty()) star = k;
    if (parameters[k].kind == Parameter::DoubleStar) star_star = k;
  }
  const size_t given = a.positional.size();
  for (size_t k = 0; k < std::min(plain, given); ++k) slots[k] = a.positional[k];
  if (star < parameters.size())
    slots[star] =
        tuple({a.positional.begin() + static_cast<ptrdiff_t>(std::min(plain, given)), a.positional.end()});
  const Value more = star_star < parameters.size() ? Value(make<Dict>()) : Value();
  for (const KeywordArgument& n : a.named) {
    size_t k = 0;
    while (k < parameters.size() &&
           (parameters[k].name != n.name || parameters[k].kind == Parameter::Star || k == star_star))
      ++k;
    if (k == parameters.size()) {
      if (!more)
        raise("TypeError", "{}() got an unexpected keyword argument '{}'", code.qualified_name, n.name);
      more.as<Dict>()->set(n.name, n.value);
      continue;
    }
    if (slots[k])
      raise("TypeError", "{}() got multiple values for argument '{}'", code.qualified_name, n.name);
    slots[k] = n.value;
  }
  if (more) slots[star_star] = more;
  if (given > plain && star == parameters.size()) {
    const std::string takes =
        required < plain ? fmt::format("from {} to {}", required, plain) : std::to_string(plain);
    raise("TypeError", "{}() takes {} positional argument{} but {} {} given", code.qualified_name, takes,
          plain == 1 && required == plain ? "" : "s", given, given == 1 ? "was" : "were");
  }
  std::vector<std::string> missing, missing_named;
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (slots[k]) continue;
    if (defaults[k])
      slots[k] = defaults[k];
    else if (parameters[k].kind == Parameter::Plain)
      missing.push_back(parameters[k].name);
    else if (parameters[k].kind == Parameter::KeywordOnly)
      missing_named.push_back(parameters[k].name);
  }
  for (const auto& [names, kind] : {std::pair{&missing, "positional"}, {&missing_named, "keyword-only"}})
    if (!names->empty())
      raise("TypeError", "{}() missing {} required {} argument{}: {}", code.qualified_name, names->size(),
            kind, names->size() == 1 ? "" : "s", listed(*names));
  return slots;
}

Value Interpreter::call_function(const Function& f, const Arguments& a) {
  Slots room(stack_slots_, room_of(f));
  if (f.simple && a.named.empty() && a.positional.size() == f.code->parameters.size()) {
    for (size_t k = 0; k < a.positional.size(); ++k) room[k] = a.positional[k];
  } else {
    auto bound = bound_arguments(*f.code, f.defaults, a);
    for (size_t k = 0; k < bound.size(); ++k) room[k] = std::move(bound[k]);
  }
  return enter(f, room);
}

Value Interpreter::call(const Value& f, const Arguments& a) {
  if (f.tag() == Tag::Object) {
    switch (f.object()->kind) {
      case Kind::Function:
        return call_function(static_cast<Function&>(*f.object()), a);
      case Kind::Builtin: {
        check_stack();
        count_work_on(a.positional);
        for (const KeywordArgument& n : a.named) count_work_on({&n.value, 1});
        const Value held = f;
        return static_cast<Builtin&>(*f.object()).call(*this, a);
      }
      case Kind::BoundMethod: {
        const Value self = f.as<BoundMethod>()->self, function = f.as<BoundMethod>()->function;
        return call_method(function, self, a);
      }
      case Kind::Class:
        return instantiate(f, a);
      case Kind::Instance:
        if (const Value* method = f.as<Instance>()->type().find(Special::Call)) {
          const Deeper deeper(*this);
          const Value held = bind_method(*method, f);
          return call(held, a);
        }
        break;
      default:
        break;
    }
  }
  raise("TypeError", "'{}' object is not callable", type_name(f));
}

Value Interpreter::call_method(const Value& f, const Value& self, const Arguments& others) {
  const Function* const function = f.as<Function>();
  const size_t n = 1 + others.positional.size();
  Slots room(stack_slots_, std::max(n, function ? room_of(*function) : 0));
  room[0] = self;
  std::copy(others.positional.begin(), others.positional.end(), &room[0] + 1);
  if (function && function->simple && others.named.empty() && n == function->code->parameters.size())
    return enter(*function, room);
  return call(f, {.positional = room.part(0, n), .named = others.named});
}

const Function* Interpreter::plain_init(const Class& c) {
  const Class* maker = &c;
  while (!maker->construct && maker->base) maker = maker->base.as<Class>();
  if (maker != Heap::current().types().object.as<Class>()) return nullptr;
  const Value* const init = c.find(Special::Init);
  return init ? init->as<Function>() : nullptr;
}

// Runs init on the arguments in `room`, self first; returns `made`.
Value Interpreter::initialized(Value made, const Function& init, Slots& room) {
  if (const Value none = enter(init, room); !none.is_none())
    raise("TypeError", "__init__() should return None, not '{}'", type_name(none));
  return made;
}

Value Interpreter::instantiate(const Value& type, const Arguments& a) {
  const Class& c = *type.as<Class>();
  const Class* maker = &c;
  while (!maker->construct && maker->base) maker = maker->base.as<Class>();
  if (!maker->construct) raise("TypeError", "cannot create '{}' instances", c.name);
  const Value made = maker->construct(*this, type, a);
  if (!made.as<Instance>() || &made.as<Instance>()->type() != &c) return made;
  const Value* const init = c.find(Special::Init);
  if (!init || init->as<Builtin>()) {
    const bool plain = maker == Heap::current().types().object.as<Class>();
    if (plain && !(a.positional.empty() && a.named.empty()))
      raise("TypeError", "{}() takes no arguments", c.name);
    return made;
  }
  const Value f = bind_method(*init, made);
  if (const Value none = call(f, a); !none.is_none())
    raise("TypeError", "__init__() should return None, not '{}'", type_name(none));
  return made;
}

Value Interpreter::new_class(const std::string& name, const std::string& qualified_name, const Value& base) {
  const Class* const above = base.as<Class>();
  if (!above) raise("TypeError", "the base of class {} is no class, but '{}'", name, type_name(base));
  const Types& types = Heap::current().types();
  const Class* maker = above;
  while (!maker->construct && maker->base) maker = maker->base.as<Class>();
  const bool open = maker == types.object.as<Class>() || maker == types.base_exception.as<Class>();
  if (maker->construct && maker->module == "builtins" && !open)
    raise("TypeError", "a class cannot be derived from '{}' here: let it hold one", maker->name);
  const Value made = make<Class>(name, base);
  Dict& names = *made.as<Class>()->attributes.as<Dict>();
  names.set("__module__", script::str("__main__"));
  names.set("__qualname__", script::str(qualified_name));
  return made;
}

const Class* Interpreter::super_class() {
  static constexpr std::string_view name = "super";
  return Heap::current().types().find(name)->as<Class>();
}

}  // namespace glassgrad::script
