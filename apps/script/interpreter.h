// Runs a program, statement by statement, on values of the current heap.
#pragma once
#include <functional>
#include <memory>

#include "apps/script/ast.h"
#include "apps/script/slots.h"

namespace glassgrad::script {

// A call of a function of the program, or the program's top.
struct Frame {
  const Code* code = nullptr;
  std::span<Value> slots = {};   // absent: not bound
  std::span<Value> cells = {};   // Cells
  Value* class_names = nullptr;  // the Dict of the class whose body runs
  const Statement* at = nullptr;
  const Expr* call = nullptr;  // the call that entered it; only set for a watcher
  Frame* outer = nullptr;      // the caller's
  int depth = 0;
  Value function = {};  // absent at the top
};

// Watches a run, so that a lesson can collect the values that statements make. An exception that it throws
// ends the run.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void before(const Statement&, Frame&) {}
  virtual void after(const Statement&, Frame&) {}
  // A name was bound: target is the Name, Attribute or Subscript that it was bound to.
  virtual void assigned(const Expr& /*target*/, const Value&, Frame&) {}
  // An expression was evaluated. May replace its value.
  virtual void evaluated(const Expr&, Value&, Frame&) {}
  virtual void entered(Frame&) {}
  virtual void left(Frame&, const Value& /*result: absent where it raised*/) {}
};

class Interpreter {
 public:
  struct Options {
    std::function<void(std::string_view)> print = {};  // gets the program's output
    std::function<void()> interrupted = {};  // called at every call and loop iteration; throws to end the run
    std::function<void()> check_interrupt = {};  // called in long statements; empty: interrupted is called
    Watcher* watcher = nullptr;
    int depth = 1000;        // of nested calls, then RecursionError
    size_t stack = 6 << 20;  // bytes of the thread's stack for calls, then RecursionError
  };
  class Run;
  explicit Interpreter(Options options);
  ~Interpreter();

  Names& names() { return names_; }
  // Runs a program of these names; the program must outlive the interpreter's values. Throws Raised with the
  // program's exception, whose traceback() tells where it was raised.
  void run(const Program& program);
  // Runs one statement of its body, for stepping.
  void run(const Program& program, const Statement& statement);
  // Evaluates an expression parsed with names(), in a frame or at the top.
  Value evaluate(const Expr& x, Frame* frame = nullptr);
  // Evaluates a program that is one expression.
  Value evaluate(const Program& program);
  Value* global(std::string_view name);  // null: not bound
  Value* global(size_t id);              // the same, by its place in names()
  // Binds a name, or unbinds it if the value is absent. Returns the previous value.
  Value set_global(std::string_view name, Value value);
  // Sets the watcher (null: none) and returns the previous one.
  Watcher* watch(Watcher* watcher) { return std::exchange(options_.watcher, watcher); }

  // ---- Python's operations, for builtins
  Value call(const Value& f, const Arguments& arguments);
  Value call_method(const Value& f, const Value& self, const Arguments& others);  // f(self, …)
  Value attribute(const Value& x, std::string_view name);                         // AttributeError
  bool find_attribute(const Value& x, std::string_view name, Value& into);
  void set_plain_attribute(const Value& x, std::string_view name,
                           Value value);  // skips an instance's __setattr__
  void delete_attribute(const Value& x, std::string_view name);
  void set_attribute(const Value& x, std::string_view name, Value value);
  Value item(const Value& x, const Value& key);
  void set_item(const Value& x, const Value& key, Value value);
  void delete_item(const Value& x, const Value& key);
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
  std::string plain_repr(const Value& x);  // for an instance, without its own __repr__ and __str__
  std::string plain_str(const Value& x);
  Value type(const Value& x);  // its Class
  bool iterable(const Value& x);
  Value module(std::string_view name);  // the result of `import`; ModuleNotFoundError
  // Parses a module of Python's library, which is one function, and returns the function.
  Value run_library(std::string_view text);
  // An Iterator over x; TypeError "'int' object is not iterable".
  Value iterate(const Value& x);
  std::vector<Value> items(const Value& x);  // all items of the iterator
  void each(const Value& x, const std::function<void(const Value&)>& f);
  void remember(Exception& x);  // sets its traceback to the current place
  // ---- limits: every loop and recursion of an operation checks them
  // Called at each call and loop iteration. Ends an interrupted run; raises MemoryError if the heap is full.
  void tick() {
    if (options_.interrupted) options_.interrupted();
    if (heap_.is_full()) heap_.check(0);
  }
  // Counts n items or characters inside one operation: Heap::count_work().
  void count_work(size_t n) { heap_.count_work(n); }
  // Counts the items and characters of a builtin's arguments.
  void count_work_on(std::span<const Value> all);
  void check_interrupt();
  // Raises RecursionError near the end of the stack, for calls without a Python frame. Deeper guards the
  // rest.
  void check_stack() {
    if (stack_taken() > options_.stack) [[unlikely]]
      too_deep("");
  }
  void print(std::string_view text) { options_.print(text); }

