// try, raise and with.
#include <algorithm>

#include "apps/script/run.h"

namespace glassgrad::script {

using Flow = Interpreter::Run::Flow;

// A return, break or exception in the `finally` block replaces a pending exception.
Flow Interpreter::Run::attempt(const Statement& s, bool resumed) {
  ResumePoint was{kInBody};
  if (resumed) was = resume_point();
  if (s.finally.empty()) return guarded(s, resumed ? &was : nullptr);
  const bool in_finally = was.at == kInFinally;
  Flow flow = was.flow;
  Value exception, held;
  if (in_finally) {
    (flow == Flow::Next ? exception : held) = was.value;
  } else {
    try {
      flow = guarded(s, resumed ? &was : nullptr);
    } catch (Raised& e) {
      exception = std::move(e.exception);
    }
    if (flow == Flow::Yield) return flow;
    held = result;
  }
  if (exception) in_.handled_.push_back(exception);
  const Handling handling{in_, exception ? size_t{1} : 0};
  const Flow last = in_finally ? resume(s.finally) : execute(s.finally);
  if (last == Flow::Yield) suspension->places.push_back({kInFinally, exception ? exception : held, flow});
  if (last != Flow::Next) return last;
  if (exception) throw Raised{exception};
  result = held;
  return flow;
}

// was: where it goes on, null for its start.
Flow Interpreter::Run::guarded(const Statement& s, const ResumePoint* was) {
  if (was && was->at == kInElse) return noted(resume(s.other), kInElse);
  if (was && was->at >= kInHandlers) {
    in_.handled_.push_back(was->value);
    const Handling handling{in_, 1};
    return run_handler(s, was->at - kInHandlers, was->value, true);
  }
  Value exception;
  try {
    if (const Flow flow = was ? resume(s.body) : execute(s.body); flow != Flow::Next)
      return noted(flow, kInBody);
  } catch (Raised& e) {
    exception = std::move(e.exception);
  }
  return exception ? handle(s, exception) : noted(execute(s.other), kInElse);
}

Flow Interpreter::Run::handle(const Statement& s, const Value& exception) {
  in_.handled_.push_back(exception);
  const Handling handling{in_, 1};
  for (size_t k = 0; k < s.handlers.size(); ++k) {
    const Handler& h = s.handlers[k];
    if (h.type && !matches(exception, evaluate(*h.type))) continue;
    if (h.name) assign(*h.name, exception);
    return run_handler(s, k, exception, false);
  }
  throw Raised{exception};
}

Flow Interpreter::Run::run_handler(const Statement& s, size_t handler, const Value& exception, bool resumed) {
  const Handler& h = s.handlers[handler];
  struct Unbind {  // however the body ends
    Run& run;
    const Expr* name;
    ~Unbind() {  // NOLINT(bugprone-exception-escape): taking a name away raises nothing
      if (name) run.bind(*name, {});
    }
  } unbind{*this, h.name.get()};
  const Flow flow = resumed ? resume(h.body) : execute(h.body);
  if (flow == Flow::Yield) unbind.name = nullptr;
  return noted(flow, kInHandlers + handler, exception);
}

// Returns whether an exception is of a class, or of one class of a tuple. Checks that all are classes first.
bool Interpreter::Run::matches(const Value& exception, const Value& type) {
  const Tuple* const several = type.as<Tuple>();
  const std::span<const Value> all = several ? std::span<const Value>(several->items) : std::span(&type, 1);
  in_.count_work(all.size());
  for (const Value& t : all)
    if (const Class* c = t.as<Class>(); !c || !c->is_a(*Heap::current().types().base_exception.as<Class>()))
      raise("TypeError", "catching classes that do not inherit from BaseException is not allowed");
  return std::any_of(all.begin(), all.end(),
                     [&](const Value& t) { return exception.as<Instance>()->type().is_a(*t.as<Class>()); });
}

void Interpreter::Run::raise_statement(const Statement& s) {
  if (!s.value) {
    if (in_.handled_.empty()) raise("RuntimeError", "No active exception to reraise");
    throw Raised{in_.handled_.back()};
  }
  const auto made = [&](Value v, const char* text) {
    if (v.as<Class>() && v.as<Class>()->is_a(*Heap::current().types().base_exception.as<Class>()))
      v = in_.call(v, {});
    if (!is_exception(v)) raise("TypeError", std::string(text));
    return v;
  };
  const Value v = made(evaluate(*s.value), "exceptions must derive from BaseException");
  auto& exception = static_cast<Exception&>(*v.object());
  if (!s.targets.empty()) {
    Value cause = evaluate(*s.targets[0]);
    if (!cause.is_none()) cause = made(cause, "exception causes must derive from BaseException");
    exception.set("__cause__", cause);
  }
  in_.remember(exception);
  throw Raised{v};
}

Flow Interpreter::Run::with(const Statement& s, size_t item, bool resumed) {
  if (item == s.items.size()) return resumed ? resume(s.body) : execute(s.body);
  Value entered, leave;
  if (resumed) {
    leave = resume_point().value;
  } else {
    const Value manager = evaluate(*s.items[item]);
    Value enter;
    if (!in_.find_attribute(manager, "__enter__", enter))
      raise("TypeError", "'{}' object does not support the context manager protocol", type_name(manager));
    if (!in_.find_attribute(manager, "__exit__", leave))
      raise("TypeError", "'{}' object does not support the context manager protocol (missed __exit__ method)",
            type_name(manager));
    entered = in_.call(enter, {});
  }
  Flow flow = Flow::Next;
  Value exception;
  try {
    if (entered && s.items[item + 1]) assign(*s.items[item + 1], entered);
    flow = with(s, item + 2, resumed);
  } catch (Raised& e) {
    exception = std::move(e.exception);
  }
  if (flow == Flow::Yield) return noted(flow, kInBody, leave);
  const Value held = result;
  if (!exception) {
    const Value none[] = {Value::none(), Value::none(), Value::none()};
    in_.call(leave, {.positional = none});
    result = held;
    return flow;
  }
  in_.handled_.push_back(exception);
  const Handling handling{in_, 1};
  const Value what[] = {&exception.as<Instance>()->type(), exception, Value::none()};
  if (!in_.truth(in_.call(leave, {.positional = what}))) throw Raised{exception};
  return Flow::Next;
}

}  // namespace glassgrad::script
