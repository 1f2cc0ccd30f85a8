// Turns functions of the engine into the slots of a Python type: its operators, properties and methods.
#pragma once
#include "apps/python/host/host.h"

namespace glassgrad::python {

inline const Tensor& tensor_of(PyObject* self) { return reinterpret_cast<TensorObject*>(self)->tensor; }

// ---- entries made of a lambda f(const Tensor& self) without captures
template <auto f>
PyObject* unary_slot(PyObject* self) {
  return guarded([&] { return wrap(f(tensor_of(self))); });
}
template <auto f>
PyObject* getter(PyObject* self, void*) {
  return guarded([&] { return wrap(f(tensor_of(self))); });
}
template <auto f>
PyObject* method(PyObject* self, PyObject*) {
  return guarded([&] { return wrap(f(tensor_of(self))); });
}
// f(self, args, n): positional arguments only.
template <auto f>
PyObject* method_of_arguments(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  return guarded([&] { return wrap(f(tensor_of(self), args, n)); });
}

template <class F>
PyType_Slot slot(int number, F* function) {
  return {number, reinterpret_cast<void*>(function)};
}

}  // namespace glassgrad::python
