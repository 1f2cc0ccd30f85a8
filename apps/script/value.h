// Values of a script: Python's None, bool, int (64 bit), float, str, list … and tensors.
//
// A Value has 16 bytes: it holds small values itself; others are reference-counted objects on the heap of
// their run. Objects in reference cycles live until the heap is destroyed.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "apps/script/heap.h"
#include "engine/random.h"
#include "engine/tensor.h"

namespace glassgrad::script {

struct Class;
struct Code;
class Interpreter;

// Copies in line make the program faster. A page carries its code, which should be small.
#ifdef __wasm__
#define GG_IN_LINE
#else
#define GG_IN_LINE [[gnu::always_inline]]
#endif

enum class Tag : uint8_t { Absent, None, NotImplemented, Ellipsis, Bool, Int, Float, Object };

class Value {
 public:
  Value() = default;  // absent: an argument left out, a name not bound
  GG_IN_LINE Value(const Value& x) : tag_(x.tag_), as_(x.as_) { hold(); }
  GG_IN_LINE Value(Value&& x) noexcept : tag_(std::exchange(x.tag_, Tag::Absent)), as_(x.as_) {}
  GG_IN_LINE Value& operator=(const Value& x) noexcept {
    x.hold();
    return put(x.tag_, x.as_);
  }
  GG_IN_LINE Value& operator=(Value&& x) noexcept { return put(std::exchange(x.tag_, Tag::Absent), x.as_); }
  GG_IN_LINE ~Value() { drop(); }
  static Value none() { return Value(Tag::None); }
  static Value not_implemented() { return Value(Tag::NotImplemented); }
  static Value ellipsis() { return Value(Tag::Ellipsis); }
  static Value of(bool x) { return Value(Tag::Bool, {.whole = x}); }
  static Value of(int64_t x) { return Value(Tag::Int, {.whole = x}); }
  static Value of(double x) { return Value(Tag::Float, {.real = x}); }
  Value(Object* x);  // adds a reference

  // True if there is a value; not Python's truth value.
  explicit operator bool() const { return tag_ != Tag::Absent; }
  Tag tag() const { return tag_; }
  bool is_none() const { return tag_ == Tag::None; }
  bool is_bool() const { return tag_ == Tag::Bool; }
  bool is_int() const { return tag_ == Tag::Int; }  // not a bool
  bool is_float() const { return tag_ == Tag::Float; }
  bool boolean() const { return as_.whole != 0; }
  int64_t whole() const { return as_.whole; }  // of a bool or int
  double real() const { return as_.real; }
  Object* object() const { return tag_ == Tag::Object ? as_.object : nullptr; }
  // The object, if it is of this kind; else null.
  template <class T>
  [[gnu::always_inline]] T* as() const;

 private:
  union Content {
    int64_t whole;
    double real;
    Object* object;
  };
  explicit Value(Tag tag, Content content = {.whole = 0}) : tag_(tag), as_(content) {}
  [[gnu::always_inline]] inline void hold() const;
  [[gnu::always_inline]] inline void drop() noexcept;
  // Takes over a reference. The old value is dropped last: it may keep alive what gave the new one.
  [[gnu::always_inline]] Value& put(Tag tag, Content as) noexcept {
    const Value old(tag_, as_);
    tag_ = tag;
    as_ = as;
    return *this;
  }

  Tag tag_ = Tag::Absent;
  Content as_ = {.whole = 0};
};
static_assert(sizeof(Value) == 16);

// A new object of the current heap.
template <class T, class... A>
T* make(A&&... arguments) {
  return new T(std::forward<A>(arguments)...);
}

struct Str : Object {
  static constexpr Kind kKind = Kind::Str;
  explicit Str(std::string text);
  ~Str() override;
  bool ascii() const { return length == static_cast<int64_t>(text.size()); }
  const std::string text;  // UTF-8
  const int64_t length;    // in code points
  const size_t hash;
};
struct List : Object {
  static constexpr Kind kKind = Kind::List;
  explicit List(std::vector<Value> items);
  ~List() override;
  void clear() override { items.clear(); }
  void charge() {  // call after growth: charges the heap for the new size; MemoryError
    if (items.capacity() * sizeof(Value) != charged_) charge_anew();
  }
  std::vector<Value> items;

