// Files of named tensors.
#include <pybind11/stl.h>

#include "apps/python/host/host.h"
#include "bind.h"
#include "engine/io/crc32.h"
#include "engine/io/file.h"
#include "engine/io/safetensors.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

// A file open for writing, as Python's zipfile needs it. The end of a `with` block leaves the whole file, or
// none after an error.
class Output {
 public:
  explicit Output(const std::string& path) : file_(std::in_place, path) {}

  size_t write(const py::buffer& bytes) {
    const py::buffer_info info = bytes.request();
    const size_t size = size_t(info.size * info.itemsize);
    const py::gil_scoped_release unlocked;
    file_->write(info.ptr, size);
    return size;
  }
  void exit(const py::object& error, const py::object&, const py::object&) {
    if (error.is_none()) file_->commit();
    file_.reset();
  }

 private:
  std::optional<OutputFile> file_;
};

// The elements of a tensor as bytes, which Python's files write and fill without a copy.
struct Memory {
  Tensor dense;

  py::buffer_info bytes() const {
    return {static_cast<uint8_t*>(dense.raw().data), py::ssize_t(dense.numel() * item_size(dense.dtype()))};
  }
};

}  // namespace

void bind_files(py::module_& parent) {
  py::module_ m = parent.def_submodule("_files", "Files of named tensors");
  using Named = std::vector<std::pair<std::string, Tensor>>;
  using Metadata = std::map<std::string, std::string>;
  py::class_<Output>(m, "Output")
      .def(py::init<std::string>())
      .def("write", &Output::write)
      .def("flush", [](const Output&) {})
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", &Output::exit);
  py::class_<Memory>(m, "Memory", py::buffer_protocol())
      .def(py::init([](const Tensor& x) { return Memory{on_host(x.detach().contiguous())}; }),
           py::arg("x").none(false))
      .def_buffer([](const Memory& memory) { return memory.bytes(); });
  m.def("crc32", [](const py::buffer& bytes) {
    const py::buffer_info info = bytes.request();
    const py::gil_scoped_release unlocked;
    Crc32 sum;
    sum.add(info.ptr, size_t(info.size * info.itemsize));
    return sum.value();
  });
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
