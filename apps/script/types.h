// The builtin classes of a heap, the functions that a program finds without an import, and how both are made.
#pragma once
#include <array>
#include <deque>

#include "apps/script/interpreter.h"
#include "apps/script/tensors.h"

namespace glassgrad::script {

// The arguments of a builtin, one for each of its parameters (absent: left out), then those of *args.
using Given = std::span<const Value>;

// A builtin function or method. It takes `least` to `most` arguments by position (most -1: any number, after
// those by name); `names` are those that can be given by name, in order, "-" for one that cannot. What stands
// there after the first `most` is given by name only.
struct Row {
  const char* name;
  int least, most;
  Value (*call)(Interpreter&, Given);
  const char* names = "";
};
// The arguments of `row`, without its `self`; TypeError with CPython's text. `shown`: "list.append".
std::vector<Value> match(const Row& row, std::string_view shown, const Arguments& arguments,
                         const Value& self = {});
// The words of a list of names, which spaces part.
std::vector<std::string_view> split_words(std::string_view names);
Value function(const Row& row, const std::string& module = "");  // "math."
// The modules that a program can import.
Value make_math(Interpreter& in);
Value make_random(Interpreter& in);
Value make_torch(Interpreter& in);
Value make_nn(Interpreter& in);
Value make_functional(Interpreter& in);
Value make_optimizers(Interpreter& in);

struct Types {
  Types();
  Class& get(std::string_view name);  // of a builtin class; there is one
  Value* find(std::string_view name) { return static_cast<Dict*>(names.object())->find(name); }

  Value add(const char* name, const Value& base, decltype(Class::construct) construct = nullptr);

  Value names;  // a Dict: print, len, ValueError …
  Value object, type, base_exception;
  std::array<Value, 32> by_tag;  // by tag, or 8 + kind; absent: by name
  std::deque<std::pair<std::string, Value>>
      others;  // "zip", "dict_keys": classes without a name in a program
  const Value& other(const std::string& name);
};

// What a class whose constructor is this row has as `construct`.
template <const Row& row>
Value construct(Interpreter& in, const Value&, const Arguments& a) {
  return row.call(in, match(row, row.name, a));
}

// Each adds its own: names of classes, methods, functions.
void add_iterators(Types& types);
void add_functions(Types& types);
void add_text_methods(Types& types);
void add_container_methods(Types& types);
void add_methods(Class& type, std::span<const Row> rows);

// ---- shared by builtins
// A tensor, dtype, device or generator.
inline bool of_torch(const Value& x) {
  return x.object() && x.object()->kind >= Kind::Tensor && x.object()->kind <= Kind::Generator;
}
// An int, or what stands for one where a sequence is asked for an item.
bool is_index(const Value& x);
// An int, of an int, a bool or what a tensor holds; TypeError "'float' object cannot be interpreted as an
// integer".
int64_t index_of(const Value& x);
// The same, or a float; of an argument that is left out, the fallback.
double real_of(const Value& x, double fallback = 0);
// A float, of a number or what a tensor holds; TypeError "must be real number, not str".
double float_of(const Value& x);
// The text of a str; TypeError "{what}, not int".
const std::string& text_of(const Value& x, const char* what);
// start, stop, step and length of a slice of something of this length.
struct Cut {
  int64_t start, stop, step, length;
};
Cut cut(const Slice& slice, int64_t length);
// What to write instead of this name of CPython's; "" if it is none that is refused.
std::string_view instead_of(std::string_view name);
// Sorts in place, stably; `in` compares.
void sort(Interpreter& in, std::vector<Value>& items, const Value& key, bool reverse);
// into.update(from)
void update(Interpreter& in, Dict& into, const Value& from);
bool contains(Interpreter& in, const Value& container, const Value& item);
// Where `part` begins in the text, at or after `from`; npos: nowhere. Takes time for their sizes, not for the
// product.
size_t find_text(std::string_view text, std::string_view part, size_t from = 0);
// The code points from start on, length of them, step apart.
std::string part_of(const Str& s, const Cut& cut);
Value new_exception(const Value& type, std::vector<Value> arguments);
bool is_exception(const Value& x);
[[noreturn]] void throw_new(std::string_view type, std::vector<Value> arguments);
// The names of attributes, sorted, each once.
std::vector<std::string> names_in(Interpreter& in, const Value& x);
[[noreturn]] void no_attribute(Interpreter& in, const Value& x, std::string_view name);
inline bool answered(const Value& x) { return x && x.tag() != Tag::NotImplemented; }
// What the methods of one of two instances say, in the order in which Python asks them; a derived class's
// reflected one comes first. Of a comparison both are asked, also where they have one class.
Value of_instances(Interpreter& in, Special method, Special reflected, const Value& a, const Value& b,
                   bool comparison = false);
Value as_set(Interpreter& in, const Value& x);  // x itself if it is one
// What a function of a class becomes when it is asked for through self.
Value bound(const Value& found, const Value& self);
// The method that the program has defined for an instance's class; null: none.
const Value* own_method(const Value& x, Special method);
// Calls it with x and the others; absent: there is none.
Value call_own(Interpreter& in, const Value& x, Special method, Given others = {});
// An Iterator that gives what f gives, until it gives an absent value.
Value iterator(const char* type_name, std::function<Value(Interpreter&)> f);

}  // namespace glassgrad::script
