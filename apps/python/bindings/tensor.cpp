// Puts the types Tensor and Parameter together.
#include <pybind11/pybind11.h>
#include <structmember.h>

#include "apps/torch/indexing.h"
#include "bind.h"
#include "engine/print.h"
#include "tensor_type.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

// ---- attributes: the only Python objects that a tensor holds. The garbage collector tracks a tensor from
// its first attribute on, so that it costs tensors without attributes nothing.
void follow(PyObject* self) {
  if (reinterpret_cast<TensorObject*>(self)->attributes && !PyObject_GC_IsTracked(self))
    PyObject_GC_Track(self);
}
int tensor_set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  const int failed = PyObject_GenericSetAttr(self, name, value);
  follow(self);
  return failed;
}
int tensor_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<TensorObject*>(self)->attributes);
  return 0;
}
int tensor_clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<TensorObject*>(self)->attributes);
  return 0;
}

void tensor_free(PyObject* self) {
  PyObject_GC_UnTrack(self);
  auto* o = reinterpret_cast<TensorObject*>(self);
  PyTypeObject* const type = Py_TYPE(self);
  if (o->weak_references) PyObject_ClearWeakRefs(self);
  Py_CLEAR(o->attributes);
  if (o->tensor) o->tensor->wrapper = nullptr;
  o->tensor.~Tensor();
  o->trace.~Ref();
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* without_keywords(PyObject* keywords, const char* name) {
  check<TypeError>(!keywords || PyDict_GET_SIZE(keywords) == 0, "{}() takes no keyword arguments but device",
                   name);
  return nullptr;
}

// Returns the sizes of f(2, 3), f((2, 3)), f([2, 3]), f(), if all are ints.
std::optional<Dims> sizes_of(Items items, Py_ssize_t n) {
  if (n == 1 && is_list(items[0])) {
    n = size(items[0]);
    items = items_of(items[0]);
  }
  Dims sizes;
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (!is_int(items[i])) return {};
    sizes.push(to_int(items[i]));
  }
  return sizes;
}

// torch.Tensor(2, 3), torch.Tensor([1, 2]): in the default dtype. torch.Tensor(x): x's own memory and dtype.
Tensor from_arguments(PyObject* const* args, Py_ssize_t n) {
  const DType t = default_dtype();
  if (n == 1)
    if (const Tensor* x = as_tensor(args[0])) return x->detach();
  const bool size = n != 1 || PyObject_TypeCheck(args[0], size_type) || is_int(args[0]);
  if (size)
    if (const auto shape = sizes_of(args, n)) return zeros(n ? *shape : Dims(0), t);
  check<TypeError>(n != 1 || !PyUnicode_Check(args[0]), "new(): invalid data type 'str'");
  check<TypeError>(n == 1 && (PySequence_Check(args[0]) || is_numpy_array(args[0])),
                   "new(): data must be a sequence (got {})", type_name(args[0]));
  return from_values(args[0], {.dtype = t});
}

// Makes a tensor of the class or a subclass. Tensor(x) shares x's memory, so a write to it also changes x.
PyObject* tensor_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  return guarded([&] {
    without_keywords(keywords, "Tensor");
    return wrap_as(type, from_arguments(PySequence_Fast_ITEMS(args), PyTuple_GET_SIZE(args)));
  });
}

// torch.nn.Parameter(data=None, requires_grad=True): a leaf of the graph over the same memory.
PyObject* parameter_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  return guarded([&] {
    PyObject* data = Py_None;
    int requires_grad = 1;
    static const char* names[] = {"data", "requires_grad", nullptr};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|Op:Parameter", const_cast<char**>(names), &data,
                                     &requires_grad))
      throw py::error_already_set();
    const Tensor* x = as_tensor(data);
    if (!x && data != Py_None)
      throw py::attribute_error(fmt::format("'{}' object has no attribute 'detach'", type_name(data)));
    const Tensor leaf = x ? x->detach() : empty({0}, default_dtype());
    check(!requires_grad || is_floating(leaf.dtype()),
          "Only Tensors of floating point and complex dtype can require gradients");
    leaf->is_parameter = true;
    leaf.requires_grad_(requires_grad != 0);
    return wrap_as(type, leaf);
  });
}
int any_init(PyObject*, PyObject*, PyObject*) { return 0; }

// Makes a type. `name_in_errors` leaves the module out, as PyTorch's errors do.
PyTypeObject* made(PyType_Spec& spec, const char* name_in_errors) {
  auto* type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
  type->tp_name = name_in_errors;
  return type;
}

}  // namespace

PyObject* get_attributes(PyObject* self, void*) {
  PyObject* const attributes = PyObject_GenericGetDict(self, nullptr);
  follow(self);
  return attributes;
}
int set_attributes(PyObject* self, PyObject* value, void*) {
  const int failed = PyObject_GenericSetDict(self, value, nullptr);
  follow(self);
  return failed;
}

void bind_tensor(py::module_& m) {
  static PyMemberDef members[] = {
      {"__dictoffset__", T_PYSSIZET, offsetof(TensorObject, attributes), READONLY, nullptr},
      {"__weaklistoffset__", T_PYSSIZET, offsetof(TensorObject, weak_references), READONLY, nullptr},
      {}};
  std::vector<PyType_Slot> slots = {slot(Py_tp_new, tensor_new),
                                    slot(Py_tp_init, any_init),
                                    slot(Py_tp_dealloc, tensor_free),
                                    slot(Py_tp_setattro, tensor_set_attribute),
                                    slot(Py_tp_traverse, tensor_traverse),
                                    slot(Py_tp_clear, tensor_clear),
                                    slot(Py_tp_repr, unary_slot<[](const Tensor& x) { return repr(x); }>)};
  add_operators(slots);
  slots.push_back({Py_tp_members, members});
  slots.push_back({Py_tp_getset, tensor_properties().data()});
  slots.push_back({Py_tp_methods, tensor_methods().data()});
  slots.push_back({});
  static PyType_Spec spec{"torch.Tensor", sizeof(TensorObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, nullptr};
  spec.slots = slots.data();
  tensor_type = made(spec, "Tensor");
  m.attr("Tensor") = py::handle(reinterpret_cast<PyObject*>(tensor_type));

  PyType_Slot parameter_slots[] = {{Py_tp_base, tensor_type}, slot(Py_tp_new, parameter_new), {}};
  static PyType_Spec parameter_spec{"torch.nn.parameter.Parameter", sizeof(TensorObject), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, nullptr};
  parameter_spec.slots = parameter_slots;
  parameter_type = made(parameter_spec, "Parameter");
  m.attr("Parameter") = py::handle(reinterpret_cast<PyObject*>(parameter_type));
}

}  // namespace glassgrad::python
