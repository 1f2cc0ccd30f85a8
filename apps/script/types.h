// The builtin classes of a heap, the builtin functions, and tools to make both.
#pragma once
#include <array>
#include <deque>

#include "apps/script/interpreter.h"
#include "apps/script/tensors.h"

namespace glassgrad::script {

// The arguments of a builtin, one for each of its parameters (absent: left out), then those of *args.
using BuiltinArgs = std::span<const Value>;

// A builtin function or method. It takes `least` to `most` positional arguments (most -1: any number, passed
// after the named ones). `names` has the names of the parameters in order, "-" for a positional-only one;
// names after the first `most` are keyword-only.
struct BuiltinDef {
  const char* name;
  int least, most;
  Value (*call)(Interpreter&, BuiltinArgs);
  const char* names = "";
};
// Binds `arguments` to row's parameters, behind `self` if given; throws TypeError in CPython's words.
// `shown`: "list.append".
std::vector<Value> match(const BuiltinDef& row, std::string_view shown, const Arguments& arguments,
                         const Value& self = {});
// Splits a list of names at its spaces.
std::vector<std::string_view> split_words(std::string_view names);
Value function(const BuiltinDef& row, const std::string& module = "");  // module: "math."
// The modules that a program can import.
Value make_math(Interpreter& in);
Value make_random(Interpreter& in);
Value make_torch(Interpreter& in);
Value make_nn(Interpreter& in);
Value make_functional(Interpreter& in);
Value make_optimizers(Interpreter& in);
// A module of Python's library that is written in Python; absent: there is none of this name.
Value make_library(Interpreter& in, std::string_view name);

struct Types {
  Types();
  Class& get(std::string_view name);  // a builtin class, which must exist
  Value* find(std::string_view name) { return static_cast<Dict*>(names.object())->find(name); }

  Value add(const char* name, const Value& base, decltype(Class::construct) construct = nullptr);

  Value names;  // a Dict: print, len, ValueError …
  Value object, type, base_exception;
  std::array<Value, 32> by_tag;  // index: tag, or 8 + kind; absent: use other()
  std::deque<std::pair<std::string, Value>>
      others;  // classes that have no name in a program: "dict_keys", "list_iterator" …
  const Value& other(const std::string& name);
};

// Class::construct for a class whose constructor is this row.
template <const BuiltinDef& row>
Value construct(Interpreter& in, const Value&, const Arguments& a) {
  return row.call(in, match(row, row.name, a));
}

// Each of these adds its classes, methods and functions.
void add_iterators(Types& types);
void add_generators(Types& types);
void add_functions(Types& types);
void add_text_methods(Types& types);
void add_container_methods(Types& types);
void add_methods(Class& type, std::span<const BuiltinDef> rows);
// Raises the StopIteration of an iterator that has ended, with what a generator has returned.
[[noreturn]] void raise_stop(const Value& iterator);

// ---- shared by builtins
// Returns whether x is a tensor, dtype, device or generator.
inline bool of_torch(const Value& x) {
  return x.object() && x.object()->kind >= Kind::Tensor && x.object()->kind <= Kind::Generator;
}
// True if x may index a sequence: an int, a bool, or a value of torch.
bool is_index(const Value& x);
// The int in an int, a bool or a tensor of one element; TypeError "'float' object cannot be interpreted as an
// integer".
int64_t index_of(const Value& x);
// The float, or index_of(x) as one; `fallback` for an argument that is left out.
double real_of(const Value& x, double fallback = 0);
// The float in a number or a tensor of one element; TypeError "must be real number, not str".
double float_of(const Value& x);
// The text of a str; TypeError "{what}, not int".
const std::string& text_of(const Value& x, const char* what);
// start, stop, step and length of a slice of something of this length.
struct SliceIndices {
  int64_t start, stop, step, length;
};
SliceIndices slice_indices(const Slice& slice, int64_t length);
// Suggests a replacement for an unsupported name of CPython; "" for all other names.
std::string_view instead_of(std::string_view name);
// Sorts in place, stably, with Python's comparisons.
void sort(Interpreter& in, std::vector<Value>& items, const Value& key, bool reverse);
// x itself if it is a dict, or a dict of an instance with keys() and x[key]; else absent.
Value as_dict(Interpreter& in, const Value& x);
// into.update(from)
void update(Interpreter& in, Dict& into, const Value& from);
bool contains(Interpreter& in, const Value& container, const Value& item);
// Finds `part` in the text, at or after `from`; npos: not found. Takes linear time, not the product of sizes.
size_t find_text(std::string_view text, std::string_view part, size_t from = 0);
// The code points at the indices: `length` of them from `start`, `step` apart.
std::string part_of(const Str& s, const SliceIndices& indices);
Value new_exception(const Value& type, std::vector<Value> arguments);
bool is_exception(const Value& x);
bool is_a(const Value& exception, std::string_view type);  // type: the name of a builtin class
[[noreturn]] void throw_new(std::string_view type, std::vector<Value> arguments);
// The names of attributes, sorted, each once.
std::vector<std::string> names_in(Interpreter& in, const Value& x);
[[noreturn]] void no_attribute(Interpreter& in, const Value& x, std::string_view name);
inline bool answered(const Value& x) { return x && x.tag() != Tag::NotImplemented; }
// Calls the special methods of two operands, one of them an instance, in Python's order: a derived class's
// reflected method comes first. A comparison asks both operands, even if they have the same class.
Value of_instances(Interpreter& in, Special method, Special reflected, const Value& a, const Value& b,
                   bool comparison = false);
Value as_set(Interpreter& in, const Value& x);  // x itself if it is one
// Returns x.NAME for an instance or a class x, given what its class has under that name: a function is bound
// to the instance, a Descriptor is evaluated, and other values stay as they are.
Value bind_method(const Value& found, const Value& self);
Value bind_to_class(const Value& found, const Value& type);
// The method that the program defines in an instance's class; null: none.
const Value* own_method(const Value& x, Special method);
// Calls own_method(x, method) with x and the others; absent: there is no such method.
Value call_own(Interpreter& in, const Value& x, Special method, BuiltinArgs others = {});
// An Iterator over the results of f, until f returns an absent value.
Value iterator(const char* type_name, std::function<Value(Interpreter&)> f);

}  // namespace glassgrad::script
