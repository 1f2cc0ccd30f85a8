// Binds the parts of the extension module glassgrad._C, in the order in which module.cpp calls them.
#pragma once
#include <pybind11/pybind11.h>

namespace glassgrad::python {

void bind_tensor(pybind11::module_& m);    // class Tensor, which the other parts use
void bind_types(pybind11::module_& m);     // Size, dtype, device, Generator
void bind_node(pybind11::module_& m);      // the graph's nodes
void bind_autograd(pybind11::module_& m);  // backward passes, grad mode, hooks
void bind_anomaly(pybind11::module_& m);   // the search for nan in a backward pass
void bind_state(pybind11::module_& m);     // printing, threads, default dtype; values from Python and numpy
void bind_lessons(pybind11::module_& m);
void bind_glass(pybind11::module_& m);    // glassgrad.glass(), which opens a program's own numbers
void bind_program(pybind11::module_& m);  // programs under glass
void bind_tokenizer(pybind11::module_& m);
void bind_functions(pybind11::module_& m);
void bind_nn(pybind11::module_& m);
void bind_optim(pybind11::module_& m);
void bind_files(pybind11::module_& m);
// Makes the classes of pybind11 refuse __new__ without __init__: such an object would hold no value.
void refuse_new(pybind11::module_& m);

}  // namespace glassgrad::python
