// torch.Size, torch.dtype, torch.device and torch.Generator.
#include <pybind11/operators.h>

#include <cstring>

#include "apps/python/host/host.h"
#include "apps/torch/device_name.h"
#include "bind.h"
#include "engine/ops/promote.h"
#include "engine/print.h"

namespace py = pybind11;

namespace glassgrad::python {

PyTypeObject* size_type = nullptr;

namespace {

// ---- torch.Size: a tuple whose slices and sums are sizes again
PyObject* as_size(PyObject* tuple) {
  if (!tuple || Py_TYPE(tuple) != &PyTuple_Type) return tuple;
  PyObject* size = PyObject_CallOneArg(reinterpret_cast<PyObject*>(size_type), tuple);
  Py_DECREF(tuple);
  return size;
}
PyObject* size_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  return guarded([&] {
    const py::object self = owned(PyTuple_Type.tp_new(type, args, keywords));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self.ptr()); ++i) {
      PyObject* item = PyTuple_GET_ITEM(self.ptr(), i);
      if (PyLong_Check(item)) continue;
      check<TypeError>(is_int(item), "torch.Size() takes an iterable of 'int' (item {} is '{}')", i,
                       Py_TYPE(item)->tp_name);
      PyTuple_SET_ITEM(self.ptr(), i, wrap(to_int(item)));
      Py_DECREF(item);
    }
    return py::object(self).release().ptr();
  });
}
PyObject* size_repr_of(PyObject* self) {
  return guarded([&] {
    std::string text = "torch.Size([";
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i)
      text += (i ? ", " : "") + std::to_string(to_int(PyTuple_GET_ITEM(self, i)));
    return checked(PyUnicode_FromString((text + "])").c_str()));
  });
}
PyObject* size_numel(PyObject* self, PyObject*) {
  int64_t n = 1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) n *= PyLong_AsLongLong(PyTuple_GET_ITEM(self, i));
  return wrap(n);
}
PyObject* size_concat(PyObject* a, PyObject* b) {
  return as_size(PyTuple_Type.tp_as_sequence->sq_concat(a, b));
}
PyObject* size_repeat(PyObject* a, Py_ssize_t n) {
  return as_size(PyTuple_Type.tp_as_sequence->sq_repeat(a, n));
}
PyObject* size_part(PyObject* a, PyObject* i) {
  return as_size(PyTuple_Type.tp_as_mapping->mp_subscript(a, i));
}
// For __reduce__: unpickling calls named(name, *arguments) of the package, so it does not depend on the name
// under which a program imports the module.
py::tuple reduced(const py::tuple& name_and_arguments) {
  return py::make_tuple(py::module_::import("glassgrad._tensor").attr("named"), name_and_arguments);
}
PyObject* size_reduce(PyObject* self, PyObject*) {
  return guarded([&] {
    const py::list values(py::reinterpret_borrow<py::tuple>(self));
    return reduced(py::make_tuple("Size", values)).release().ptr();
  });
}

void bind_size(py::module_& m) {
  static PyMethodDef methods[] = {{"numel", size_numel, METH_NOARGS,
                                   "numel() -> int\n\nThe number of elements of a tensor of this size."},
                                  {"__reduce__", size_reduce, METH_NOARGS, nullptr},
                                  {}};
  static PyType_Slot slots[] = {{Py_tp_base, &PyTuple_Type},
                                {Py_tp_new, reinterpret_cast<void*>(size_new)},
                                {Py_tp_repr, reinterpret_cast<void*>(size_repr_of)},
                                {Py_sq_concat, reinterpret_cast<void*>(size_concat)},
                                {Py_sq_repeat, reinterpret_cast<void*>(size_repeat)},
                                {Py_mp_subscript, reinterpret_cast<void*>(size_part)},
                                {Py_tp_methods, methods},
                                {}};
  static PyType_Spec spec{"torch.Size", 0, 0, Py_TPFLAGS_DEFAULT, slots};
  size_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
  m.attr("Size") = py::handle(reinterpret_cast<PyObject*>(size_type));
}

// ---- torch.dtype
// One object per dtype, because Python programs compare dtypes by identity.
struct DTypeObject {
  DType dtype;
};
PyObject* dtype_objects[std::size(kAllDTypes)];

