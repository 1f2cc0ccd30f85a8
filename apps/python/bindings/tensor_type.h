// The parts of class Tensor, each in a file of its own, that tensor.cpp puts together.
#pragma once
#include <span>

#include "slots.h"

namespace glassgrad::python {

void add_operators(std::vector<PyType_Slot>& slots);  // operators.cpp
PyObject* get_attributes(PyObject* self, void*);      // __dict__ (tensor.cpp)
int set_attributes(PyObject* self, PyObject* value, void*);
std::span<PyGetSetDef> tensor_properties();  // properties.cpp, with the empty one at the end
std::span<PyMethodDef> tensor_methods();     // methods.cpp, the same

// numpy's array and the tensor over the same memory. TypeError, ValueError (numpy.cpp)
bool is_numpy_array(PyObject* o);
DType numpy_dtype(PyObject* o);  // of an array or a scalar of numpy's
Tensor from_numpy(PyObject* array);
Tensor copy_of_numpy(PyObject* array, std::optional<DType> dtype);
PyObject* to_numpy(const Tensor& x);

}  // namespace glassgrad::python