  Frame* frame() { return frame_; }  // of the call that runs, or the top
  // The generator of the module random: random_state() until the program seeds it.
  Generator& random() { return random_; }

  // Guards recursion on nested values: raises RecursionError beyond the depth or near the end of the stack.
  class Deeper {
   public:
    explicit Deeper(Interpreter& in, const char* doing = "") : in_(in) { in.enter_depth(doing); }
    ~Deeper() { --in_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Interpreter& in_;
  };

 private:
  friend class Run;
  class MeteringWalkHook;
  void prepare(const Program& program);
  size_t stack_taken() const;
  void enter_depth(const char* doing) {
    if (depth_ >= options_.depth || stack_taken() > options_.stack) [[unlikely]]
      too_deep(doing);
    ++depth_;
  }
  [[noreturn]] void too_deep(const char* doing);
  // The number of slots that a call of f takes.
  static size_t room_of(const Function& f) {
    return static_cast<size_t>(f.code->slots + f.code->own_cells) + f.captured.size();
  }
  Value enter(const Function& f, Slots& room);  // runs its body; its parameters are in the room's first slots
  static Value make_generator(const Frame& call);  // takes the call's slots and cells
  Value call_function(const Function& f, const Arguments& arguments);
  Value instantiate(const Value& type, const Arguments& arguments);
  // Returns the program's __init__ of a class whose instances `object` constructs; null if there is none, or
  // something else constructs them.
  const Function* plain_init(const Class& c);
  Value initialized(Value made, const Function& init, Slots& room);
  const Value& find_global(int id);
  Value& globals_at(int id);
  Value new_class(const std::string& name, const std::string& qualified_name, const Value& base);
  // Finds a method that the caller then calls with self as first argument, so that no BoundMethod is needed.
  bool find_method(const Value& self, const Expr& attribute, Value& into);
  // The attribute x.NAME of an expression that caches where it was found.
  Value attribute(const Value& x, const Expr& at);
  void set_attribute(const Value& x, const Expr& at, Value value);
  const AttributeCache& attribute_cache(const Expr& attribute, const Class& c) {
    if (attribute.cache.owner != &c || attribute.cache.epoch != heap_.epoch) [[unlikely]]
      fill_cache(attribute, c);
    return attribute.cache;
  }
  void fill_cache(const Expr& attribute, const Class& c);
  bool find_in_class(const Value& self, const Class& start, std::string_view name, Value& into);
  template <class F>
  std::string nested(const Value& x, const char* again, F items);
  template <class Items>
  std::string repr_items(const Items& all);
  std::string repr_dict(Dict& d);
  std::string repr_tuple(const Tuple& t);
  bool look_up(const Value& x, std::string_view name, Value& into);
  const Class* super_class();
  [[noreturn]] void no_name(std::string_view name, const std::string& text);  // NameError

  Options options_;
  Heap& heap_;
  Generator random_;
  std::unique_ptr<MeteringWalkHook> walk_hook_;
  Names names_;
  std::vector<Value> globals_, builtins_;  // by id
  SlotStack stack_slots_;
  std::vector<Value> top_slots_, top_cells_;
  Frame top_;
  Frame* frame_ = &top_;
  const Expr* calling_ = nullptr;  // the call that is about to enter a function
  int depth_ = 0;
  const char* stack_ = nullptr;  // where the stack began; null: nothing has run yet
  std::vector<std::pair<std::string, Value>> modules_;
  std::vector<std::unique_ptr<Program>> libraries_;
  std::vector<Value> handled_;        // exceptions whose handlers run, innermost last
  std::vector<const Object*> shown_;  // lists, dicts … whose repr is being made
};

// Binds the arguments of a call to the parameters. `defaults` has a value for each parameter, absent where
// there is none. Throws TypeError, in CPython's words, if the arguments do not fit.
std::vector<Value> bound_arguments(const Code& code, std::span<const Value> defaults,
                                   const Arguments& arguments);

// "TypeError: unsupported operand type(s) for +: 'int' and 'str'": the last line of a traceback.
std::string last_line(Interpreter& in, const Value& exception);
// The functions on the stack when it was raised, and their lines; the program's top ("<module>") is first.
std::vector<std::pair<std::string, int>> traceback(const Value& exception);

// The state of Python's random after seed(n). A program that does not seed it starts as if after seed(0), so
// that each run draws the same numbers.
Generator::State random_state(uint64_t n = 0);

// Adds a module: `import module` calls `make` once per interpreter. math, random and torch's modules are
// built in.
void provide(std::string_view module, Value (*make)(Interpreter&));

}  // namespace glassgrad::script