void bind_dtype(py::module_& m) {
  py::class_<DTypeObject> dtype(m, "dtype");
  dtype.attr("__module__") = "torch";
  dtype.def("__repr__", [](const DTypeObject& t) { return dtype_name(t.dtype); })
      .def("__reduce__",
           [](const DTypeObject& t) { return reduced(py::make_tuple(dtype_name(t.dtype) + 6)); })
      .def("__copy__", [](py::object self) { return self; })
      .def("__deepcopy__", [](py::object self, py::object) { return self; })
      .def("to_complex",
           [](const DTypeObject&) -> py::object { throw Error("glassgrad has no complex dtypes"); })
      .def_property_readonly("is_floating_point", [](const DTypeObject& t) { return is_floating(t.dtype); })
      .def_property_readonly("is_complex", [](const DTypeObject&) { return false; })
      .def_property_readonly("is_signed",
                             [](const DTypeObject& t) { return t.dtype != boolean && !is_unsigned(t.dtype); })
      .def_property_readonly("itemsize", [](const DTypeObject& t) { return item_size(t.dtype); });
  py::dict old_names;  // the names in old tensor types: {"Float": torch.float32, …}
  for (DType t : kAllDTypes) {
    const py::object o = py::cast(DTypeObject{t});
    dtype_objects[size_t(t)] = o.inc_ref().ptr();
    m.attr(dtype_name(t) + 6) = o;  // without "torch."
    old_names[scalar_type_name(t)] = o;
  }
  m.attr("dtypes") = old_names;
  constexpr std::pair<const char*, DType> kOtherNames[] = {{"float", float32}, {"double", float64},
                                                           {"half", float16},  {"long", int64},
                                                           {"int", int32},     {"short", int16}};
  for (const auto& [name, t] : kOtherNames) m.attr(name) = py::handle(dtype_objects[size_t(t)]);
}

// Returns the dtype. Python's own types count too, as in PyTorch.
std::optional<DType> dtype_of(PyObject* o) {
  for (DType t : kAllDTypes)
    if (o == dtype_objects[size_t(t)]) return t;
  if (o == reinterpret_cast<PyObject*>(&PyFloat_Type)) return float64;
  if (o == reinterpret_cast<PyObject*>(&PyLong_Type)) return int64;
  if (o == reinterpret_cast<PyObject*>(&PyBool_Type)) return boolean;
  return {};
}

}  // namespace

bool is_dtype(PyObject* o) { return bool(dtype_of(o)); }
DType to_dtype(PyObject* o) {
  const std::optional<DType> t = dtype_of(o);
  check<TypeError>(bool(t), "expected torch.dtype, but got {}", type_name(o));
  return *t;
}
DType& default_dtype() {
  static DType dtype = float32;
  return dtype;
}
PyObject* wrap(DType t) { return Py_NewRef(dtype_objects[size_t(t)]); }

// ---- torch.device: it may name any of PyTorch's devices; tensors lie on the CPU or a GPU
namespace {

// The default devices that the open `with torch.device(…):` blocks have replaced.
thread_local std::vector<Device> devices_before;

void bind_device(py::module_& m) {
  py::class_<DeviceName> device(m, "device");
  device.attr("__module__") = "torch";
  device.def(py::init([](const std::string& text) { return parsed_device(text); }), py::arg("device"))
      .def(py::init([](const std::string& type, int64_t index) {
             DeviceName d = parsed_device(type);
             check(!d.index,
                   "type (string) must not include an index because index was passed explicitly: {}", type);
             d.index = index;
             return d;
           }),
           py::arg("type"), py::arg("index"))
      .def(py::init([](const DeviceName& d) { return d; }))
      .def(py::init([](int64_t index) {
        return DeviceName{"cuda", index};
      }))
      .def("__repr__",
           [](const DeviceName& d) {
             return "device(type='" + d.type + "'" + (d.index ? ", index=" + std::to_string(*d.index) : "") +
                    ")";
           })
      .def("__str__", &DeviceName::text)
      .def("__hash__", [](const DeviceName& d) { return py::hash(py::str(d.text())); })
      .def(py::self == py::self)
      .def("__reduce__", [](const DeviceName& d) { return reduced(py::make_tuple("device", d.text())); })
      .def("__enter__",
           [](py::object self) {
             const Device here = to_device(self.ptr());  // may throw
             devices_before.push_back(default_device);
             default_device = here;
             return self;
           })
      .def("__exit__",
           [](const DeviceName&, const py::args&) {
             default_device = devices_before.back();
             devices_before.pop_back();
             return false;
           })
      .def_readonly("type", &DeviceName::type)
      .def_property_readonly(
          "index", [](const DeviceName& d) { return d.index ? py::object(py::int_(*d.index)) : py::none(); });
}

}  // namespace

bool is_device(PyObject* o) {
  return PyUnicode_Check(o) || py::isinstance<DeviceName>(o) || (PyLong_Check(o) && !PyBool_Check(o));
}
Device to_device(PyObject* o) {
  if (o == Py_None) return default_device;
  check<TypeError>(is_device(o), "expected torch.device, but got {}", type_name(o));
  return device_named(PyUnicode_Check(o) ? parsed_device(to_text(o))
                      : PyLong_Check(o)  ? DeviceName{"cuda", to_int(o)}
                                         : py::cast<DeviceName>(py::handle(o)));
}
PyObject* wrap(Device d) {
  return py::cast(is_cuda(d) ? DeviceName{"cuda", d.index} : DeviceName{device_type_name(d.type), {}})
      .release()
      .ptr();
}

