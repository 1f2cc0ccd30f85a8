// Settings of the whole process, and queries about dtypes and values.
#include <pybind11/stl.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "apps/torch/arguments.h"
#include "apps/torch/indexing.h"
#include "bind.h"
#include "engine/autocast.h"
#include "engine/core/threads.h"
#include "engine/gpus.h"
#include "engine/ops/promote.h"
#include "engine/print.h"
#include "tensor_type.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

void set_options(std::optional<int> precision, py::object threshold, std::optional<int64_t> edgeitems,
                 std::optional<int64_t> linewidth, std::optional<std::string> profile,
                 std::optional<bool> sci_mode) {
  PrintChange change;
  change.precision = precision;
  if (!threshold.is_none()) {
    const double limit = to_float(threshold.ptr());
    change.threshold = limit < 0x1p62 ? int64_t(limit) : PrintOptions::kNoThreshold;  // inf: no threshold
  }
  change.edgeitems = edgeitems;
  change.linewidth = linewidth;
  if (profile) change.profile = *profile;
  change.sci_mode = sci_mode;
  set_printoptions(change);
}
py::dict options() {
  const PrintOptions& o = print_options();
  py::dict d;
  d["precision"] = o.precision;
  d["threshold"] = o.threshold == PrintOptions::kNoThreshold
                       ? py::object(py::float_(std::numeric_limits<double>::infinity()))
                       : py::object(py::int_(o.threshold));
  d["edgeitems"] = o.edgeitems;
  d["linewidth"] = o.linewidth;
  d["sci_mode"] = o.sci_mode;
  return d;
}

// A tensor, or a number beside tensors.
Tensor operand(py::handle o) {
  if (const Tensor* x = as_tensor(o.ptr())) return *x;
  check<TypeError>(is_number(o.ptr()), "result_type(): expected Tensor or number, but got {}",
                   type_name(o.ptr()));
  return to_number(o.ptr());
}

// Returns the limits of a dtype that finfo and iinfo show.
py::dict limits(DType t) {
  py::dict d;
  d["bits"] = 8 * item_size(t);
  if (is_floating(t)) {
    d["max"] = greatest(t);
    d["min"] = -greatest(t);
    d["eps"] = epsilon(t);
    d["tiny"] = least_normal(t);
    d["resolution"] = std::pow(10, std::ceil(std::log10(epsilon(t))));
  } else {
    every_type(t, [&](auto zero) {
      using Limits = std::numeric_limits<decltype(zero)>;
      d["max"] = int64_t(Limits::max());
      d["min"] = int64_t(Limits::lowest());
    });
  }
  return d;
}

Tensor copied(py::object values, std::optional<DType> dtype) {
  return from_values(values.ptr(), {.dtype = dtype});
}

// Returns x itself if it has the dtype, else a converted copy.
Tensor typed_as(const Tensor& x, DType t) { return x.dtype() == t ? x : to(x, t); }

// Convert the elements, in logical order, to bytes and back.
py::bytes bytes_of_tensor(const Tensor& x) {
  const Tensor dense = on_host(x.detach().contiguous());
  return py::bytes(static_cast<const char*>(dense.raw().data),
                   size_t(dense.numel() * item_size(dense.dtype())));
}
Tensor from_bytes(const py::buffer& bytes, py::tuple shape, DType dtype) {
  const py::buffer_info info = bytes.request();
  const auto size = size_t(info.size * info.itemsize);
  const Tensor x = empty(to_dims(shape.ptr()), dtype, kCpu);
  check<ValueError>(size == size_t(x.numel() * item_size(dtype)), "{} bytes do not fill a tensor of {}", size,
                    x.shape());
  if (size > 0) std::memcpy(x.raw().data, info.ptr, size);
  return x;
}

// Returns the GPU's index. None is the default device, or the first GPU if that is the CPU.
int gpu_of(py::object o) {
  const Device device =
      o.is_none() && default_device == kCpu ? Device{DeviceType::CUDA, 0} : to_device(o.ptr());
  check<ValueError>(device.type == DeviceType::CUDA, "Expected a cuda device, but got: {}",
                    to_string(device));
  return to_device(owned(wrap(device)).ptr()).index;  // throws if there is no such GPU
}

void bind_cuda(py::module_& parent) {
  py::module_ m = parent.def_submodule("_cuda", "The GPUs");
  m.def("device_count", gpu_count);
  m.def("version", cuda_version);
  m.def("device_name", [](py::object o) { return gpu_name(gpu_of(o)); });
  m.def("device_memory", [](py::object o) { return gpu_memory(gpu_of(o)); });
  m.def("current_device", [] { return gpu_of(py::none()); });
  m.def("synchronize", [](py::object o) {
    const Device device{DeviceType::CUDA, int8_t(gpu_of(o))};
    const py::gil_scoped_release unlocked;
    synchronize(device);
  });
  m.def("memory_allocated", [](py::object o) { return gpu_memory_use(gpu_of(o)).used; });
  m.def("max_memory_allocated", [](py::object o) { return gpu_memory_use(gpu_of(o)).most_used; });
  m.def("reset_peak_memory_stats", [](py::object o) { forget_most_used(gpu_of(o)); });
}

}  // namespace

void bind_state(py::module_& m) {
  const auto defined = py::arg("x").none(false);
  m.def("set_printoptions", set_options, py::arg("precision") = py::none(), py::arg("threshold") = py::none(),
        py::arg("edgeitems") = py::none(), py::arg("linewidth") = py::none(), py::arg("profile") = py::none(),
        py::arg("sci_mode") = py::none());
  m.def("get_printoptions", options);
  m.def("get_num_threads", [] { return threads(); });
  m.def("set_num_threads", [](int n) { set_threads(n); });
  m.def("result_type", [](py::handle a, py::handle b) {
    const Tensor x = operand(a), y = operand(b);
    const Tensor* both[] = {&x, &y};
    const DType t = result_type(both);
    return x->is_number && y->is_number && is_floating(t) ? default_dtype() : t;
  });
  m.def("promote_types", promoted);
  m.def("autocast_dtype", [](bool cuda) { return autocast_dtypes[cuda]; });
  m.def("set_autocast_dtype", [](bool cuda, DType t) { autocast_dtypes[cuda] = t; });
  m.def("limits", limits);
  m.def("get_default_dtype", [] { return default_dtype(); });
  m.def("set_default_dtype", [](DType t) { default_dtype() = unnamed_float = t; });
  m.def("tensor", copied, py::arg("values"), py::arg("dtype") = py::none());
  m.def("from_numpy", [](py::object array) { return from_numpy(array.ptr()); });
  m.def(
      "to_numpy", [](const Tensor& x) { return owned(to_numpy(x)); }, defined);
  m.def("is_numpy_array", [](py::object o) { return is_numpy_array(o.ptr()); });
  m.def("cast", typed_as, defined, py::arg("dtype"));
  m.def(
      "placed", [](const Tensor& x, py::object device) { return to(x, to_device(device.ptr())); }, defined,
      py::arg("device"));
  m.def("get_default_device", [] { return owned(wrap(default_device)); });
  m.def("set_default_device", [](py::object o) { default_device = o.is_none() ? kCpu : to_device(o.ptr()); });
  m.def("is_device", [](py::object o) { return is_device(o.ptr()) && !PyLong_Check(o.ptr()); });
  m.def("is_dtype", [](py::object o) { return is_dtype(o.ptr()); });
  m.def("bytes_of", bytes_of_tensor, defined);
  m.def("from_bytes", from_bytes);
  bind_cuda(m);
}

}  // namespace glassgrad::python
