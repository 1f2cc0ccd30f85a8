// Converts between Python's objects and the engine's values. For Python, the table of functions in apps/torch
// is compiled against this file. Call everything here with the GIL held.
//
// is_X says whether an object may stand for an X, without raising; to_X returns the value, or throws what
// PyTorch raises; wrap returns a new reference to Python's object for a value.
#pragma once
#include <pybind11/pybind11.h>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/ops.h"

#define GG_HOST python

#if PY_VERSION_HEX < 0x030A0000  // Python 3.9
inline PyObject* Py_NewRef(PyObject* o) {
  Py_INCREF(o);
  return o;
}
#endif

namespace glassgrad::why {
class ProgramTrace;
void release(ProgramTrace*) noexcept;
}  // namespace glassgrad::why

namespace glassgrad::python {

// ---- what the table says in place of Python's types
using Object = PyObject*;        // borrowed; null for none
using Result = PyObject*;        // a new reference
using Owned = pybind11::object;  // held until the end of the scope
using Items = PyObject* const*;  // consecutive objects
using Key = PyObject*;           // an interned name
inline Object item(Items items, size_t k) { return items[k]; }
inline Object object_of(const Owned& o) { return o.ptr(); }
inline Owned as_owned(Result o) { return pybind11::reinterpret_steal<Owned>(o); }
inline Result none() { return Py_NewRef(Py_None); }
inline bool same_object(Object a, Object b) { return a == b; }
inline Result as_result(Object o) { return Py_NewRef(o); }  // the same object as a result
Key key_of(std::string_view name);

// A call as CPython passes it: positional arguments, then those named in `names` (a tuple, or null).
struct HostCall {
  Items args;
  Py_ssize_t n;
  PyObject* names;

  Py_ssize_t n_names() const { return names ? PyTuple_GET_SIZE(names) : 0; }
  Object named(Py_ssize_t k) const { return args[n + k]; }
  bool is_named(Py_ssize_t k, Key key) const {
    PyObject* const name = PyTuple_GET_ITEM(names, k);
    return name == key || PyUnicode_Compare(name, key) == 0;
  }
  std::string name(Py_ssize_t k) const;
};

// ---- errors
PyObject* linear_algebra_error();  // torch.linalg.LinAlgError, a RuntimeError
// Sets Python's exception for the C++ exception being handled: an Error's kind() and text, a Python exception
// unchanged, RuntimeError for any other.
void raise_caught() noexcept;
// Calls f(). If f throws, sets Python's exception and returns null or -1, as CPython's functions do.
template <class F>
auto guarded(F&& f) noexcept -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    raise_caught();
    if constexpr (std::is_pointer_v<decltype(f())>)
      return nullptr;
    else
      return -1;
  }
}
// Returns the object; throws Python's pending exception if it is null.
inline PyObject* checked(PyObject* o) {
  if (!o) throw pybind11::error_already_set();
  return o;
}
// Takes ownership of a new reference; throws Python's pending exception if it is null.
inline pybind11::object owned(PyObject* o) {
  return pybind11::reinterpret_steal<pybind11::object>(checked(o));
}
void warn(const std::string& text);  // a UserWarning; throws if the program turns warnings into errors
// Returns the name of an object's type as PyTorch's errors write it: "list", "numpy.ndarray", "Tensor".
const char* type_name(PyObject* o);
inline const char* class_text(PyObject* o) { return Py_TYPE(o)->tp_name; }  // "torch.Size" too
std::string class_shown(PyObject* o);                                       // "<class 'list'>"

// ---- None, texts, lists
inline bool is_none(PyObject* o) { return o == Py_None; }
inline bool is_truth(PyObject* o) { return PyBool_Check(o); }  // exactly True or False
inline bool is_text(PyObject* o) { return PyUnicode_Check(o); }
std::string_view to_text(PyObject* o);  // valid as long as the object lives
inline bool is_tuple(PyObject* o) { return PyTuple_Check(o); }
inline bool is_list(PyObject* o) { return PyTuple_Check(o) || PyList_Check(o); }  // a tuple too
// For tuples and lists:
inline Py_ssize_t size(PyObject* o) { return PySequence_Fast_GET_SIZE(o); }
inline Items items_of(PyObject* o) { return PySequence_Fast_ITEMS(o); }
inline Object item(PyObject* o, Py_ssize_t k) { return PySequence_Fast_GET_ITEM(o, k); }

