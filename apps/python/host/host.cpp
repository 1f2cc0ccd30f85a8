#include "host.h"

#include <new>
#include <stdexcept>

namespace py = pybind11;

namespace glassgrad::python {

// ---- errors
PyObject* linear_algebra_error() {
  static PyObject* const type = PyErr_NewExceptionWithDoc(
      "torch._C._LinAlgError", "A matrix that cannot be inverted.", PyExc_RuntimeError, nullptr);
  return type;
}

void raise_caught() noexcept {
  try {
    throw;
  } catch (py::error_already_set& e) {
    e.restore();
  } catch (const Error& e) {
    PyObject* kind = e.kind() == std::string_view("LinAlgError")
                         ? linear_algebra_error()
                         : PyDict_GetItemString(PyEval_GetBuiltins(), e.kind());
    PyErr_SetString(kind ? kind : PyExc_RuntimeError, e.what());
  } catch (const py::builtin_exception& e) {
    e.set_error();
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_RuntimeError, "not enough memory: the system has none left for this tensor");
  } catch (const std::length_error&) {  // its what() names internals of the standard library
    PyErr_SetString(PyExc_RuntimeError, "not enough memory: the list of results would be too long");
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

const char* type_name(PyObject* o) {
  const char* name = Py_TYPE(o)->tp_name;
  const char* const torch = "torch.";
  return std::string_view(name).starts_with(torch) ? name + std::string_view(torch).size() : name;
}

void warn(const std::string& text) {
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) < 0) throw py::error_already_set();
}

std::string class_shown(PyObject* o) { return py::str(py::type::handle_of(o)); }

// ---- sequences
int64_t length(PyObject* o) {
  const Py_ssize_t n = PySequence_Size(o);
  if (n < 0) throw py::error_already_set();
  return n;
}

std::optional<int64_t> bound_of(PyObject* o) {
  const Py_ssize_t value = PyNumber_AsSsize_t(o, nullptr);  // clamped to the range of Py_ssize_t
  if (value != -1 || !PyErr_Occurred()) return value;
  PyErr_Clear();
  return {};
}

std::optional<int64_t> index_of(PyObject* o) {
  if (const Owned whole = as_owned(PyNumber_Index(o))) return to_int(whole.ptr());
  PyErr_Clear();
  return {};
}

// ---- texts
Key key_of(std::string_view name) { return PyUnicode_InternFromString(std::string(name).c_str()); }

std::string HostCall::name(Py_ssize_t k) const {
  const char* const text = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, k));
  return text ? text : "?";
}

std::string_view to_text(PyObject* o) {
  Py_ssize_t n = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(o, &n);
  if (!text) throw py::error_already_set();
  return {text, size_t(n)};
}

// ---- tensors
thread_local constinit int parts_of_result = -1;
thread_local constinit ResultWatcher* result_watcher = nullptr;
PyTypeObject* tensor_type = nullptr;
PyTypeObject* parameter_type = nullptr;

PyObject* wrap_as(PyTypeObject* type, Tensor x) {
  x->is_number = false;
  TensorObject* o = nullptr;
  if (type == tensor_type || type == parameter_type) {  // untracked by the gc until its first attribute
    o = PyObject_GC_New(TensorObject, type);
    checked(reinterpret_cast<PyObject*>(o));
    o->attributes = o->weak_references = nullptr;
  } else {
    o = reinterpret_cast<TensorObject*>(checked(type->tp_alloc(type, 0)));
  }
  x->wrapper = o;
  new (&o->tensor) Tensor(std::move(x));
  new (&o->trace) Ref<why::ProgramTrace>;
  return reinterpret_cast<PyObject*>(o);
}

namespace {

[[gnu::cold]] PyObject* watched(PyObject* o) {
  const py::object kept = py::reinterpret_steal<py::object>(o);
  result_watcher->given(reinterpret_cast<TensorObject*>(o));
  return py::object(kept).release().ptr();
}

}  // namespace

PyObject* wrap(Tensor x) {
  if (!x) Py_RETURN_NONE;
  PyTypeObject* const type = x->is_parameter ? parameter_type : tensor_type;
  PyObject* const o =
      x->wrapper ? Py_NewRef(static_cast<PyObject*>(x->wrapper)) : wrap_as(type, std::move(x));
  return result_watcher ? watched(o) : o;
}

PyObject* wrap(const std::vector<Tensor>& tensors) {
  const PartsOfResult parts;
  py::object tuple = owned(PyTuple_New(Py_ssize_t(tensors.size())));
  for (size_t i = 0; i < tensors.size(); ++i)
    PyTuple_SET_ITEM(tuple.ptr(), Py_ssize_t(i), checked(wrap(tensors[i])));
  return tuple.release().ptr();
}

