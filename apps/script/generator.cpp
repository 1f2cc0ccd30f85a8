// Generators: a body that stops at each yield and goes on later.
//
// The tree walk has no stack of its own to keep, so each statement around a yield notes where it stopped
// (ResumePoint). resume() takes the notes back, the outer statement's first.
#include "apps/script/run.h"

namespace glassgrad::script {

using Flow = Interpreter::Run::Flow;

namespace {

// A call of a function with a yield.
struct GeneratorIterator : Iterator {
  explicit GeneratorIterator(const Frame& call)
      : Iterator("generator"),
        slots(call.slots.begin(), call.slots.end()),
        cells(call.cells.begin(), call.cells.end()),
        frame(call) {
    frame.slots = slots;
    frame.cells = cells;
    heap().charge(bytes = (slots.size() + cells.size()) * sizeof(Value) + sizeof *this);
  }
  ~GeneratorIterator() override { heap().refund(bytes); }
  void clear() override { end(); }
  void end() {
    ended = true;
    frame.function = returned = Value();
    frame.slots = frame.cells = {};
    slots.clear(), cells.clear();
    suspension = {};
  }
  std::string shown() const override { return "generator object " + frame.code->qualified_name; }
  bool next(Interpreter& in, Value& into) override {
    into = go_on(in, Value::none());
    return static_cast<bool>(into);
  }
  // Runs up to the next yield and returns its value; absent at the end. The yield where it stopped has the
  // value x, or raises the exception x.
  Value go_on(Interpreter& in, const Value& x, bool throws = false);
  void close(Interpreter& in) override;

