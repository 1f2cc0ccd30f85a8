// What torch.nn's Python classes stand on: initial values, clipping, and the scopes of module calls in a
// trace.
#include <pybind11/stl.h>

#include "apps/python/host/host.h"
#include "apps/python/host/passes.h"
#include "bind.h"
#include "engine/trace.h"
#include "nn/init.h"
#include "nn/optim.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

// The ops between `with` and its end are part of `name`.
class NamedScope {
 public:
  explicit NamedScope(std::string name) : name_(std::move(name)) {}
  void enter() { scope_.emplace(name_.c_str()); }
  void exit(const py::args&) { scope_.reset(); }

 private:
  std::string name_;
  std::optional<Scope> scope_;
};

nn::init::Fan fan(const std::string& mode) {
  return mode == "fan_out" ? nn::init::Fan::Out : nn::init::Fan::In;
}

// As they stand in nn/init.h; glassgrad/nn/init.py gives them PyTorch's names of arguments and defaults.
void bind_init(py::module_& m) {
  using Kaiming = Tensor (*)(const Tensor&, double, nn::init::Fan, std::string_view, Generator&);
  const auto kaiming = [&](const char* name, Kaiming fill) {
    m.def(name,
          [fill](const Tensor& x, double a, const std::string& mode, const std::string& nonlinearity,
                 const py::object& g) { return fill(x, a, fan(mode), nonlinearity, to_generator(g.ptr())); });
  };
  kaiming("kaiming_uniform_", nn::init::kaiming_uniform_);
  kaiming("kaiming_normal_", nn::init::kaiming_normal_);
  m.def("xavier_uniform_", [](const Tensor& x, double gain, const py::object& g) {
    return nn::init::xavier_uniform_(x, gain, to_generator(g.ptr()));
  });
  m.def("xavier_normal_", [](const Tensor& x, double gain, const py::object& g) {
    return nn::init::xavier_normal_(x, gain, to_generator(g.ptr()));
  });
  m.def("trunc_normal_",
        [](const Tensor& x, double mean, double std, double a, double b, const py::object& g) {
          return nn::init::trunc_normal_(x, mean, std, a, b, to_generator(g.ptr()));
        });
  m.def("eye_", nn::init::eye_);
  m.def("calculate_gain", nn::init::calculate_gain);
}

}  // namespace

void bind_nn(py::module_& parent) {
  py::module_ m = parent.def_submodule("_nn", "What the classes of glassgrad.nn stand on");
  bind_init(m);
  m.def("clip_grad_norm_", nn::optim::clip_grad_norm_);

  m.def("watching", [] { return watching != nullptr; });
  m.def("is_under_glass", [] { return pass_watcher != nullptr; });
  m.def("scope", [](const std::string& name, bool enter) {
    tell([&](Observer& o) { o.scope(name.c_str(), enter); });
  });
  m.def("named", [](const Tensor& x, const std::string& name) { named(x, name.c_str()); });
  py::class_<NamedScope>(m, "Scope")
      .def(py::init<std::string>())
      .def("__enter__", &NamedScope::enter)
      .def("__exit__", &NamedScope::exit);
}

}  // namespace glassgrad::python
