#include "host.h"

#include <map>
#include <mutex>

#include "apps/script/classes.h"
#include "apps/script/torch.h"
#include "apps/torch/arguments.h"
#include "apps/torch/device_name.h"
#include "engine/print.h"

namespace glassgrad::script::rows {

void warn(const std::string& text) {
  if (warnings()) warnings()(text);
}

std::string class_text(Object o) {
  const std::string name = type_name(o);
  const bool torch = is_dtype(o) || o->as<DeviceObject>() || name == "Size";
  return torch && !o->as<Class>() ? "torch." + name : name;
}
std::string class_shown(Object o) { return "<class '" + class_text(o) + "'>"; }

// ---- sequences
int64_t length(Object o) {
  if (const Range* const r = o->as<Range>()) return r->size();
  if (const Str* const s = o->as<Str>()) return s->length;
  return size(o);
}

Owned part_of(Object o, int64_t i) {
  Heap::current().count_work(1);
  if (const Range* const r = o->as<Range>()) return Value::of(r->start + i * r->step);
  return is_text(o) ? *o : *item(o, i);  // callers refuse a text wherever one appears
}

Owned as_list(Object o) {
  check<TypeError>(!is_text(o), "new(): invalid data type 'str'");
  return is_list(o) ? *o : made_list(length(o), [&](int64_t i) { return part_of(o, i); });
}

// ---- tensors
Result wrap(Tensor x) {
  if (x) x->is_number = false;
  return tensor(std::move(x));
}

Result wrap(const std::vector<Tensor>& tensors) {
  std::vector<Value> items;
  for (const Tensor& x : tensors) items.push_back(wrap(x));
  return tuple(std::move(items));
}

// ---- numbers
bool is_int(Object o) {
  const Tensor* const x = as_tensor(o);
  return x ? x->dim() == 0 && is_integer(x->dtype()) : o->is_int();
}
bool is_float(Object o) {
  const Tensor* const x = as_tensor(o);
  return x ? x->dim() == 0 && !x->requires_grad() : is_number(o);
}

std::optional<DType> own_dtype(Object o) {
  if (o->is_float()) return default_dtype();
  if (o->is_bool()) return boolean;
  if (o->is_int()) return int64;
  if (const Tensor* const x = as_tensor(o)) return x->dtype();
  return {};
}

int64_t to_int(Object o) {
  if (const Tensor* const x = as_tensor(o)) return x->item<int64_t>();
  check<TypeError>(is_index(o), "'{}' object cannot be interpreted as an integer", type_name(o));
  return o->whole();
}

double to_float(Object o) {
  if (const Tensor* const x = as_tensor(o)) return x->item();
  check<TypeError>(is_number(o), "must be real number, not {}", type_name(o));
  return o->is_float() ? o->real() : double(o->whole());
}

bool to_bool(Object o) {
  if (const Tensor* const x = as_tensor(o)) return x->is_true();
  if (is_number(o)) return o->is_float() ? o->real() != 0 : o->boolean();
  if (is_text(o)) return !to_text(o).empty();
  return !is_none(o) && !(is_list(o) && size(o) == 0);
}

Scalar to_scalar(Object o) {
  if (o->is_bool()) return {boolean, 0, o->boolean()};
  if (o->is_int()) return {int64, 0, o->whole()};
  const Tensor* const x = as_tensor(o);
  if (x && !is_floating(x->dtype())) return {x->dtype(), 0, x->item<int64_t>()};
  return {float64, to_float(o), 0};
}

Tensor to_number(Object o) {
  const Scalar s = to_scalar(o);
  return s.dtype == float64 ? Tensor(s.real) : s.dtype == boolean ? Tensor(s.whole != 0) : Tensor(s.whole);
}

Result wrap_item(const Tensor& x) {
  if (is_floating(x.dtype())) return wrap(x.item());
  const int64_t value = x.item<int64_t>();
  return x.dtype() == boolean ? wrap(value != 0) : wrap(value);
}

// ---- tuples
namespace {

std::vector<Value> ints(const Dims& values) {
  std::vector<Value> items;
  for (const int64_t n : values) items.push_back(Value::of(n));
  return items;
}

}  // namespace

Result wrap_size(const Dims& shape) { return tuple(ints(shape), &kSize); }
Result wrap_tuple(const Dims& values) { return tuple(ints(values)); }

Result wrap(const NamedTuple& x) {
  struct Known {
    std::string name;
    Tuple::Type type;
  };
  static auto* const types = new std::map<std::string, Known>;
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  const auto [at, fresh] = types->try_emplace(x.written ? std::string(x.name) + "_out" : x.name);
  Known& known = at->second;
  if (fresh) {
    known.name = "torch.return_types." + at->first;
    known.type = {known.name.c_str(), {"values", "indices"}};
  }
  return tuple({wrap(x.values), wrap(x.indices)}, &known.type);
}

// ---- dtypes, devices, generators
namespace {

// The classes float, int and bool count as dtypes too.
std::optional<DType> dtype_of(Object o) {
  if (const DTypeObject* const t = o->as<DTypeObject>()) return t->dtype;
  const Class* const c = o->as<Class>();
  if (!c || c->module != "builtins") return {};
  if (c->name == "float") return float64;
  if (c->name == "int") return int64;
  if (c->name == "bool") return boolean;
  return {};
}

}  // namespace

bool is_dtype(Object o) { return bool(dtype_of(o)); }
DType to_dtype(Object o) {
  const std::optional<DType> t = dtype_of(o);
  check<TypeError>(bool(t), "expected torch.dtype, but got {}", type_name(o));
  return *t;
}
Result wrap(DType t) { return make<DTypeObject>(t); }
DType& default_dtype() { return unnamed_float; }

bool is_device(Object o) { return is_text(o) || o->is_int() || o->as<script::DeviceObject>(); }
Device to_device(Object o) {
  if (is_none(o)) return default_device;
  check<TypeError>(is_device(o), "expected torch.device, but got {}", type_name(o));
  if (const DeviceObject* const d = o->as<DeviceObject>()) return d->device;
  return device_named(is_text(o) ? parsed_device(to_text(o)) : DeviceName{"cuda", o->whole()});
}
Result wrap(Device d) { return make<DeviceObject>(d); }

Generator& to_generator(Object o) {
  if (!o || is_none(o)) return default_generator();
  check<TypeError>(is_generator(o), "expected a 'Generator' object but got {}", type_name(o));
  return *o->as<GeneratorObject>()->generator;
}

}  // namespace glassgrad::script::rows