// ---- numbers
namespace {

// Returns numpy's class, or null if the program has not imported numpy. Looks it up once.
PyObject* numpy_class(const char* name, PyObject*& kept) {
  if (kept) return kept;
  PyObject* numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
  if (numpy) kept = PyObject_GetAttrString(numpy, name);
  if (!kept) PyErr_Clear();  // numpy is still being imported
  return kept;
}

}  // namespace

bool is_numpy(PyObject* o, const char* name, PyObject*& kept) {
  if (PyType_CheckExact(o) || !Py_TYPE(o)->tp_as_number) return false;
  PyObject* type = numpy_class(name, kept);
  return type && PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(type));
}

namespace {

bool is_numpy_int(PyObject* o) {
  static PyObject* type = nullptr;
  return is_numpy(o, "integer", type);
}
bool is_numpy_float(PyObject* o) {
  static PyObject* type = nullptr;
  return is_numpy(o, "floating", type);
}
bool is_numpy_bool(PyObject* o) {
  static PyObject* type = nullptr;
  return is_numpy(o, "bool_", type);
}
bool is_whole_scalar(PyObject* o) {
  const Tensor* x = as_tensor(o);
  return x && x->dim() == 0 && is_integer(x->dtype());
}

int64_t unpacked(PyObject* o) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
  check(!overflow, "Overflow when unpacking long");
  if (value == -1 && PyErr_Occurred()) throw py::error_already_set();
  return value;
}

}  // namespace

bool is_sequence(PyObject* o) { return PySequence_Check(o) && !as_tensor(o); }
bool is_numpy_scalar(PyObject* o) { return is_numpy_int(o) || is_numpy_float(o) || is_numpy_bool(o); }
bool is_bool(PyObject* o) { return PyBool_Check(o) || is_numpy_bool(o); }
bool is_int(PyObject* o) {
  return (PyLong_Check(o) && !PyBool_Check(o)) || is_whole_scalar(o) || is_numpy_int(o);
}
bool is_number(PyObject* o) { return PyFloat_Check(o) || PyLong_Check(o) || is_numpy_scalar(o); }
bool is_float(PyObject* o) {
  const Tensor* x = as_tensor(o);
  return x ? x->dim() == 0 && !x->requires_grad() : is_number(o);
}

int64_t to_int(PyObject* o) {
  if (PyLong_Check(o)) return unpacked(o);
  const Tensor* x = as_tensor(o);
  check<TypeError>(x || !PyFloat_Check(o), "'{}' object cannot be interpreted as an integer",
                   Py_TYPE(o)->tp_name);
  if (x) return x->item<int64_t>();
  return unpacked(owned(PyNumber_Index(o)).ptr());
}

double to_float(PyObject* o) {
  if (const Tensor* x = as_tensor(o)) return x->item();
  const double value = PyFloat_AsDouble(o);
  if (value == -1 && PyErr_Occurred()) throw py::error_already_set();
  return value;
}

bool to_bool(PyObject* o) {
  const int truth = PyObject_IsTrue(o);
  if (truth < 0) throw py::error_already_set();
  return truth != 0;
}

Scalar to_scalar(PyObject* o) {
  if (PyFloat_Check(o)) return {float64, PyFloat_AS_DOUBLE(o), 0};
  if (is_bool(o)) return {boolean, 0, to_bool(o)};
  if (PyLong_Check(o) || is_numpy_int(o)) return {int64, 0, to_int(o)};
  if (const Tensor* x = as_tensor(o)) {
    if (is_floating(x->dtype())) return {float64, x->item(), 0};
    return {x->dtype(), 0, x->item<int64_t>()};
  }
  return {float64, to_float(o), 0};
}

Tensor to_number(PyObject* o) {
  const Scalar s = to_scalar(o);
  return s.dtype == float64 ? Tensor(s.real) : s.dtype == boolean ? Tensor(s.whole != 0) : Tensor(s.whole);
}

PyObject* wrap_item(const Tensor& x) {
  if (is_floating(x.dtype())) return wrap(x.item());
  const int64_t value = x.item<int64_t>();
  return x.dtype() == boolean ? wrap(value != 0) : wrap(value);
}

// ---- sizes
namespace {

PyObject* fill_tuple(PyObject* tuple, const Dims& values) {
  const py::object o = owned(tuple);
  for (int i = 0; i < values.n; ++i) PyTuple_SET_ITEM(tuple, i, checked(wrap(values[i])));
  return py::object(o).release().ptr();
}

}  // namespace

PyObject* wrap_size(const Dims& shape) { return fill_tuple(size_type->tp_alloc(size_type, shape.n), shape); }
PyObject* wrap_tuple(const Dims& values) { return fill_tuple(PyTuple_New(values.n), values); }

}  // namespace glassgrad::python
