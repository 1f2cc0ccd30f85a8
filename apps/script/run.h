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
  enum class Flow : uint8_t { Next, Break, Continue, Return };

  Run(Interpreter& in, Frame& frame)
      : in_(in),
        frame_(frame),
        watcher_(frame.code && frame.code->library ? nullptr : in.options_.watcher),
        outer_(std::exchange(in.frame_, &frame)) {}
  ~Run() { in_.frame_ = outer_; }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Value evaluate(const Expr& x) {
    if (watcher_) [[unlikely]]
      return watched(x);
    return x.kind == Expr::Constant ? x.value : node(x);
  }
  Flow execute(const Body& body);
  Flow execute(const Statement& s);
  Value result;  // the value of a Return

 private:
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
  Flow loop_for(const Statement& s);
  Flow loop_while(const Statement& s);
  Flow attempt(const Statement& s);
  Flow guarded(const Statement& s);
  Flow handle(const Statement& s, const Value& exception);
  Flow with(const Statement& s, size_t item);
  bool matches(const Value& exception, const Value& type);
  void raise_statement(const Statement& s);
  void define_class(const Statement& s);
  void annotate(const Statement& s);
  void define_function(const Statement& s);
  void import(const Statement& s);
  void import_from(const Statement& s);
  std::vector<Value> decorators(const Statement& s);
  void bind_decorated(const Statement& s, const std::vector<Value>& decorators, Value x);

  Interpreter& in_;
  Frame& frame_;
  Watcher* const watcher_;
  Frame* const outer_;
};

}  // namespace glassgrad::script