 private:
  void charge_anew();
  size_t charged_ = 0;
};
// A tuple: its items follow it in the same memory block.
struct Tuple final : Object {
  static constexpr Kind kKind = Kind::Tuple;
  // torch.Size, or torch.return_types.NAME, whose items have names; plain tuples have no Type.
  struct Type {
    const char* name;
    std::vector<const char*> fields;
  };
  // A tuple of these items, which are moved from.
  static Tuple* of(std::span<Value> items, const Type* type = nullptr);
  ~Tuple() override;
  void clear() override;
  // May be called only by the code that made the tuple, before anything else refers to it.
  void replace(size_t k, Value x) { first()[k] = std::move(x); }
  static void operator delete(Tuple* x, std::destroying_delete_t);
  // Sees the values behind the tuple, of which it is the last member.
  class alignas(Value) Items {
   public:
    using value_type = Value;
    explicit Items(size_t n) : size_(n) {}
    Items(const Items&) = delete;
    Items& operator=(const Items&) = delete;
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const Value* data() const { return reinterpret_cast<const Value*>(this + 1); }
    const Value* begin() const { return data(); }
    const Value* end() const { return data() + size_; }
    const Value& operator[](size_t k) const { return data()[k]; }

   private:
    const size_t size_;
  };
  const Type* const type;
  const Items items;

 private:
  Tuple(std::span<Value> items, const Type* of);
  Value* first() { return reinterpret_cast<Value*>(this + 1); }
};
extern const Tuple::Type kSize;

// A hash table in the order of insertion. Keys are hashed and compared as in Python.
struct Dict : Object {
  static constexpr Kind kKind = Kind::Dict;
  struct Entry {
    Value key, value;  // key absent: erased
    size_t hash;
  };
  explicit Dict(Kind of = Kind::Dict) : Object(of) {}
  ~Dict() override;
  void clear() override;
  Value* find(const Value& key);
  Value* find(std::string_view key);
  void set(const Value& key, Value value);
  void set(std::string_view key, Value value);
  bool erase(const Value& key);
  bool erase(std::string_view key);  // charges nothing, throws nothing
  size_t size() const { return live; }
  // Calls f(key, value) in order. Entries that f adds are not visited.
  void each(const std::function<void(const Value&, Value&)>& f);

  std::vector<Entry> entries;
  size_t live = 0;
  bool of_names = false;  // of a class or module: adding or erasing a name advances the heap's epoch

