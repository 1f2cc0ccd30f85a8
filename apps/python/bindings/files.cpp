// Files of named tensors.
#include <pybind11/stl.h>

#include "apps/python/host/host.h"
#include "bind.h"
#include "engine/io/safetensors.h"

namespace py = pybind11;

namespace glassgrad::python {

void bind_files(py::module_& parent) {
  py::module_ m = parent.def_submodule("_files", "Files of named tensors");
  using Named = std::vector<std::pair<std::string, Tensor>>;
  using Metadata = std::map<std::string, std::string>;
  m.def("save", [](const std::string& path, const Named& named, const Metadata& metadata) {
    std::vector<NamedTensor> tensors;
    for (const auto& [name, tensor] : named) tensors.push_back({name, tensor});
    const py::gil_scoped_release unlocked;
    save_safetensors(path, tensors, metadata);
  });
  m.def("load", [](const std::string& path) {
    Safetensors file = [&] {
      const py::gil_scoped_release unlocked;
      return load_safetensors(path);
    }();
    Named named;
    for (NamedTensor& t : file.tensors) named.emplace_back(std::move(t.name), std::move(t.tensor));
    return std::pair(std::move(named), std::move(file.metadata));
  });
}

}  // namespace glassgrad::python
