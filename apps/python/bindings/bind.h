// The parts of the extension module glassgrad._C, in the order in which module.cpp calls them.
#pragma once
#include <pybind11/pybind11.h>

namespace glassgrad::python {

void bind_tensor(pybind11::module_& m);  // class Tensor, which the others speak of
void bind_types(pybind11::module_& m);
void bind_functions(pybind11::module_& m);

}  // namespace glassgrad::python
