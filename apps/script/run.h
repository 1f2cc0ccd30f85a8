// Runs one frame: evaluates its expressions and executes its statements. Larger cases of `node` and
// `dispatch` have functions of their own, so that nested calls take little of the thread's stack.
#pragma once
#include <new>

#include "apps/script/types.h"

namespace glassgrad::script {

// Calls f(); errors of the engine and the standard library become Python's exceptions.
template <class F>
auto as_python(F f) {
  try {
    return f();
  } catch (const Error& e) {
    raise(e.kind(), std::string(e.what()));
  } catch (const std::bad_alloc&) {
    raise("MemoryError", "");
  } catch (const std::length_error&) {  // larger than a standard container can be
    raise("MemoryError", "");
  }
}

class Interpreter::Run {
 public:
  enum class Flow : uint8_t { Next, Break, Continue, Return, Yield };
  // Holds where a statement around a yield stopped, and the values that it goes on with.
  struct ResumePoint {
    size_t at;
    Value value = {};
    Flow flow = Flow::Next;
  };
  // Keeps a generator's state between two values: where each statement around the yield stopped, the inner
  // one first. `sent` is the value of the yield that goes on, or the exception to raise there if `throws`.
  struct Suspension {
    std::vector<ResumePoint> places = {};
    Value sent = {};
    bool throws = false;
  };

  Run(Interpreter& in, Frame& frame)
      : in_(in),
        frame_(frame),
        watcher_(in.options_.watcher && is_watched(frame) ? in.options_.watcher : nullptr),
        outer_(std::exchange(in.frame_, &frame)) {}
  ~Run() { in_.frame_ = outer_; }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Value evaluate(const Expr& x) {
    if (watcher_) [[unlikely]]
      return watched(x);
    if (x.kind == Expr::Constant) return x.value;
    if (x.kind == Expr::Name && x.scope == Scope::Local)
      if (const Value& v = frame_.slots[static_cast<size_t>(x.id)]) return v;
    return node(x);
  }
  Flow execute(const Body& body, size_t from = 0);
  Flow execute(const Statement& s);
  Flow resume(const Body& body);     // goes on after the yield where it stopped
  Value result;                      // the value of a Return or Yield
  Suspension* suspension = nullptr;  // of a generator's body

 private:
  static bool is_watched(const Frame& f) { return !f.code || !(f.code->library || f.code->is_generator); }
  // The parts of a statement where a yield may stop it; a try's k-th handler is kInHandlers + k.
  enum : size_t { kInBody, kInElse, kInFinally, kInHandlers };
  // Notes where a statement stopped, if it did; returns flow.
  Flow noted(Flow flow, size_t at, const Value& value = {}) {
    if (flow == Flow::Yield) [[unlikely]]
      suspension->places.push_back({at, value});
    return flow;
  }
  ResumePoint resume_point() {
    ResumePoint last = std::move(suspension->places.back());
    suspension->places.pop_back();
    return last;
  }
  // Removes the last n handled exceptions at the end of the scope.
  struct Handling {
    Interpreter& in;
    size_t n;
    ~Handling() { in.handled_.resize(in.handled_.size() - n); }
  };

  // evaluate.cpp
  Value watched(const Expr& x);
  Value node(const Expr& x);
  // Evaluates x and returns a reference. `held` keeps a temporary result alive. A reference to a slot stays
  // valid, because only statements of this frame rebind its slots.
  const Value& operand(const Expr& x, Value& held) {
    if (!watcher_) [[likely]] {
      if (x.kind == Expr::Constant) return x.value;
      if (x.kind == Expr::Name && x.scope == Scope::Local)
        if (const Value& v = frame_.slots[static_cast<size_t>(x.id)]) return v;
      if (x.kind == Expr::Attribute) return held = attribute(x);
    }
    return held = evaluate(x);
  }
  Value load(const Expr& name);
  Value load_cell(const Expr& name);
  Value attribute(const Expr& x);
  [[noreturn]] void unbound(const Expr& name);
  Value binary(const Expr& x);
  Value comparison(const Expr& x);
  Value both(const Expr& x);  // and, or
  Value conditional(const Expr& x);
  Value f_string(const Expr& x);
  void formatted(const Expr& x, std::string& into);
  Value sequence(const Expr& x);
  Value set_display(const Expr& x);
  Value dict_display(const Expr& x);
  Value slice(const Expr& x);
  void spread(const std::vector<ExprPtr>& items, std::vector<Value>& into);
  Value comprehension(const Expr& x);
  template <class F>
  void gather(const std::vector<Clause>& clauses, size_t k, F f);
  Value make_function(const Code& code);
  Value call(const Expr& x);
  Value call_named(const Expr& x, const Value& f, std::vector<Value>& positional);
  Value super(const Expr& x);

  // execute.cpp
  void assign(const Expr& target, Value value) {
    if (!watcher_ && target.kind == Expr::Name && target.scope == Scope::Local) [[likely]]
      frame_.slots[static_cast<size_t>(target.id)] = std::move(value);
    else
      assign_other(target, value);
  }
  void assign_other(const Expr& target, const Value& value);
  void bind(const Expr& name, const Value& value);
  void unpack(const std::vector<ExprPtr>& targets, const Value& value);
  void remove(const Expr& target);
  void augmented(const Statement& s);
  Flow dispatch(const Statement& s);
  // Absent `iterator`: the loop begins. `flow` is the end of the body's last turn.
  Flow loop_for(const Statement& s, Value iterator = {}, Flow flow = Flow::Next);
  Flow loop_while(const Statement& s, Flow flow = Flow::Next);
  void define_class(const Statement& s);
  void annotate(const Statement& s);
  void define_function(const Statement& s);
  void import(const Statement& s);
  void import_from(const Statement& s);
  std::vector<Value> decorators(const Statement& s);
  void bind_decorated(const Statement& s, const std::vector<Value>& decorators, Value x);

  // exceptions.cpp; `resumed`: the statement goes on after a yield
  Flow attempt(const Statement& s, bool resumed = false);
  Flow guarded(const Statement& s, const ResumePoint* was);
  Flow handle(const Statement& s, const Value& exception);
  Flow run_handler(const Statement& s, size_t handler, const Value& exception, bool resumed);
  Flow with(const Statement& s, size_t item, bool resumed = false);
  bool matches(const Value& exception, const Value& type);
  void raise_statement(const Statement& s);

  // generator.cpp
  Flow resume(const Statement& s);
  Flow go_on(const Statement& s);
  Flow yield_from(const Statement& s, const Value& iterator);

  Interpreter& in_;
  Frame& frame_;
  Watcher* const watcher_;
  Frame* const outer_;
};

}  // namespace glassgrad::script
