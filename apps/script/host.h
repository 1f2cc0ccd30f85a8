// Converts between a script's values and the engine's. The table of functions in apps/torch is compiled
// against this header for scripts.
//
// is_X returns whether a value is accepted as an X, and never raises. to_X converts it, or throws PyTorch's
// error. wrap makes a value from a result of the engine.
#pragma once
#include <optional>

#include "apps/script/value.h"
#include "engine/ops.h"

#define GG_HOST script::rows

namespace glassgrad::script::rows {

// ---- the table's names for a script's types
using Object = const Value*;  // borrowed; null where there is none
using Result = Value;
using Owned = Value;      // held until the end of the scope
using Key = std::string;  // a name
struct Items {            // values one after the other
  const Value* first = nullptr;
  Items operator+(size_t k) const { return {first + k}; }
};
template <class I>  // any integer type
inline Object item(Items items, I k) {
  return items.first + static_cast<ptrdiff_t>(k);
}
inline Object object_of(const Owned& x) { return &x; }
inline Owned as_owned(Result x) { return x; }
inline Result none() { return Value::none(); }
inline bool same_object(Object a, Object b) { return identical(*a, *b); }
inline Result as_result(Object o) { return *o; }  // the same object as a result
inline Key key_of(std::string_view name) { return Key(name); }

// A call: positional arguments, then named ones.
struct HostCall {
  Items args;
  int64_t n;
  std::span<const script::KeywordArgument> names;

  int64_t n_names() const { return int64_t(names.size()); }
  Object named(int64_t k) const { return &names[size_t(k)].value; }
  bool is_named(int64_t k, const Key& key) const { return names[size_t(k)].name == key; }
  std::string name(int64_t k) const { return std::string(names[size_t(k)].name); }
};

// ---- errors
void warn(const std::string& text);  // calls warnings() of apps/script/torch.h
inline std::string type_name(Object o) { return script::type_name(*o); }
std::string class_text(Object o);   // also "torch.Size"
std::string class_shown(Object o);  // "<class 'list'>"

// ---- None, texts, lists
inline bool is_none(Object o) { return o->is_none(); }
inline bool is_truth(Object o) { return o->is_bool(); }
inline bool is_text(Object o) { return o->as<Str>(); }
inline std::string_view to_text(Object o) { return o->as<Str>()->text; }
inline bool is_tuple(Object o) { return o->as<Tuple>(); }
inline bool is_list(Object o) { return is_tuple(o) || o->as<List>(); }  // a tuple too
// The items of a list or tuple.
inline std::span<const Value> values_of(Object o) {
  const Tuple* const t = o->as<Tuple>();
  return t ? t->items : std::span<const Value>(o->as<List>()->items);
}
inline int64_t size(Object o) { return int64_t(values_of(o).size()); }
inline Items items_of(Object o) { return {values_of(o).data()}; }
inline Object item(Object o, int64_t k) { return &values_of(o)[size_t(k)]; }

// A list of f(0) to f(n - 1).
template <class F>
Result made_list(int64_t n, F f) {
  std::vector<Value> items;
  Heap::current().check(size_t(n) * sizeof(Value));
  for (int64_t i = 0; i < n; ++i) items.push_back(f(i));
  return list(std::move(items));
}

// ---- sequences of any kind, slices
inline bool is_sequence(Object o) { return is_list(o) || is_text(o) || o->as<Range>(); }
int64_t length(Object o);
Owned part_of(Object o, int64_t i);
Owned as_list(Object o);
inline bool is_ellipsis(Object o) { return o->tag() == Tag::Ellipsis; }
inline bool is_slice(Object o) { return o->as<Slice>(); }
struct SliceParts {
  Object start, stop, step;
};
inline SliceParts parts_of(Object o) {
  const Slice* const s = o->as<Slice>();
  return {&s->start, &s->stop, &s->step};
}

// ---- tensors
inline bool is_tensor(Object o) { return o->as<TensorObject>(); }
// The tensor in a value; null if the value is not a tensor.
inline const Tensor* as_tensor(Object o) {
  TensorObject* const x = o->as<TensorObject>();
  return x ? &x->tensor : nullptr;
}
Result wrap(Tensor x);                            // None for an undefined one
Result wrap(const std::vector<Tensor>& tensors);  // a tuple

// ---- numbers: bool, int, float, and 0-d tensors (which count as a float only if they need no gradient)
bool is_int(Object o);                                                  // not a bool, as in PyTorch
inline bool is_index(Object o) { return o->is_int() || o->is_bool(); }  // what sizes accept as an int
inline bool is_number(Object o) { return o->is_int() || o->is_float() || o->is_bool(); }  // not a tensor
bool is_float(Object o);  // also an int or a bool
inline bool is_bool(Object o) { return o->is_bool(); }
inline bool is_plain_int(Object o) { return o->is_int(); }  // not a tensor
inline bool is_plain_float(Object o) { return o->is_float(); }
inline std::optional<int64_t> index_of(Object o) {
  return is_index(o) ? std::optional(o->whole()) : std::nullopt;
}
inline std::optional<int64_t> bound_of(Object o) { return index_of(o); }  // a bound of a slice
std::optional<DType> own_dtype(Object o);  // a number's or a tensor's; nothing for others
int64_t to_int(Object o);                  // TypeError for a float
double to_float(Object o);                 // also for a tensor with one element
bool to_bool(Object o);
Scalar to_scalar(Object o);         // bool, int64 or float64
Tensor to_number(Object o);         // the same, as the engine's operand for a number
Result wrap_item(const Tensor& x);  // x.item()
inline Result wrap(bool x) { return Value::of(x); }
inline Result wrap(int64_t x) { return Value::of(x); }
inline Result wrap(double x) { return Value::of(x); }
inline Result wrap(const std::string& x) { return str(x); }
inline Result wrap(Result x) { return x; }

// ---- arrays: a script has none
inline Tensor copied_array(Object, std::optional<DType>) { return {}; }
inline Tensor over_array(Object) { return {}; }

// ---- sizes, dtypes, devices, generators
Result wrap_size(const Dims& shape);    // torch.Size([2, 3])
Result wrap_tuple(const Dims& values);  // (3, 1)
bool is_dtype(Object o);                // torch.float32; also the classes float, int and bool
DType to_dtype(Object o);               // throws TypeError
Result wrap(DType t);
DType& default_dtype();      // the dtype of a float: float32, until set_default_dtype
bool is_device(Object o);    // torch.device, or a string or an int
Device to_device(Object o);  // None: the default one
Result wrap(Device d);
inline bool is_generator(Object o) { return o->as<GeneratorObject>(); }
Generator& to_generator(Object o);  // the default one for None

}  // namespace glassgrad::script::rows
