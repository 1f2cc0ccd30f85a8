// The basis of torch.nn's Python classes: the layers of the table, clipping, and the scopes of module calls
// in a trace.
#include <pybind11/stl.h>

#include "apps/python/host/host.h"
#include "apps/python/host/passes.h"
#include "apps/torch/layer.h"
#include "bind.h"
#include "engine/trace.h"
#include "nn/init.h"
#include "nn/optim.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

// A context manager: the ops inside of the `with` block are part of `name`.
class NamedScope {
 public:
  explicit NamedScope(std::string name) : name_(std::move(name)) {}
  void enter() { scope_.emplace(name_.c_str()); }
  void exit(const py::args&) { scope_.reset(); }

 private:
  std::string name_;
  std::optional<Scope> scope_;
};

// Returns (name, home, constructor, attributes, buffers, function, inputs, settings, shown) of each row.
// tools/make_layers.py makes classes of them.
py::list layer_rows() {
  py::list rows;
  for (const Layer& layer : layers()) {
    py::list attributes, buffers;
    for (const Parameter& p : layer.constructor.parameters())
      if (p.kind != Kind::Anything) (p.kind == Kind::Tensor ? buffers : attributes).append(p.name);
    rows.append(py::make_tuple(layer.constructor.name(), layer.home, layer.constructor.stub(false),
                               attributes, buffers, layer.function, layer.inputs, layer.settings,
                               layer.shown));
  }
  return rows;
}

}  // namespace

void bind_nn(py::module_& parent) {
  py::module_ m = parent.def_submodule("_nn", "What the classes of glassgrad.nn stand on");
  m.def("calculate_gain", nn::init::calculate_gain);
  m.attr("layers") = layer_rows();
  m.def("clip_grad_norm_", nn::optim::clip_grad_norm_);

  m.def("watching", [] { return watching != nullptr; });
  m.def("is_under_glass", [] { return backward_pass_watcher != nullptr; });
  m.def("scope", [](const std::string& name, bool enter) {
    tell([&](Observer& o) { o.module_scope(name.c_str(), enter); });
  });
  m.def("named", [](const Tensor& x, const std::string& name) { named(x, name.c_str()); });
  py::class_<NamedScope>(m, "Scope")
      .def(py::init<std::string>())
      .def("__enter__", &NamedScope::enter)
      .def("__exit__", &NamedScope::exit);
}

}  // namespace glassgrad::python
