// Every run ends: each loop and each recursion of the interpreter, and of the code it calls, checks the meter
// and the recursion limit. The test calls all builtins, methods and functions with arguments that contain
// themselves, share parts, are nested deeply, or are long.
#include <doctest/doctest.h>
#include <time.h>

#include <new>
#include <set>

#include "apps/script/interpreter.h"
#include "apps/script/modules.h"
#include "apps/script/torch.h"
#include "engine/core/storage.h"
#include "engine/trace.h"
#include "tests/thorough.h"

using namespace glassgrad;
using namespace glassgrad::script;

namespace {

struct EndOfTime {};

const size_t kOneOf = one_in(10);  // makes one call in this many

// Seconds of this thread's CPU time, so that other programs do not count.
double now() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

// An interpreter that ends each call after kSeconds. A call of more than kMost seconds fails.
class LimitedInterpreter : private Observer {
 public:
  static constexpr double kSeconds = 0.004, kMost = 20;  // a sanitizer takes ten times as long

  LimitedInterpreter()
      : heap_(size_t{1} << 29),
        in_({.print = [](std::string_view) {},
             .interrupted = [this] { step(); },
             .check_interrupt = [this] { look(); }}) {}

  Interpreter& interpreter() { return in_; }

  void run(const std::string& text) {
    programs_.push_back(std::make_unique<Program>(parse(text, "a.py", in_.names())));
    in_.run(*programs_.back());
  }

