// The extension module glassgrad._C: the engine under PyTorch's names. The package around it is Python.
#include "bind.h"

PYBIND11_MODULE(_C, m) {
  m.doc() = "glassgrad's engine under PyTorch's names";
  glassgrad::python::bind_tensor(m);
}