  std::vector<Value> slots, cells;
  Frame frame;
  Interpreter::Run::Suspension suspension;
  Value returned;
  size_t bytes = 0;
  bool started = false, running = false, ended = false;
};

Value GeneratorIterator::go_on(Interpreter& in, const Value& x, bool throws) {
  if (running) raise("ValueError", "generator already executing");
  if (!started && throws) end();
  if (ended) returned = Value();
  if (ended && throws) throw Raised{x};
  if (ended) return {};
  if (!started && !x.is_none()) raise("TypeError", "can't send non-None value to a just-started generator");
  in.tick();
  const Value held(this);
  const Interpreter::Deeper deeper(in);
  frame.outer = in.frame();
  frame.depth = frame.outer->depth + 1;
  running = true;
  try {
    Interpreter::Run run(in, frame);
    run.suspension = &suspension;
    suspension.sent = x;
    suspension.throws = throws;
    const Body& body = frame.code->body;
    const Flow flow = std::exchange(started, true) ? run.resume(body) : run.execute(body);
    running = false;
    if (flow == Flow::Yield) return std::move(run.result);
    end();
    if (flow == Flow::Return) returned = std::move(run.result);
    return {};
  } catch (const Raised& e) {
    running = false;
    end();
    if (!is_a(e.exception, "StopIteration")) throw;
    const Value error =
        new_exception(*Heap::current().types().find("RuntimeError"), {str("generator raised StopIteration")});
    error.as<Instance>()->set("__cause__", e.exception);
    in.remember(static_cast<Exception&>(*error.object()));
    throw Raised{error};
  } catch (...) {
    running = false;
    end();
    throw;
  }
}

void GeneratorIterator::close(Interpreter& in) {
  if (running) raise("ValueError", "generator already executing");
  if (!started || ended) return end();
  Value more;
  try {
    more = go_on(in, new_exception(*Heap::current().types().find("GeneratorExit"), {}), true);
  } catch (const Raised& e) {
    if (!is_a(e.exception, "GeneratorExit")) throw;
  }
  if (more) raise("RuntimeError", "generator ignored GeneratorExit");
}

// Null for a generator expression, which has the same type but is a list that has been computed.
GeneratorIterator* as_generator(const Value& x) { return dynamic_cast<GeneratorIterator*>(x.as<Iterator>()); }
GeneratorIterator& generator_in(const Value& x) {
  GeneratorIterator* const generator = as_generator(x);
  if (!generator) raise("RuntimeError", "send() to a generator expression is not supported here");
  return *generator;
}

Value next_or_stop(const Value& iterator, const Value& x) { return x ? x : (raise_stop(iterator), x); }

Value throw_into_generator(Interpreter& in, BuiltinArgs a) {
  const Value x = a[1].as<Class>() ? in.call(a[1], {}) : a[1];
  if (!is_exception(x)) raise("TypeError", "exceptions must derive from BaseException");
  return next_or_stop(a[0], generator_in(a[0]).go_on(in, x, true));
}

constexpr BuiltinDef kGeneratorMethods[] = {
    {"send", 1, 1,
     [](Interpreter& in, BuiltinArgs a) { return next_or_stop(a[0], generator_in(a[0]).go_on(in, a[1])); }},
    {"__next__", 0, 0,
     [](Interpreter& in, BuiltinArgs a) {
       return next_or_stop(a[0], generator_in(a[0]).go_on(in, Value::none()));
     }},
    {"throw", 1, 1, throw_into_generator},
    {"close", 0, 0, [](Interpreter& in, BuiltinArgs a) {
       generator_in(a[0]).close(in);
       return Value::none();
     }}};

}  // namespace

Value Interpreter::make_generator(const Frame& call) { return make<GeneratorIterator>(call); }

void add_generators(Types& types) { add_methods(*types.other("generator").as<Class>(), kGeneratorMethods); }

void raise_stop(const Value& iterator) {
  const GeneratorIterator* const generator = as_generator(iterator);
  if (!generator || !generator->returned || generator->returned.is_none()) raise("StopIteration", "");
  throw_new("StopIteration", {std::exchange(as_generator(iterator)->returned, {})});
}

Flow Interpreter::Run::resume(const Body& body) {
  const size_t k = resume_point().at;
  const Flow flow = resume(*body[k]);
  return flow == Flow::Next ? execute(body, k + 1) : noted(flow, k);
}

Flow Interpreter::Run::resume(const Statement& s) {
  frame_.at = &s;
  return as_python([&] { return go_on(s); });
}

Flow Interpreter::Run::go_on(const Statement& s) {
  switch (s.kind) {
    case Statement::Yield: {
      if (s.value->kind == Expr::YieldFrom) return yield_from(s, resume_point().value);
      const Value x = std::move(suspension->sent);
      if (std::exchange(suspension->throws, false)) {
        in_.remember(static_cast<Exception&>(*x.object()));
        throw Raised{x};
      }
      for (const auto& target : s.targets) assign(*target, x);
      return Flow::Next;
    }
    case Statement::If: {
      const size_t at = resume_point().at;
      return noted(resume(at == kInBody ? s.body : s.other), at);
    }
    case Statement::While:
    case Statement::For: {
      ResumePoint was = resume_point();
      if (was.at == kInElse) return noted(resume(s.other), kInElse);
      const Flow flow = resume(s.body);
      return s.kind == Statement::While ? loop_while(s, flow) : loop_for(s, std::move(was.value), flow);
    }
    case Statement::Try:
      return attempt(s, true);
    default:
      return with(s, 0, true);
  }
}

// Takes the next value of the iterator, or ends with the value that it returned.
Flow Interpreter::Run::yield_from(const Statement& s, const Value& iterator) {
  GeneratorIterator* const inner = as_generator(iterator);
  const Value x = suspension->sent ? std::exchange(suspension->sent, {}) : Value::none();
  if (std::exchange(suspension->throws, false)) {
    if (inner && is_a(x, "GeneratorExit")) inner->close(in_);
    if (!inner || is_a(x, "GeneratorExit")) throw Raised{x};
    result = inner->go_on(in_, x, true);
  } else if (inner) {
    result = inner->go_on(in_, x);
  } else if (!x.is_none()) {
    result = in_.call(in_.attribute(iterator, "send"), {.positional = {&x, 1}});
  } else {
    result = Value();
    iterator.as<Iterator>()->next(in_, result);
  }
  if (result) return noted(Flow::Yield, 0, iterator);
  const Value last = inner && inner->returned ? inner->returned : Value::none();
  for (const auto& target : s.targets) assign(*target, last);
  return Flow::Next;
}

}  // namespace glassgrad::script