// While an instance lives, the tensors that are wrapped count as parts of one result.
extern thread_local constinit int parts_of_result;  // number of parts so far; < 0: no such result
class PartsOfResult {
 public:
  PartsOfResult() : before_(std::exchange(parts_of_result, 0)) {}
  ~PartsOfResult() { parts_of_result = before_; }
  PartsOfResult(const PartsOfResult&) = delete;
  PartsOfResult& operator=(const PartsOfResult&) = delete;

 private:
  int before_;
};
// Makes a list of f(0) to f(n - 1).
template <class F>
Result made_list(int64_t n, F f) {
  const PartsOfResult parts;
  pybind11::object list = owned(PyList_New(n));
  for (int64_t i = 0; i < n; ++i) PyList_SET_ITEM(list.ptr(), i, checked(f(i)));
  return list.release().ptr();
}

// ---- sequences of any kind, slices
bool is_sequence(PyObject* o);  // false for a tensor
int64_t length(PyObject* o);
inline Owned part_of(PyObject* o, Py_ssize_t i) { return owned(PySequence_GetItem(o, i)); }
inline Owned as_list(PyObject* o) { return owned(PySequence_Fast(o, "not a sequence")); }
inline bool is_ellipsis(PyObject* o) { return o == Py_Ellipsis; }
inline bool is_slice(PyObject* o) { return PySlice_Check(o); }
struct SliceParts {
  Object start, stop, step;
};
inline SliceParts parts_of(PyObject* o) {
  const auto* s = reinterpret_cast<PySliceObject*>(o);
  return {s->start, s->stop, s->step};
}
std::optional<int64_t> bound_of(PyObject* o);  // a slice bound, clamped to Py_ssize_t; empty: no integer
std::optional<int64_t> index_of(PyObject* o);  // from __index__; empty: no integer

// ---- tensors
struct TensorObject {
  PyObject_HEAD Tensor tensor;
  PyObject* attributes;  // __dict__
  PyObject* weak_references;
  Ref<why::ProgramTrace> trace;  // the ProgramTrace that can open its numbers, kept alive as long as they are
};
// Notified of every tensor that an op of this thread gives to the program.
struct ResultWatcher {
  virtual void given(TensorObject* x) = 0;

 protected:
  ~ResultWatcher() = default;
};
extern thread_local constinit ResultWatcher* result_watcher;
extern PyTypeObject* tensor_type;
extern PyTypeObject* parameter_type;

inline bool is_tensor(PyObject* o) { return Py_TYPE(o) == tensor_type || PyObject_TypeCheck(o, tensor_type); }
// Returns the tensor in an object; null if the object is no tensor.
inline const Tensor* as_tensor(PyObject* o) {
  return is_tensor(o) ? &reinterpret_cast<TensorObject*>(o)->tensor : nullptr;
}
// Returns a new reference to the tensor's Python object: the existing one, for example after an in-place
// function, or else a new object. None for an undefined tensor.
PyObject* wrap(Tensor x);
PyObject* wrap(const std::vector<Tensor>& tensors);  // a tuple
// Makes a new object of `type`, which is Tensor or derived from it. x must have no Python object yet.
PyObject* wrap_as(PyTypeObject* type, Tensor x);