 private:
  void renamed() {
    if (of_names) ++heap().epoch;
  }
  int64_t place(const Value& key, size_t hash);  // the index in entries; -1: not there
  int64_t place(std::string_view key) const;
  bool erase_at(int64_t place);
  void add(Value key, Value value, size_t hash);
  void rebuild();
  std::vector<int32_t> index_;  // by hash: an index in entries, -1: free; empty while there are few entries
  size_t charged_ = 0;
};
// A dict whose keys are the members; the values are None.
struct Set : Dict {
  static constexpr Kind kKind = Kind::Set;
  Set() : Dict(Kind::Set) {}
  void add(const Value& x) { set(x, Value::none()); }
};
// The result of dict.keys(), values() and items().
struct DictView : Object {
  static constexpr Kind kKind = Kind::DictView;
  enum Of : uint8_t { Keys, Values, Items };
  DictView(Value of_dict, Of what) : Object(Kind::DictView), dict(std::move(of_dict)), of(what) {}
  void clear() override { dict = Value(); }
  Value dict;
  Of of;
};
struct Slice : Object {
  static constexpr Kind kKind = Kind::Slice;
  Slice(Value from, Value to, Value by)
      : Object(Kind::Slice), start(std::move(from)), stop(std::move(to)), step(std::move(by)) {}
  void clear() override { start = stop = step = Value(); }
  Value start, stop, step;  // None where left out
};
struct Range : Object {
  static constexpr Kind kKind = Kind::Range;
  Range(int64_t from, int64_t to, int64_t by) : Object(Kind::Range), start(from), stop(to), step(by) {}
  int64_t size() const;
  int64_t start, stop, step;
};
// zip(), enumerate(), map(), iter(…): returns one value after the other.
struct Iterator : Object {
  static constexpr Kind kKind = Kind::Iterator;
  explicit Iterator(const char* name) : Object(Kind::Iterator), type_name(name) {}
  virtual bool next(Interpreter& in, Value& into) = 0;  // false: there is none left
  virtual void close(Interpreter&) {}                   // Python's close() of a generator
  virtual std::string shown() const { return std::string(type_name) + " object"; }  // in its repr
  const char* type_name;                                                            // "zip"
};
struct Cell : Object {
  static constexpr Kind kKind = Kind::Cell;
  Cell() : Object(Kind::Cell) {}
  void clear() override { value = Value(); }
  Value value;
};

// The arguments of a call: borrowed.
struct KeywordArgument {
  std::string_view name;
  Value value;
};
struct Arguments {
  std::span<const Value> positional;
  std::span<const KeywordArgument> named = {};
};

struct Function : Object {
  static constexpr Kind kKind = Kind::Function;
  explicit Function(const Code* code);
  void clear() override;
  const Code* code;             // owned by the program, which outlives its values
  bool simple;                  // all parameters are plain, and none lives in a cell
  std::vector<Value> defaults;  // one for each parameter, absent where there is none
  std::vector<Value> captured;  // Cells
  Value wrapped;                // the function whose name it has, by functools.wraps; absent: none
};
struct Builtin : Object {
  static constexpr Kind kKind = Kind::Builtin;
  using Body = std::function<Value(Interpreter&, const Arguments&)>;
  Builtin(std::string its_name, Body body)
      : Object(Kind::Builtin), name(std::move(its_name)), call(std::move(body)) {}
  void clear() override { call = nullptr; }
  std::string name;  // "len"
  Body call;
  // A shortcut for calls with `least` to `most` positional arguments: self first if `of_type`, then the
  // arguments, then absent values up to `parameters`. Null: there is none.
  Value (*direct)(Interpreter&, std::span<const Value>) = nullptr;
  size_t least = 0, most = 0, parameters = 0;
  bool of_type = false;
};
struct BoundMethod : Object {
  static constexpr Kind kKind = Kind::BoundMethod;
  BoundMethod(Value x, Value f) : Object(Kind::BoundMethod), self(std::move(x)), function(std::move(f)) {}
  void clear() override { self = function = Value(); }
  Value self, function;
};
// super(): attributes of the bases of `start`, for self.
struct Super : Object {
  static constexpr Kind kKind = Kind::Super;
  Super(Value from, Value x) : Object(Kind::Super), start(std::move(from)), self(std::move(x)) {}
  void clear() override { start = self = Value(); }
  Value start, self;
};

// A module that `import` binds: math, torch, torch.nn.
struct Namespace : Object {
  static constexpr Kind kKind = Kind::Namespace;
  explicit Namespace(std::string name);
  void clear() override { attributes = Value(); }
  std::string name;
  Value attributes;                             // a Dict
  Value (*lookup)(std::string_view) = nullptr;  // makes a name's value at first use
};

struct TensorObject : Object {
  static constexpr Kind kKind = Kind::Tensor;
  explicit TensorObject(Tensor tensor, bool parameter = false);
  void clear() override { tensor = Tensor(); }  // its graph may have hooks, which refer to functions
  Tensor tensor;
  bool parameter;  // a torch.nn.Parameter
};
struct DTypeObject : Object {
  static constexpr Kind kKind = Kind::DType;
  explicit DTypeObject(DType x) : Object(Kind::DType), dtype(x) {}
  DType dtype;
};
struct DeviceObject : Object {
  static constexpr Kind kKind = Kind::Device;
  explicit DeviceObject(Device x) : Object(Kind::Device), device(x) {}
  Device device;
};
struct GeneratorObject : Object {
  static constexpr Kind kKind = Kind::Generator;
  explicit GeneratorObject(std::shared_ptr<glassgrad::Generator> x)
      : Object(Kind::Generator), generator(std::move(x)) {}
  std::shared_ptr<glassgrad::Generator> generator;
};

// ---- making
Value str(std::string text);
Value list(std::vector<Value> items);
Value tuple(std::vector<Value> items, const Tuple::Type* type = nullptr);
Value tensor(Tensor x);  // None for an undefined one

// ---- exceptions: instances of classes derived from BaseException, thrown as Raised
struct Raised {
  Value exception;
};
// Throws an exception of a builtin class: raise("TypeError", "…"). With an empty text it has no arguments.
[[noreturn]] void raise(std::string_view type, const std::string& text);
template <class... A>
[[noreturn]] void raise(std::string_view type, fmt::format_string<A...> text, A&&... values) {
  raise(type, fmt::format(text, std::forward<A>(values)...));
}

// ---- functions that need no interpreter
// "int", "Tensor", "Head".
std::string type_name(const Value& x);
bool identical(const Value& a, const Value& b);  // a is b
size_t hash(const Value& x);                     // equal values have equal hashes; TypeError

inline void Value::hold() const {
  if (tag_ == Tag::Object) ++as_.object->count;
}
inline void Value::drop() noexcept {
  if (tag_ == Tag::Object && --as_.object->count == 0) release(as_.object);
}
inline Value::Value(Object* x) : tag_(Tag::Object), as_{.object = x} { ++x->count; }
template <class T>
inline T* Value::as() const {
  return tag_ == Tag::Object && as_.object->kind == T::kKind ? static_cast<T*>(as_.object) : nullptr;
}

// The tensor in a value; null if the value is not a tensor, or x is null.
inline const Tensor* tensor_of(const Value& x) {
  const auto* const t = x.as<TensorObject>();
  return t ? &t->tensor : nullptr;
}
inline const Tensor* tensor_of(const Value* x) { return x ? tensor_of(*x) : nullptr; }

}  // namespace glassgrad::script
