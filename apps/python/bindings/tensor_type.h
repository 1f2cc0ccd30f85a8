// The parts of class Tensor, each in a file of its own, that tensor.cpp puts together.
#pragma once
#include "slots.h"

namespace glassgrad::python {

void add_operators(std::vector<PyType_Slot>& slots);  // operators.cpp
void add_indexing(std::vector<PyType_Slot>& slots);   // indexing.cpp
PyObject* get_attributes(PyObject* self, void*);      // __dict__ (tensor.cpp)
int set_attributes(PyObject* self, PyObject* value, void*);
std::span<PyGetSetDef> tensor_properties();  // properties.cpp, with the empty one at the end
std::span<PyMethodDef> tensor_methods();     // methods.cpp, the same

// A tensor of values in Python: numbers, sequences nested to any depth, tensors, numpy's arrays. Without
// dtype it is that of the values. torch.tensor (values.cpp)
struct ValuesOptions {
  std::optional<DType> dtype;
  bool indices = false;  // what is no mask is int64
};
Tensor from_python(PyObject* values, const ValuesOptions& options = {});
// numpy's array and the tensor over the same memory. TypeError, ValueError (numpy.cpp)
bool is_numpy_array(PyObject* o);
DType numpy_dtype(PyObject* o);  // of an array or a scalar of numpy's
Tensor from_numpy(PyObject* array);
Tensor copy_of_numpy(PyObject* array, std::optional<DType> dtype);
PyObject* to_numpy(const Tensor& x);

}  // namespace glassgrad::python
