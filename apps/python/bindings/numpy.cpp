// numpy's arrays and tensors that share memory. Imports numpy on the first use of a function here.
#include <pybind11/numpy.h>

#include "engine/ops/promote.h"
#include "tensor_type.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

std::optional<DType> dtype_of(const py::dtype& t) {
  if (t.kind() == 'b') return boolean;
  for (const DType known : kAllDTypes) {
    const char kind = is_floating(known) ? 'f' : is_unsigned(known) ? 'u' : 'i';
    if (known != boolean && known != bfloat16 && t.kind() == kind && t.itemsize() == item_size(known))
      return known;
  }
  return {};
}
py::dtype numpy_dtype_of(DType t) {
  check<TypeError>(t != bfloat16, "Got unsupported ScalarType BFloat16");
  return py::dtype(dtype_name(t) + 6);  // without "torch."
}

DType supported(const py::dtype& t) {
  const auto known = dtype_of(t);
  if (known) return *known;
  const auto name = py::cast<std::string>(t.attr("name"));
  const bool number = std::string_view("iufc").find(t.kind()) != std::string_view::npos;
  check<TypeError>(!number, "glassgrad has no {} tensors: give it array.astype('{}')", name,
                   t.kind() == 'f' ? "float32" : "int64");
  fail<TypeError>(
      "can't convert np.ndarray of type {}. The only supported types are: float64, float32, int64, and bool.",
      py::cast<std::string>(
          py::str("{}.{}").format(t.attr("type").attr("__module__"), t.attr("type").attr("__name__"))));
}

// Releases the array that owns a tensor's memory.
void give_back(void* array) noexcept {
  if (!Py_IsInitialized()) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(static_cast<PyObject*>(array));
  PyGILState_Release(state);
}

}  // namespace

bool is_numpy_array(PyObject* o) {
  static PyObject* type = nullptr;
  return !is_tensor(o) && is_numpy(o, "ndarray", type);
}

DType numpy_dtype(PyObject* o) {
  return supported(py::reinterpret_borrow<py::object>(o).attr("dtype").cast<py::dtype>());
}

Tensor from_numpy(PyObject* o) {
  check<TypeError>(is_numpy_array(o), "expected np.ndarray (got {})", Py_TYPE(o)->tp_name);
  const auto array = py::reinterpret_borrow<py::array>(o);
  const DType t = supported(array.dtype());
  check<ValueError>(
      array.dtype().attr("isnative").cast<bool>(),
      "given numpy array has byte order different from the native byte order. Conversion between byte "
      "orders is currently not supported.");
  Dims shape, strides;
  int64_t bytes = item_size(t);
  for (py::ssize_t d = 0; d < array.ndim(); ++d) {
    const py::ssize_t size = array.shape(d), stride = array.strides(d);
    check<ValueError>(
        stride >= 0,
        "At least one stride in the given numpy array is negative, and tensors with negative strides are "
        "not currently supported. (You can probably work around this by making a copy of your array  "
        "with array.copy().) ");
    check<ValueError>(
        stride % item_size(t) == 0,
        "given numpy array strides not a multiple of the element byte size. Copy the numpy array to "
        "reallocate the memory.");
    shape.push(size);
    strides.push(stride / item_size(t));
    bytes += size > 0 ? (size - 1) * stride : 0;
  }
  if (!array.writeable() &&
      PyErr_WarnEx(
          PyExc_UserWarning,
          "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means "
          "writing to this tensor will result in undefined behavior. You may want to copy the array to protect "
          "its data or make it writable before converting it to a tensor.",
          1) < 0)
    throw py::error_already_set();
  const Tensor x = empty_strided({}, {}, t);
  x->shape = shape;
  x->strides = strides;
  // numpy's memory need not be aligned as the engine's is, but its elements must be aligned.
  void* const data = const_cast<void*>(array.data());
  check<ValueError>(reinterpret_cast<uintptr_t>(data) % uintptr_t(item_size(t)) == 0,
                    "the numpy array is not aligned: copy it first");
  x->storage = foreign_storage(data, size_t(bytes), {give_back, Py_NewRef(o)});
  return x;
}

Tensor copy_of_numpy(PyObject* o, std::optional<DType> dtype) {
  auto array = py::reinterpret_borrow<py::array>(o);
  if (dtype && !dtype_of(array.dtype())) array = array.attr("astype")(numpy_dtype_of(*dtype));
  supported(array.dtype());
  array =
      py::array::ensure(array.attr("astype")(array.dtype().attr("newbyteorder")("=")), py::array::c_style);
  const Tensor x = from_numpy(array.ptr());
  return dtype && *dtype != x.dtype() ? to(x, *dtype) : clone(x);
}

// ---- for values and operands
std::optional<DType> own_dtype(PyObject* o) {
  if (PyFloat_CheckExact(o)) return default_dtype();
  if (PyBool_Check(o)) return boolean;
  if (PyLong_Check(o)) return int64;
  if (const Tensor* x = as_tensor(o)) return x->dtype();
  if (is_numpy_array(o) || is_numpy_scalar(o)) return numpy_dtype(o);
  if (PyFloat_Check(o)) return default_dtype();
  return {};
}

Tensor copied_array(PyObject* o, std::optional<DType> dtype) {
  return is_numpy_array(o) ? copy_of_numpy(o, dtype) : Tensor();
}

Tensor over_array(PyObject* o) { return is_numpy_array(o) ? from_numpy(o) : Tensor(); }

PyObject* to_numpy(const Tensor& x) {
  check<TypeError>(
      x.device() == kCpu,
      "can't convert {} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
      "memory first.",
      to_string(x.device()));
  std::vector<py::ssize_t> shape, strides;
  for (int d = 0; d < x.shape().n; ++d) {
    shape.push_back(x.shape()[d]);
    strides.push_back(x.strides()[d] * item_size(x.dtype()));
  }
  // The array owns a tensor that shares x's storage, so the memory outlives x.
  const py::object keeper = owned(wrap(shallow_copy(x)));
  return py::array(numpy_dtype_of(x.dtype()), shape, strides, x.raw().data, keeper).release().ptr();
}

}  // namespace glassgrad::python