  // Calls f, which may raise, or run out of time or memory, but must return.
  void limited(const std::string& what, const std::function<void()>& f) {
    if (++offered_ % kOneOf != 0) return;
    const Watch watch(this);
    const double begin = now();
    end_ = begin + kSeconds;
    try {
      try {
        f();
      } catch (const Raised& e) {
        end_ = now() + kSeconds;
        CHECK_MESSAGE(last_line(in_, e.exception).size() < 20'000, what);
      }
    } catch (const EndOfTime&) {
      ++ended;
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {
    } catch (const SyntaxError& e) {
      FAIL(what << ": " << e.text);
    } catch (const Error&) {
    }
    end_ = 1e300;
    const double seconds = now() - begin;
    CHECK_MESSAGE(seconds < kMost, what << " took " << seconds << " s");
    ++calls;
  }

  void call(const std::string& name, const Value& f, std::vector<Value> arguments) {
    limited(name, [&] { in_.call(f, {.positional = arguments}); });
  }

  // Uses an object after it was made: reads its text and its items.
  void use(const std::string& name, const Value& x) {
    limited(name + ": str", [&] { in_.str(x); });
    limited(name + ": items", [&] { in_.each(x, [](const Value&) {}); });
  }

  size_t calls = 0, ended = 0;

 private:
  void step() {
    if (++steps_ % 64 == 0) look();
  }
  void look() {
    if (now() > end_) throw EndOfTime();
  }
  void op(const Call&) override { look(); }
  bool wants_steps() const override { return false; }

  Heap heap_;
  const StorageLimit storage_{size_t{1} << 26};
  double end_ = 1e300;
  uint64_t steps_ = 0, offered_ = 0;
  std::vector<std::unique_ptr<Program>> programs_;
  Interpreter in_;
};

constexpr const char* kHostile = R"(
import math
import torch
from torch import nn
def nested(x, around, n):
    for i in range(n): x = around(x)
    return x
def twice(x, around): return nested(x, around, 60), nested(x, around, 60)
def deep(x, around): return nested(x, around, DEEP), nested(x, around, DEEP)
class Plain: pass
class Module(nn.Module): pass

loop, other_loop = [], []
loop.append(loop), other_loop.append(other_loop)
dicts, other_dicts = {}, {}
dicts['a'], other_dicts['a'] = dicts, other_dicts
tuples, other_tuples = ([],), ([],)
tuples[0].append(tuples), other_tuples[0].append(other_tuples)
errors, other_errors = ValueError([]), ValueError([])
errors.args[0].append(errors), other_errors.args[0].append(other_errors)
modules, other_modules = nn.Sequential(), nn.ModuleList()
modules.append(modules), other_modules.append(other_modules)
own = nn.Module()
own.own = own
shared_lists, other_shared_lists = twice(1, lambda x: [x, x])
shared_tuples, other_shared_tuples = twice(1, lambda x: (x, x))
shared_types, other_shared_types = twice(int, lambda x: (x, x))
shared_dicts, other_shared_dicts = twice(1, lambda x: {1: x, 2: x})
shared_errors, other_shared_errors = twice(1, lambda x: ValueError(x, x))
shared_modules, other_shared_modules = twice(nn.Linear(1, 1), lambda x: nn.Sequential(x, x))
shared_apart, other_shared_apart = twice(nn.Linear(1, 1), lambda x: nn.ModuleList([nn.Sequential(x), nn.Sequential(x)]))

deep_lists, other_deep_lists = deep(1, lambda x: [x])
deep_tuples, other_deep_tuples = deep(int, lambda x: (x,))
deep_dicts, other_deep_dicts = deep(1, lambda x: {1: x})
deep_errors, other_deep_errors = deep(1, lambda x: ValueError(x))
deep_modules, other_deep_modules = deep(nn.Linear(1, 1), lambda x: nn.Sequential(x))
deep_maps, other_deep_maps = deep([1], lambda x: map(abs, x))
deep_zips, other_deep_zips = deep([1], lambda x: zip(x))
deep_filters, other_deep_filters = deep([1], lambda x: filter(None, x))
deep_counts, other_deep_counts = deep([1], lambda x: enumerate(x))
deep_calls, other_deep_calls = deep(abs, lambda x: torch.no_grad()(x))

text, other_text = 'a' * (10 * LONG), 'a' * (5 * LONG) + 'b'
wide_text, other_wide_text = 'é' * LONG, 'é' * (LONG // 2) + 'b'
items, other_items = [0] * LONG, [0] * LONG
collisions, other_collisions = range(0, 2**60, 2**40), range(10**15)
tensor, other_tensor = torch.zeros(1).expand(10**6), torch.ones(3)
)";
constexpr const char* kNames[] = {
    "loop",         "dicts",         "tuples",       "errors",       "modules",       "own",
    "shared_lists", "shared_tuples", "shared_types", "shared_dicts", "shared_errors", "shared_modules",
    "shared_apart", "deep_lists",    "deep_tuples",  "deep_dicts",   "deep_errors",   "deep_modules",
    "deep_maps",    "deep_zips",     "deep_filters", "deep_counts",  "deep_calls",    "text",
    "wide_text",    "items",         "collisions",   "tensor"};

class HostileInterpreter : public LimitedInterpreter {
 public:
  HostileInterpreter() {
    // With sanitizers, a quarter as deep and a tenth as long, which is still far beyond the limits.
    run(std::string(kSanitized ? "DEEP, LONG = 15_000, 10**5" : "DEEP, LONG = 60_000, 10**6") + kHostile);
    for (const char* name : kNames) {
      const Value* const other = interpreter().global("other_" + std::string(name));
      all.push_back({name, *interpreter().global(name), other ? *other : *interpreter().global(name)});
    }
  }
  struct HostileValue {
    std::string name;
    Value x, other;  // other: a second argument, x itself if there is none
  };
  std::vector<HostileValue> all;

  // Calls f with each of the hostile values as each of its arguments.
  void call_with_all(const std::string& name, const Value& f, const std::vector<Value>& self = {}) {
    for (const HostileValue& one : all) {
      const auto with = [&](std::vector<Value> more) {
        std::vector<Value> arguments = self;
        arguments.insert(arguments.end(), more.begin(), more.end());
        call(name + " of " + one.name, f, std::move(arguments));
      };
      with({one.x});
      with({one.x, one.other});
      if (self.empty()) with({Value::of(int64_t{2}), one.x});
    }
  }
};

std::vector<std::pair<std::string, Value>> entries(const Value& dict) {
  std::vector<std::pair<std::string, Value>> all;
  for (const auto& e : dict.as<Dict>()->entries)
    if (e.key.as<Str>()) all.emplace_back(e.key.as<Str>()->text, e.value);
  return all;
}

bool callable(const Value& f) { return f.as<Builtin>() || f.as<Class>(); }

}  // namespace

TEST_CASE("script meter every builtin ends with whatever it is given") {
  HostileInterpreter ground;
  std::set<std::string> seen;
  for (const auto& [name, f] : entries(Heap::current().types().names))
    if (callable(f)) ground.call_with_all(name, f), seen.insert(name);
  CHECK(seen.size() > 60);
  CHECK(seen.contains("isinstance"));
  if (!kSanitized) CHECK(ground.ended > (kOneOf == 1 ? 10 : 0));  // a sanitizer's few calls may all be short
  const size_t before = ground.ended;
  const auto endless = [&] { ground.run("for i in other_collisions: pass"); };
  for (size_t i = 0; i < kOneOf; ++i) ground.limited("an endless loop", endless);  // one of them is tried
  CHECK(ground.ended == before + 1);
}

TEST_CASE("script meter every method of a builtin value ends with whatever it is given") {
  HostileInterpreter ground;
  Interpreter& in = ground.interpreter();
  size_t methods = 0;
  for (const HostileInterpreter::HostileValue& one : ground.all)
    for (const Class* c = in.type(one.x).as<Class>(); c; c = c->base.as<Class>())
      for (const auto& [name, f] : entries(c->attributes)) {
        if (!f.as<Builtin>() || one.x.as<TensorObject>()) continue;
        // Skip methods that change the object: each call would need a new one, which takes long to build.
        static const std::set<std::string, std::less<>> kChanges{
            "clear", "pop", "sort", "reverse", "remove", "insert", "__init__", "extend", "update", "append"};
        if (kChanges.contains(name)) continue;
        ++methods;
        const std::string shown = one.name + "." + name;
        ground.call(shown, f, {one.x});
        ground.call_with_all(shown, f, {one.x});
      }
  CHECK(methods > 200);
}

TEST_CASE("script meter every method of a module ends with modules that hold themselves or share parts") {
  HostileInterpreter ground;
  Interpreter& in = ground.interpreter();
  size_t methods = 0;
  for (const HostileInterpreter::HostileValue& one : ground.all) {
    if (!as_module(one.x)) continue;
    std::set<std::string> names;
    for (const Class* c = in.type(one.x).as<Class>(); c; c = c->base.as<Class>())
      for (const auto& [name, f] : entries(c->attributes))
        if (f.as<Builtin>() && names.insert(name).second && name != "__init__" && name != "append") {
          ++methods;
          const std::string shown = one.name + "." + name;
          ground.limited(shown, [&, f = f] {
            in.each(in.call(f, {.positional = {&one.x, 1}}), [](const Value&) {});
          });
          ground.call_with_all(shown, f, {one.x});
        }
    ground.use(one.name, one.x);
  }
  CHECK(methods > 100);
}

TEST_CASE("script meter every function of a module ends with whatever it is given") {
  HostileInterpreter ground;
  Interpreter& in = ground.interpreter();
  for (const char* module : {"math", "random", "torch", "torch.nn", "torch.optim"})
    for (const auto& [name, f] : entries(in.module(module).as<Namespace>()->attributes))
      if (callable(f)) ground.call_with_all(std::string(module) + "." + name, f);
  const Value x = *in.global("other_tensor");
  size_t functions = 0;
  for (const TorchNamespace place : {TorchNamespace::Functions, TorchNamespace::Methods,
                                     TorchNamespace::Functional, TorchNamespace::Linalg})
    for (const std::string& name : torch_functions(place)) {
      if (name.ends_with('_')) continue;  // changes what it is given
      ++functions;
      const rows::Function* const f = torch_function(place, name);
      const Value function(make<Builtin>(name, [f](auto&, const auto& a) { return script::call(*f, a); }));
      for (const HostileInterpreter::HostileValue& one : ground.all) {
        ground.call(name + " of " + one.name, function, {one.x});
        if (place != TorchNamespace::Methods) ground.call(name + " with " + one.name, function, {x, one.x});
      }
    }
  CHECK(functions > 400);
}

TEST_CASE("script meter every operator and statement ends with whatever it is given") {
  HostileInterpreter ground;
  for (const HostileInterpreter::HostileValue& one : ground.all) {
    const std::string x = one.name, y = ground.interpreter().global("other_" + x) ? "other_" + x : x;
    for (std::string text : {"X == Y",
                             "X != Y",
                             "X < Y",
                             "X >= Y",
                             "X in [Y]",
                             "X in (Y,)",
                             "X in Y",
                             "Y in {1: X}.values()",
                             "{X: 1}",
                             "{X, Y}",
                             "{X: 1} == {Y: 1}",
                             "[X] < [Y]",
                             "[X].index(Y)",
                             "(X, 1).count(Y)",
                             "sorted([X, Y, X])",
                             "max(X, Y)",
                             "max([X, Y])",
                             "isinstance(1, X)",
                             "issubclass(float, X)",
                             "X + Y",
                             "X * 3",
                             "X - Y",
                             "X | Y",
                             "X @ Y",
                             "-X",
                             "not X",
                             "X and Y",
                             "f'{X}{Y!r:>9}'",
                             "X[0]",
                             "X[1:]",
                             "X[::2]",
                             "X[-1]",
                             "X[X]",
                             "torch.ones(3)[X]",
                             "torch.ones(3)[X, 0]",
                             "print(X, *X)",
                             "[a for a in X]",
                             "{a for a in X}",
                             "dict(X)",
                             "a, *b = X",
                             "for a in X: pass",
                             "raise X",
                             "raise ValueError(X)",
                             "str(ValueError(X))",
                             "repr(KeyError(X, Y))",
                             "X()",
                             "X.a",
                             "X.a = X",
                             "a = X; a += Y",
                             "assert X == Y, X",
                             "torch.tensor(X)",
                             "torch.tensor([X])",
                             "torch.stack(X)",
                             "torch.zeros(X)",
                             "torch.ones(2, 3).reshape(X)",
                             "torch.ones(3) + X",
                             "torch.ones(3) == X",
                             "torch.ones(3)[0] = X",
                             "torch.optim.SGD(X)",
                             "nn.Sequential(*X)",
                             "nn.ModuleList(X)",
                             "list(reversed(X))",
                             "try: raise KeyError\nexcept X: pass",
                             "try: raise KeyError\nexcept (X, Y): pass",
                             "with X: pass",
                             "del X[0:0]",
                             "def f(*a, **b): pass\nf(*X, **X)",
                             "class A(X): pass",
                             "Plain().a = X",
                             "setattr(own, 'b', X)",
                             "next(iter(X))",
                             "''.join(X)",
                             "'a'.join([X])",
                             "sum(X, X)",
                             "sum([X], [])",
                             "any(X), all(X)",
                             "X.find(Y)",
                             "X.strip(Y)",
                             "X.count('a')",
                             "X.replace('a', 'b')",
                             "X.replace('a', 'aaaaaaaa')",
                             "X.split('a')",
                             "X.upper().title()",
                             "X[5:10**6:3]",
                             "'a' in X",
                             "X.index(Y)",
                             "X.startswith((X, Y))",
                             "X.center(2 * 10**7, X)",
                             "int(X)",
                             "float(X)",
                             "ord(X)",
                             "X.to(X)",
                             "iter(X) == iter(Y)",
                             "zip(X, Y) in [X]",
                             "range(10**15) == X",
                             "round(X, X)"}) {
      for (size_t at; (at = text.find('X')) != text.npos;) text.replace(at, 1, x);
      for (size_t at; (at = text.find('Y')) != text.npos;) text.replace(at, 1, y);
      ground.limited(text, [&] { ground.run(text); });
    }
  }
  CHECK(ground.calls * kOneOf > 2400);
}

TEST_CASE("script meter the limit of recursion is that of CPython") {
  HostileInterpreter ground;
  const auto error = [&](const std::string& text) {
    try {
      ground.run(text);
    } catch (const Raised& e) {
      return last_line(ground.interpreter(), e.exception);
    }
    return std::string("none");
  };
  const std::string exceeded = "RecursionError: maximum recursion depth exceeded";
  for (const char* text :
       {"str(own)", "own.train()", "own.state_dict()", "own.apply(print)", "own.load_state_dict({})",
        "deep_modules.train()", "list(deep_modules.named_parameters())", "list(deep_modules.modules())",
        "deep_modules.state_dict()", "deep_modules(torch.ones(1))", "list(deep_maps)", "list(deep_zips)",
        "list(deep_filters)", "list(deep_counts)", "deep_calls(1)", "hash_of = {deep_tuples: 1}"})
    CHECK_MESSAGE(error(text) == exceeded, text);
  for (const auto& example : {std::pair{"isinstance(1.0, deep_tuples)", " in __instancecheck__"},
                              {"issubclass(float, deep_tuples)", " in __subclasscheck__"},
                              {"loop == other_loop", " in comparison"},
                              {"deep_dicts == other_deep_dicts", " in comparison"},
                              {"repr(deep_errors)", " while getting the repr of an object"},
                              {"str(deep_errors)", " while getting the str of an object"},
                              {"repr(deep_lists)", " while getting the repr of an object"}})
    CHECK_MESSAGE(error(example.first) == exceeded + example.second, example.first);
  for (const char* text : {"tensor.unbind()", "tensor.split(1)", "torch.chunk(tensor, 10**6)",
                           "tensor.tolist() * 100", "list(tensor)", "torch.tensor_split(tensor, 10**6)"})
    CHECK_MESSAGE(error("tensor = torch.zeros(1).expand(2 * 10**6)\n" + std::string(text)) == "MemoryError",
                  text);
  CHECK(error("torch.tensor(shared_lists)") != exceeded);
  for (
      const char* text :
      {"torch.zeros(2 * 10**6).chunk(2), torch.zeros(2 * 10**6).split(10**6, dim=0), torch.zeros(2 * 10**6).split([10**6] * 2)",
       "len(list(own.parameters())) == 0 and len(list(own.modules())) == 1 and own.zero_grad()",
       "assert len(list(shared_modules.parameters())) == 2 and len(list(shared_modules.children())) == 1",
       "shared_modules.train(False).apply(lambda m: None)",
       "assert isinstance(1, (int, 5)) and range(10**15) == other_collisions"})
    CHECK_MESSAGE(error(text) == "none", text);
  CHECK(error("try: raise KeyError\nexcept (KeyError, (ValueError,)): pass") ==
        "TypeError: catching classes that do not inherit from BaseException is not allowed");
}

TEST_CASE("script meter a module that outlives its parent has none") {
  LimitedInterpreter ground;
  struct Names : Observer {
    void op(const Call&) override {}
    void scope(const char* name, bool enter) override {
      if (enter) all += std::string(name) + " ";
    }
    std::string all;
  } seen;
  const Watch watch(&seen);
  ground.run(
      "import torch\nfrom torch import nn\nm = nn.Linear(1, 1)\ndef f():\n  nn.ModuleList([m])\nf()\n"
      "m(torch.ones(1))\nl = nn.ModuleList([m])\nm(torch.ones(1))");
  CHECK(seen.all == "Linear linear ModuleList.0 linear ");
}
