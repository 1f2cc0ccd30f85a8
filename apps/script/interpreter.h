// Runs a program, statement by statement, on values of the current heap.
#pragma once
#include <functional>
#include <memory>

#include "apps/script/ast.h"

namespace glassgrad::script {

// A call of a function of the program, or the program's top.
struct Frame {
  const Code* code;
  std::vector<Value> slots;      // absent: not bound
  std::vector<Value> cells;      // Cells
  Value* class_names = nullptr;  // the Dict of the class whose body runs
  const Statement* at = nullptr;
  Frame* outer = nullptr;  // the caller's
  int depth = 0;
  Value function;  // absent at the top
};

// Watches a run: a lesson learns from it what each statement made. Whatever it throws ends the run.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void before(const Statement&, Frame&) {}
  virtual void after(const Statement&, Frame&) {}
  // A name was bound: target is the Name, Attribute or Subscript that it was bound to.
  virtual void assigned(const Expr& /*target*/, const Value&, Frame&) {}
  // An expression gave a value. May put a different one in its place.
  virtual void evaluated(const Expr&, Value&, Frame&) {}
  virtual void entered(Frame&) {}
  virtual void left(Frame&, const Value& /*result: absent where it raised*/) {}
};

class Interpreter {
 public:
  struct Options {
    std::function<void(std::string_view)> print;  // what the program prints
    std::function<void()> interrupted;            // called at every call and turn of a loop; throws to end it
    Watcher* watcher = nullptr;
    int depth = 1000;  // of calls, then RecursionError
  };
  explicit Interpreter(Options options);
  ~Interpreter();

  Names& names() { return names_; }
  // Runs a program of these names; the program must outlive the interpreter's values. Raised: its exception,
  // with where it was raised (`raised_at`).
  void run(const Program& program);
  // One statement of its body, for those who step.
  void run(const Program& program, const Statement& statement);
  // The value of an expression parsed with names(), in a frame, or at the top.
  Value evaluate(const Expr& x, Frame* frame = nullptr);
  Value* global(std::string_view name);  // null: not bound

  // ---- Python's operations, for builtins
  Value call(const Value& f, const Arguments& arguments);
  Value attribute(const Value& x, std::string_view name);  // AttributeError
  bool find_attribute(const Value& x, std::string_view name, Value& into);
  void set_attribute(const Value& x, std::string_view name, Value value);
  Value item(const Value& x, const Value& key);
  void set_item(const Value& x, const Value& key, Value value);
  Value binary(BinaryOp op, const Value& a, const Value& b);
  Value in_place(BinaryOp op, const Value& a, const Value& b);
  Value unary(UnaryOp op, const Value& x);
  Value compare(Compare op, const Value& a, const Value& b);  // == gives a tensor for tensors
  bool equal(const Value& a, const Value& b);
  bool truth(const Value& x);
  int64_t length(const Value& x);
  std::string str(const Value& x);
  std::string repr(const Value& x);
  std::string format(const Value& x, std::string_view specification);
  // An Iterator over x; TypeError "'int' object is not iterable".
  Value iterate(const Value& x);
  std::vector<Value> items(const Value& x);  // all that iterate gives
  void each(const Value& x, const std::function<void(const Value&)>& f);
  void tick() {
    if (options_.interrupted) options_.interrupted();
  }
  void print(std::string_view text) { options_.print(text); }

 private:
  class Run;
  Options options_;
  Names names_;
  std::vector<Value> globals_;
  Frame top_;
};

// "TypeError: unsupported operand type(s) for +: 'int' and 'str'": the last line of a traceback.
std::string last_line(Interpreter& in, const Value& exception);

}  // namespace glassgrad::script
