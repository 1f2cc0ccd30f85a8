// torch.tensor: Python's numbers and nested sequences as a tensor.
#include "tensor_type.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

constexpr size_t kMostNested = 128;  // deeper is no data

bool is_sequence(PyObject* o) { return PySequence_Check(o); }
py::object item_of(PyObject* sequence, Py_ssize_t i) { return owned(PySequence_GetItem(sequence, i)); }
Py_ssize_t length_of(PyObject* sequence) {
  const Py_ssize_t n = PySequence_Size(sequence);
  if (n < 0) throw py::error_already_set();
  return n;
}

// The sizes along the first items.
std::vector<int64_t> sizes_of(PyObject* values) {
  std::vector<int64_t> sizes;
  for (py::object at = py::reinterpret_borrow<py::object>(values); is_sequence(at.ptr());) {
    sizes.push_back(length_of(at.ptr()));
    check<ValueError>(sizes.size() <= kMostNested, "too many dimensions '{}'", Py_TYPE(at.ptr())->tp_name);
    if (sizes.back() == 0) break;
    at = item_of(at.ptr(), 0);
  }
  return sizes;
}

// The widest dtype among all values; a float of Python's has the default one.
DType inferred(PyObject* o, size_t depth = 0) {
  check<ValueError>(depth <= kMostNested, "too many dimensions '{}'", Py_TYPE(o)->tp_name);
  if (PyFloat_CheckExact(o)) return default_dtype();
  if (PyBool_Check(o)) return boolean;
  if (PyLong_Check(o)) return int64;
  if (const Tensor* x = as_tensor(o)) return x->dtype();
  if (is_numpy_array(o) || is_numpy_scalar(o)) return numpy_dtype(o);
  if (PyFloat_Check(o)) return default_dtype();
  check<TypeError>(!PyUnicode_Check(o), "new(): invalid data type '{}'", Py_TYPE(o)->tp_name);
  check(is_sequence(o), "Could not infer dtype of {}", Py_TYPE(o)->tp_name);
  const Py_ssize_t n = length_of(o);
  DType widest = n ? boolean : default_dtype();
  for (Py_ssize_t i = 0; i < n; ++i) {
    const py::object item = item_of(o, i);
    check<TypeError>(item.ptr() != o, "new(): self-referential lists are incompatible");
    widest = std::max(widest, inferred(item.ptr(), depth + 1));
  }
  return widest;
}

// ---- one number
template <class T>
T element(PyObject* o) {
  const Tensor* x = as_tensor(o);
  check<ValueError>(!x || x->numel() == 1, "only one element tensors can be converted to Python scalars");
  if constexpr (std::is_same_v<T, bool>) {
    return to_bool(o);
  } else if constexpr (std::is_same_v<T, int64_t>) {
    if (!PyFloat_Check(o)) return to_int(o);
    const double value = PyFloat_AS_DOUBLE(o);  // is cut off, as in PyTorch
    check(value >= -0x1p63 && value < 0x1p63, "value cannot be converted to type int64 without overflow");
    return int64_t(value);
  } else {
    return T(to_float(o));
  }
}

template <class T>
class Filler {
 public:
  Filler(const Dims& shape, T* to) : shape_(shape), to_(to) {}

  void fill(PyObject* o, int dim = 0) {
    if (dim == shape_.n) {
      *to_++ = element<T>(o);
      return;
    }
    check<TypeError>(is_sequence(o), "not a sequence");
    const py::object items = owned(PySequence_Fast(o, "not a sequence"));
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(items.ptr());
    check<ValueError>(n == shape_[dim], "expected sequence of length {} at dim {} (got {})", shape_[dim], dim,
                      n);
    for (Py_ssize_t i = 0; i < n; ++i) {
      check<ValueError>(i < PySequence_Fast_GET_SIZE(items.ptr()),
                        "the sequence became shorter while it was read");
      const auto item = py::reinterpret_borrow<py::object>(PySequence_Fast_GET_ITEM(items.ptr(), i));
      fill(item.ptr(), dim + 1);
    }
  }

 private:
  const Dims& shape_;
  T* to_;
};

}  // namespace

Tensor from_python(PyObject* o, const ValuesOptions& options) {
  check<TypeError>(!PyUnicode_Check(o), "new(): invalid data type '{}'", Py_TYPE(o)->tp_name);
  const NoGrad plain;
  const auto wanted = [&](DType t) {
    return options.dtype ? *options.dtype : options.indices && t != boolean ? int64 : t;
  };
  if (const Tensor* x = as_tensor(o)) {
    const DType t = wanted(x->dtype());
    return x->dtype() == t ? clone(*x) : to(*x, t);
  }
  if (is_numpy_array(o)) return to(copy_of_numpy(o, options.dtype), default_device);
  Dims shape;
  for (const int64_t size : sizes_of(o)) shape.push(size);
  const Tensor y = empty(shape, wanted(options.dtype ? *options.dtype : inferred(o)), kCpu);
  all_types(y.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (shape.n == 0 || shape.numel() > 0) Filler<T>(shape, y.raw().as<T>()).fill(o);
  });
  return to(y, default_device);
}

}  // namespace glassgrad::python
