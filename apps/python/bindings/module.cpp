// The extension module glassgrad._C: the engine under PyTorch's names. The package around it is Python.
#include "apps/python/host/host.h"
#include "bind.h"

PYBIND11_MODULE(_C, m) {
  using namespace glassgrad::python;
  m.doc() = "glassgrad's engine under PyTorch's names";
  pybind11::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const glassgrad::Error&) {
      raise_caught();
    }
  });
  bind_tensor(m);
  bind_types(m);
  bind_node(m);
  bind_autograd(m);
  bind_anomaly(m);
  bind_state(m);
  bind_lessons(m);
  bind_glass(m);
  bind_program(m);
  bind_tokenizer(m);
  bind_functions(m);
  bind_nn(m);
  bind_optim(m);
  bind_files(m);
  refuse_new(m);
}
