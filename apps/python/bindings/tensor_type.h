// The parts of class Tensor, each in its own file. tensor.cpp puts them together.
#pragma once
#include <span>

#include "slots.h"

namespace glassgrad::python {

void add_operators(std::vector<PyType_Slot>& slots);  // operators.cpp
PyObject* get_attributes(PyObject* self, void*);      // __dict__ (tensor.cpp)
int set_attributes(PyObject* self, PyObject* value, void*);
std::span<PyGetSetDef> tensor_properties();  // properties.cpp; ends with an empty entry
std::span<PyMethodDef> tensor_methods();     // methods.cpp; ends with an empty entry

// numpy's arrays and tensors that share memory (numpy.cpp). They throw TypeError, ValueError.
bool is_numpy_array(PyObject* o);
DType numpy_dtype(PyObject* o);  // of a numpy array or scalar
Tensor from_numpy(PyObject* array);
Tensor copy_of_numpy(PyObject* array, std::optional<DType> dtype);
PyObject* to_numpy(const Tensor& x);

}  // namespace glassgrad::python
