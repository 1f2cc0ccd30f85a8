// What torch.nn's Python classes stand on: the layers of the table, clipping, and the scopes of module calls
// in a trace.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "apps/python/host/host.h"
#include "apps/python/host/passes.h"
#include "apps/torch/function.h"
#include "apps/torch/layer.h"
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

// The class of a row, as nn/modules/_rows.py runs it.
std::string class_of(const Layer& layer) {
  const Signature& constructor = layer.constructor;
  const bool is_weighted = constructor.parameter_of(Kind::Tensor) >= 0;
  std::string text =
      fmt::format("class {}({}):\n    {}\n    __module__ = 'torch.nn.modules.{}'\n", constructor.name(),
                  layer.home != "loss" ? "Module"
                  : is_weighted        ? "_WeightedLoss"
                                       : "_Loss",
                  layer.help.empty() ? fmt::format("__doc__ = F.{}.__doc__", layer.function)
                                     : fmt::format("\"\"\"{}\"\"\"", layer.help),
                  layer.home);
  if (!constructor.parameters().empty())
    text += fmt::format("\n    def __init__(self, {} -> None:\n        super().__init__()\n",
                        constructor.stub(false).substr(1));
  for (const Parameter& p : constructor.parameters())
    if (p.kind == Kind::Tensor)
      text += fmt::format("        self.register_buffer('{0}', {0})\n", p.name);
    else if (p.kind != Kind::Anything)
      text += fmt::format("        self.{0} = {0}\n", p.name);
  std::string inputs, arguments, shown;
  for (const std::string& input : layer.inputs) {
    inputs += fmt::format(", {}: Tensor", input);
    arguments += (arguments.empty() ? "" : ", ") + input;
  }
  for (const auto& [name, mark] : layer.settings)
    arguments += mark ? fmt::format(", {0}=self.{0}", name) : ", self." + name;
  const bool is_in_torch = !function_at(kFunctional, layer.function) && function_at(kTorch, layer.function);
  text += fmt::format("\n    def forward(self{}) -> Tensor:\n        return {}.{}({})\n", inputs,
                      is_in_torch ? "torch" : "F", layer.function, arguments);
  for (const auto& [name, mark] : layer.shown)
    shown += fmt::format(", '{}{}'", name, mark ? std::string(1, mark) : "");
  if (!shown.empty())
    text += fmt::format("\n    def extra_repr(self) -> str:\n        return _shown(self{})\n", shown);
  return text;
}

}  // namespace

void bind_nn(py::module_& parent) {
  py::module_ m = parent.def_submodule("_nn", "What the classes of glassgrad.nn stand on");
  m.def("calculate_gain", nn::init::calculate_gain);
  std::string classes;
  for (const Layer& layer : layers()) classes += (classes.empty() ? "" : "\n\n") + class_of(layer);
  m.attr("layers") = classes;
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