// ---- torch.Generator
namespace {

struct GeneratorObject {
  Generator own;
  Generator* generator = &own;
};

// Returns the state as a tensor, like PyTorch; here of int64 words.
Tensor state_tensor(const Generator& g) {
  const Generator::State& s = g.state();
  Tensor x = zeros({int64_t((sizeof s + 7) / 8)}, int64, kCpu);
  std::memcpy(x.raw().data, &s, sizeof s);
  return x;
}
void restore(Generator& g, const Tensor& x) {
  Generator::State s;
  check<TypeError>(x && x.device() == kCpu && x.dtype() == int64 && x.dim() == 1 && x.is_contiguous() &&
                       x.numel() == int64_t((sizeof s + 7) / 8),
                   "RNG state must be a tensor that get_state() gave");
  std::memcpy(&s, x.raw().data, sizeof s);
  check(s.used >= 0 && s.used <= Generator::kWords, "Invalid mt19937 state");
  g.set_state(s);
}

// Accepts any integer from -2^63 to 2^64 - 1.
uint64_t to_seed(py::handle seed) {
  const py::object whole = owned(PyNumber_Index(seed.ptr()));
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  if (!overflow) return uint64_t(value);
  const uint64_t large = overflow > 0 ? PyLong_AsUnsignedLongLong(whole.ptr()) : 0;
  const bool failed = overflow < 0 || PyErr_Occurred();
  if (failed) PyErr_Clear();
  check(!failed, "Overflow when unpacking long");
  return large;
}

void bind_generator(py::module_& m) {
  py::class_<GeneratorObject> generator(m, "Generator");
  generator.attr("__module__") = "torch._C";
  generator
      .def(py::init([](py::object device) {
             to_device(device.ptr());
             return std::make_unique<GeneratorObject>();
           }),
           py::arg("device") = "cpu")
      .def(
          "manual_seed",
          [](py::object self, py::handle seed) {
            to_generator(self.ptr()).manual_seed(to_seed(seed));
            return self;
          },
          py::arg("seed"))
      .def("seed", [](GeneratorObject& g) { return g.generator->seed(); })
      .def("initial_seed", [](GeneratorObject& g) { return g.generator->initial_seed(); })
      .def("get_state", [](GeneratorObject& g) { return state_tensor(*g.generator); })
      .def(
          "set_state",
          [](py::object self, const Tensor& state) {
            restore(to_generator(self.ptr()), state);
            return self;
          },
          py::arg("new_state"))
      .def("clone_state",
           [](GeneratorObject& g) {
             auto copy = std::make_unique<GeneratorObject>();
             copy->own.set_state(g.generator->state());
             return copy;
           })
      .def_property_readonly("device", [](GeneratorObject&) { return owned(wrap(Device{})); });
  auto standard = std::make_unique<GeneratorObject>();
  standard->generator = &default_generator();
  m.attr("default_generator") = py::cast(std::move(standard));
}

}  // namespace

bool is_generator(PyObject* o) { return py::isinstance<GeneratorObject>(o); }
Generator& to_generator(PyObject* o) {
  if (!o || o == Py_None) return default_generator();
  check<TypeError>(is_generator(o), "expected a 'Generator' object but got {}", type_name(o));
  return *py::cast<GeneratorObject&>(py::handle(o)).generator;
}

namespace {

PyObject* new_by_call(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  return reinterpret_cast<PyTypeObject*>(py::detail::get_internals().instance_base)
      ->tp_new(type, args, keywords);
}

}  // namespace

// Gives each class a tp_new of its own, which a call of the class uses. The inherited __new__ then differs
// from tp_new, so Python refuses it.
void refuse_new(py::module_& m) {
  const auto* const base = reinterpret_cast<PyTypeObject*>(py::detail::get_internals().instance_base);
  for (const auto& [name, thing] : m.attr("__dict__").cast<py::dict>()) {
    if (!PyType_Check(thing.ptr())) continue;
    auto* const type = reinterpret_cast<PyTypeObject*>(thing.ptr());
    if (type->tp_new != base->tp_new) continue;
    type->tp_new = new_by_call;
    PyType_Modified(type);
  }
}

void bind_types(py::module_& m) {
  bind_size(m);
  bind_dtype(m);
  bind_device(m);
  bind_generator(m);
}

}  // namespace glassgrad::python
