// class Tensor.
#include <pybind11/pybind11.h>

#include "bind.h"
#include "engine/print.h"
#include "engine/tensor.h"

namespace py = pybind11;

namespace glassgrad::python {

void bind_tensor(py::module_& m) {
  py::class_<Tensor> tensor(m, "Tensor");
  tensor.attr("__module__") = "torch";
  tensor.def("__repr__", [](const Tensor& x) { return repr(x); });
}

}  // namespace glassgrad::python