// ---- numbers
// Python's bool, int and float, numpy's scalars, and 0-d tensors (which count as a float only if they require
// no gradient).
bool is_numpy_scalar(PyObject* o);  // never imports numpy
bool is_int(PyObject* o);           // false for a bool, as in PyTorch
inline bool is_index(PyObject* o) {
  return PyIndex_Check(o) && !is_tensor(o);
}  // accepted as an int in sizes
bool is_float(PyObject* o);   // true for an int and a bool, too
bool is_number(PyObject* o);  // false for a tensor
bool is_bool(PyObject* o);
inline bool is_plain_int(PyObject* o) {  // false for a tensor
  return (PyLong_Check(o) && !PyBool_Check(o)) || (is_numpy_scalar(o) && is_int(o));
}
inline bool is_plain_float(PyObject* o) { return PyFloat_Check(o); }
int64_t to_int(PyObject* o);   // RuntimeError `Overflow when unpacking long`; TypeError for a float
double to_float(PyObject* o);  // also for a tensor with one element
bool to_bool(PyObject* o);
Scalar to_scalar(PyObject* o);         // bool, int64 or float64
Tensor to_number(PyObject* o);         // like to_scalar, as the engine's number beside tensors
PyObject* wrap_item(const Tensor& x);  // x.item()
inline PyObject* wrap(bool x) { return PyBool_FromLong(x); }
inline PyObject* wrap(int64_t x) { return PyLong_FromLongLong(x); }
inline PyObject* wrap(double x) { return PyFloat_FromDouble(x); }
inline PyObject* wrap(const std::string& x) {
  return PyUnicode_FromStringAndSize(x.data(), Py_ssize_t(x.size()));
}
inline PyObject* wrap(PyObject* x) { return x; }  // already an object; keeps it from converting to bool

// ---- numpy's arrays, which only bindings/numpy.cpp can read
std::optional<DType> own_dtype(PyObject* o);  // of a number, a tensor or an array; empty for others
Tensor copied_array(PyObject* o, std::optional<DType> dtype);  // undefined if o is no array
Tensor over_array(PyObject* o);                                // the same, sharing the array's memory
// Returns whether o is an instance of numpy's class `name`. Caches the class in `kept`. Never imports numpy.
bool is_numpy(PyObject* o, const char* name, PyObject*& kept);

// ---- sizes
extern PyTypeObject* size_type;            // torch.Size, a tuple
PyObject* wrap_size(const Dims& shape);    // torch.Size([2, 3])
PyObject* wrap_tuple(const Dims& values);  // (3, 1)

// ---- dtypes, devices, generators
bool is_dtype(PyObject* o);   // torch.float32; also Python's own float, int and bool
DType to_dtype(PyObject* o);  // TypeError
PyObject* wrap(DType t);
DType& default_dtype();       // the dtype of a Python float: float32 until set_default_dtype
bool is_device(PyObject* o);  // torch.device, or a string or an int
// None is the default device. Throws AssertionError `Torch not compiled with CUDA enabled`, RuntimeError for
// other devices that cannot hold tensors here.
Device to_device(PyObject* o);
PyObject* wrap(Device d);
bool is_generator(PyObject* o);
Generator& to_generator(PyObject* o);  // None is the default generator

}  // namespace glassgrad::python

// Functions bound by pybind11 take and return tensors and dtypes directly; an undefined tensor is None.
namespace pybind11::detail {
template <>
struct type_caster<glassgrad::Tensor> {
  PYBIND11_TYPE_CASTER(glassgrad::Tensor, const_name("Tensor"));
  bool load(handle source, bool) {
    const glassgrad::Tensor* x = glassgrad::python::as_tensor(source.ptr());
    if (x) value = *x;
    return x || source.is_none();
  }
  static handle cast(const glassgrad::Tensor& x, return_value_policy, handle) {
    return glassgrad::python::wrap(x);
  }
};
template <>
struct type_caster<glassgrad::DType> {
  PYBIND11_TYPE_CASTER(glassgrad::DType, const_name("dtype"));
  bool load(handle source, bool) {
    if (!glassgrad::python::is_dtype(source.ptr())) return false;
    value = glassgrad::python::to_dtype(source.ptr());
    return true;
  }
  static handle cast(glassgrad::DType t, return_value_policy, handle) { return glassgrad::python::wrap(t); }
};
}  // namespace pybind11::detail
