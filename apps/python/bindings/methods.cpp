// Tensor's methods that tell what it is or give its numbers to Python. Those that compute are in the table of
// functions.
#include "tensor_type.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

using T = const Tensor&;

PyObject* get_size(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  return guarded([&] {
    const Py_ssize_t given = n + (names ? PyTuple_GET_SIZE(names) : 0);
    check<TypeError>(given <= 1, "size() takes at most 1 argument ({} given)", given);
    if (given == 0 || args[0] == Py_None) return wrap_size(tensor_of(self).shape());
    check<TypeError>(is_int(args[0]), "size(): argument 'dim' must be int, not {}", type_name(args[0]));
    return wrap(tensor_of(self).size(to_int(args[0])));
  });
}
PyObject* get_stride(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  return guarded([&] {
    const Tensor& x = tensor_of(self);
    const Py_ssize_t given = n + (names ? PyTuple_GET_SIZE(names) : 0);
    check<TypeError>(given <= 1, "stride() takes at most 1 argument ({} given)", given);
    if (given == 0 || args[0] == Py_None) return wrap_tuple(x.strides());
    check<TypeError>(is_int(args[0]), "stride(): argument 'dim' must be int, not {}", type_name(args[0]));
    return wrap(x.strides()[wrap_dim(to_int(args[0]), x.dim())]);
  });
}

PyObject* get_is_contiguous(PyObject* self, PyObject* const*, Py_ssize_t, PyObject*) {
  return wrap(tensor_of(self).is_contiguous());  // the only memory format there is
}

// ---- numbers for Python
template <class V>
PyObject* nested(const V* at, const Dims& shape, const Dims& strides, int dim) {
  if (dim == shape.n) {
    if constexpr (std::is_floating_point_v<V>)
      return wrap(double(*at));
    else
      return wrap(*at);
  }
  py::object list = owned(PyList_New(shape[dim]));
  for (int64_t i = 0; i < shape[dim]; ++i)
    PyList_SET_ITEM(list.ptr(), i, checked(nested(at + i * strides[dim], shape, strides, dim + 1)));
  return list.release().ptr();
}
PyObject* to_list(const Tensor& x) {
  PyObject* result = nullptr;
  const Tensor values = on_host(x);
  const View v = values.raw();
  all_types(v.dtype,
            [&](auto zero) { result = nested(v.as<const decltype(zero)>(), v.shape, v.strides, 0); });
  return result;
}

PyObject* format(PyObject* self, PyObject* spec) {
  return guarded([&] {
    const Tensor& x = tensor_of(self);
    if (x.dim() == 0 && Py_TYPE(self) == tensor_type)
      return checked(PyObject_Format(owned(wrap_item(x)).ptr(), spec));
    check<TypeError>(PyUnicode_Check(spec) && PyUnicode_GET_LENGTH(spec) == 0,
                     "unsupported format string passed to {}.__format__", Py_TYPE(self)->tp_name);
    return checked(PyObject_Str(self));
  });
}

// ---- the same object, changed
PyObject* requires_grad_(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  return guarded([&] {
    const Py_ssize_t given = n + (names ? PyTuple_GET_SIZE(names) : 0);
    check<TypeError>(given <= 1, "requires_grad_() takes at most 1 argument ({} given)", given);
    tensor_of(self).requires_grad_(given == 0 || to_bool(args[0]));
    return Py_NewRef(self);
  });
}
PyObject* detach_(PyObject* self, PyObject*) {
  return guarded([&] {
    const Tensor& x = tensor_of(self);
    check(
        !x->base,
        "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
        "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() "
        "cannot be called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
        "torch/optim/optimizer.py as a solution.");
    x->fn = {};
    x->nr = 0;
    x->requires_grad = false;
    return Py_NewRef(self);
  });
}

template <class F>
PyMethodDef entry(const char* name, F* function, int flags, const char* help) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)), flags, help};
}
constexpr int kKeywords = METH_FASTCALL | METH_KEYWORDS;

}  // namespace

std::span<PyMethodDef> tensor_methods() {
  static PyMethodDef methods[] = {
      entry("size", get_size, kKeywords,
            "size(dim=None) -> torch.Size or int\n\nThe sizes, or that of one dimension."),
      entry(
          "stride", get_stride, kKeywords,
          "stride(dim=None) -> tuple or int\n\nHow many elements lie between neighbours along each dimension, or "
          "along one."),
      entry("is_contiguous", get_is_contiguous, kKeywords,
            "is_contiguous() -> bool\n\nDo its elements lie in memory in logical order?"),
      entry("dim", method<[](T x) { return x.dim(); }>, METH_NOARGS,
            "dim() -> int\n\nThe number of dimensions."),
      entry("ndimension", method<[](T x) { return x.dim(); }>, METH_NOARGS,
            "ndimension() -> int\n\nAs dim()."),
      entry("numel", method<[](T x) { return x.numel(); }>, METH_NOARGS,
            "numel() -> int\n\nThe number of elements."),
      entry("nelement", method<[](T x) { return x.numel(); }>, METH_NOARGS,
            "nelement() -> int\n\nAs numel()."),
      entry("element_size", method<[](T x) { return item_size(x.dtype()); }>, METH_NOARGS,
            "element_size() -> int\n\nBytes of one element."),
      entry("storage_offset", method<[](T x) { return x->offset; }>, METH_NOARGS,
            "storage_offset() -> int\n\nWhere in its memory the first element lies, in elements."),
      entry("data_ptr", method<[](T x) { return int64_t(reinterpret_cast<uintptr_t>(x.raw().data)); }>,
            METH_NOARGS, "data_ptr() -> int\n\nThe address of the first element."),
      entry("is_floating_point", method<[](T x) { return is_floating(x.dtype()); }>, METH_NOARGS,
            "is_floating_point() -> bool"),
      entry("is_complex", method<[](T) { return false; }>, METH_NOARGS, "is_complex() -> bool\n\nFalse."),
      entry("is_signed", method<[](T x) { return x.dtype() != boolean; }>, METH_NOARGS,
            "is_signed() -> bool"),
      entry("is_inference", method<[](T) { return false; }>, METH_NOARGS, "is_inference() -> bool\n\nFalse."),
      entry("item", method<[](T x) { return wrap_item(x); }>, METH_NOARGS,
            "item() -> number\n\nThe value of a tensor with one element, as a number of Python's."),
      entry("tolist", method<[](T x) { return to_list(x); }>, METH_NOARGS,
            "tolist() -> list or number\n\nAll values, as nested lists."),
      entry("detach", method<[](T x) { return x.detach(); }>, METH_NOARGS,
            "detach() -> Tensor\n\nThe same numbers, which no gradient leaves."),
      entry("detach_", detach_, METH_NOARGS,
            "detach_() -> Tensor\n\nTakes it out of the graph that made it."),
      entry("requires_grad_", requires_grad_, kKeywords,
            "requires_grad_(requires_grad=True) -> Tensor\n\nFrom now on backward() looks for its gradient."),
      entry("retain_grad", method<[](T x) {
              x.retain_grad();
              return Py_NewRef(Py_None);
            }>,
            METH_NOARGS, "retain_grad() -> None\n\nKeeps .grad in backward() though it is no leaf."),
      entry("__format__", format, METH_O, nullptr),
      {}};
  return methods;
}

}  // namespace glassgrad::python
