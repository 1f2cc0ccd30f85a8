// The types Tensor and Parameter.
#include <pybind11/pybind11.h>
#include <structmember.h>

#include "bind.h"
#include "convert.h"
#include "engine/print.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

const Tensor& tensor_of(PyObject* self) { return reinterpret_cast<TensorObject*>(self)->tensor; }

void tensor_free(PyObject* self) {
  auto* o = reinterpret_cast<TensorObject*>(self);
  PyTypeObject* const type = Py_TYPE(self);
  if (o->weak_references) PyObject_ClearWeakRefs(self);
  Py_CLEAR(o->attributes);
  if (o->tensor) o->tensor->wrapper = nullptr;
  o->tensor.~Tensor();
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* tensor_repr(PyObject* self) {
  return guarded([&] {
    const std::string text = repr(tensor_of(self));
    return checked(PyUnicode_FromStringAndSize(text.data(), Py_ssize_t(text.size())));
  });
}

PyObject* get_shape(PyObject* self, void*) {
  return guarded([&] { return wrap_size(tensor_of(self).shape()); });
}
PyObject* get_dtype(PyObject* self, void*) { return wrap(tensor_of(self).dtype()); }

}  // namespace

void bind_tensor(py::module_& m) {
  static PyMemberDef members[] = {
      {"__dictoffset__", T_PYSSIZET, offsetof(TensorObject, attributes), READONLY, nullptr},
      {"__weaklistoffset__", T_PYSSIZET, offsetof(TensorObject, weak_references), READONLY, nullptr},
      {}};
  static PyGetSetDef properties[] = {
      {"shape", get_shape, nullptr, nullptr, nullptr}, {"dtype", get_dtype, nullptr, nullptr, nullptr}, {}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(tensor_free)},
                                {Py_tp_repr, reinterpret_cast<void*>(tensor_repr)},
                                {Py_tp_members, members},
                                {Py_tp_getset, properties},
                                {}};
  static PyType_Spec spec{"torch.Tensor", sizeof(TensorObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                          slots};
  tensor_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
  m.attr("Tensor") = py::handle(reinterpret_cast<PyObject*>(tensor_type));

  static PyType_Slot parameter_slots[] = {{Py_tp_base, tensor_type}, {}};
  static PyType_Spec parameter_spec{"torch.nn.parameter.Parameter", sizeof(TensorObject), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, parameter_slots};
  parameter_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&parameter_spec)));
  m.attr("Parameter") = py::handle(reinterpret_cast<PyObject*>(parameter_type));
}

}  // namespace glassgrad::python
