// Tensor's properties.
#include "apps/torch/table.h"
#include "engine/autograd.h"
#include "engine/graph.h"
#include "node.h"
#include "tensor_type.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

using T = const Tensor&;

PyObject* get_shape(PyObject* self, void*) {
  return guarded([&] { return wrap_size(tensor_of(self).shape()); });
}

// ---- other orders of the dimensions
Tensor reversed(const Tensor& x) {
  if (x.dim() != 2 &&
      PyErr_WarnEx(
          PyExc_UserWarning,
          x.dim() == 0
              ? "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases."
              : "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it "
                "will throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
                "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
          1) < 0)
    throw py::error_already_set();
  return x.T();
}
Tensor mt_of(const Tensor& x) {
  return matrices_transposed(
      x, "Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases.",
      "tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.");
}
Tensor mh_of(const Tensor& x) {
  return matrices_transposed(
      x, "Tensor.mH is deprecated on 0-D tensors. Consider using x.conj().",
      "tensor.mH is only supported on matrices or batches of matrices. Got 1-D tensor.");
}
Tensor h_of(const Tensor& x) {
  check(x.dim() == 0 || x.dim() == 2,
        "tensor.H is only supported on matrices (2-D tensors). Got {}-D tensor.{}", x.dim(),
        x.dim() > 2 ? " For batches of matrices, consider using tensor.mH" : "");
  return matrices_transposed(x, "Tensor.H is deprecated on 0-D tensors. Consider using x.conj().", "");
}

// ---- the graph
PyObject* get_grad_fn(PyObject* self, void*) {
  return guarded([&] {
    const Tensor& x = tensor_of(self);
    return wrap(needs_grad(x) ? grad_fn(x) : Ref<Node>());
  });
}
int set_grad(PyObject* self, PyObject* value, void*) {
  return guarded([&] {
    const Tensor* g = value ? as_tensor(value) : nullptr;
    check<TypeError>(g || !value || value == Py_None,
                     "assigned grad expected to be a Tensor or None but got grad of type {}",
                     value ? type_name(value) : "");
    tensor_of(self).set_grad(g ? *g : Tensor());
    return 0;
  });
}
int set_requires_grad(PyObject* self, PyObject* value, void*) {
  return guarded([&] {
    check(value && PyBool_Check(value), "requires_grad must be a bool");
    const Tensor& x = tensor_of(self);
    const bool on = value == Py_True;
    check(
        x.is_leaf() || on == x.requires_grad(),
        "you can only change requires_grad flags of leaf variables.{}",
        on ? ""
           : " If you want to use a computed variable in a subgraph that doesn't require differentiation use "
             "var_no_grad = var.detach().");
    check(!on || is_floating(x.dtype()),
          "only Tensors of floating point and complex dtype can require gradients");
    if (x.is_leaf()) x.requires_grad_(on);
    return 0;
  });
}

int assign_data(PyObject* self, PyObject* value, void*) {
  return guarded([&] {
    const Tensor* y = value ? as_tensor(value) : nullptr;
    check<TypeError>(y, "Variable data has to be a tensor, but got {}",
                     value ? Py_TYPE(value)->tp_name : "nothing");
    set_data(tensor_of(self), *y);
    return 0;
  });
}

PyObject* get_none(PyObject*, void*) { Py_RETURN_NONE; }

int refuse_write(PyObject*, PyObject*, void* name) {
  PyErr_Format(PyExc_AttributeError, "attribute '%s' of 'torch._C.TensorBase' objects is not writable",
               static_cast<const char*>(name));
  return -1;
}

PyGetSetDef property(const char* name, PyObject* (*get)(PyObject*, void*), const char* help,
                     int (*set)(PyObject*, PyObject*, void*) = refuse_write) {
  return {name, get, set, help, const_cast<char*>(name)};
}

}  // namespace

std::span<PyGetSetDef> tensor_properties() {
  static PyGetSetDef properties[] = {
      property("shape", get_shape, "The sizes of its dimensions, a torch.Size"),
      property("dtype", getter<[](T x) { return x.dtype(); }>, "The type of its elements"),
      property("device", getter<[](T x) { return x.device(); }>,
               "Where it lies: cpu, or a GPU such as cuda:0"),
      property("ndim", getter<[](T x) { return x.dim(); }>, "How many dimensions it has"),
      property("itemsize", getter<[](T x) { return item_size(x.dtype()); }>, "Bytes of one element"),
      property("nbytes", getter<[](T x) { return item_size(x.dtype()) * x.numel(); }>,
               "Bytes of all elements"),
      property("T", getter<[](T x) { return reversed(x); }>,
               "A view with the dimensions reversed: (a, b) → (b, a)"),
      property("mT", getter<[](T x) { return mt_of(x); }>,
               "A view with the last two dimensions exchanged: (…, a, b) → (…, b, a)"),
      property("H", getter<[](T x) { return h_of(x); }>, "Of a real matrix the same as mT"),
      property("mH", getter<[](T x) { return mh_of(x); }>, "Of real matrices the same as mT"),
      property("grad", getter<[](T x) { return x.grad(); }>,
               "d(result)/d(this), which backward() adds to; None before the first", set_grad),
      property("grad_fn", get_grad_fn, "The node of the graph that made it; None for a leaf"),
      property("requires_grad", getter<[](T x) { return x.requires_grad(); }>,
               "Does backward() look for its gradient?", set_requires_grad),
      property("is_leaf", getter<[](T x) { return x.is_leaf(); }>,
               "Was it made by no function that is recorded?"),
      property("retains_grad", getter<[](T x) { return x->retains_grad; }>,
               "Does it keep its gradient though it is no leaf?"),
      property("data", getter<[](T x) { return x.data(); }>, "The same numbers outside the graph",
               assign_data),
      property("output_nr", getter<[](T x) { return int64_t(x->nr); }>, "Which output of grad_fn it is"),
      property("_version", getter<[](T x) { return int64_t(x.version()); }>,
               "How often it was written in place"),
      property("_base", getter<[](T x) { return Tensor(x->base); }>, "The tensor it is a view of, or None"),
      property("name", get_none, "None: tensors have no names"),
      property("real", getter<[](T x) { return x; }>, "Itself: all dtypes are real"),
      property("is_cuda", getter<[](T x) { return x.device().type == DeviceType::CUDA; }>,
               "Does it lie on a GPU?"),
      property("is_mps", getter<[](T) { return false; }>, "False"),
      property("is_sparse", getter<[](T) { return false; }>, "False"),
      property("__dict__", get_attributes, nullptr, set_attributes),
      property("is_quantized", getter<[](T) { return false; }>, "False"),
      {}};
  return properties;
}

}  // namespace glassgrad::python
