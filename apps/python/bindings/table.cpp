#include <deque>
#include <set>

#include "apps/torch/function.h"
#include "apps/torch/table.h"
#include "bind.h"

namespace py = pybind11;

namespace glassgrad::python {

namespace {

// ---- entries
// CPython passes a C function no user data besides self, so each name has its own entry, which knows its
// index in this list.
constexpr size_t kMost = 1024;
std::array<const Function*, kMost> functions;

// The package's function that handles a call that fits none of a function's signatures.
PyObject* stand_in = nullptr;

// Calls stand_in(name, *arguments). Returns a new reference, or null with the first error if it declines.
PyObject* stood_in(const Function& f, PyObject* self, const HostCall& call) {
  PyObject *type = nullptr, *error = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &error, &trace);
  PyObject* const result = guarded([&] {
    const py::str name(f.name);
    std::vector<PyObject*> given{name.ptr()};
    if (f.method) given.push_back(self);
    given.insert(given.end(), call.args, call.args + call.n + call.n_names());
    return PyObject_Vectorcall(stand_in, given.data(), given.size() - size_t(call.n_names()), call.names);
  });
  if (result != Py_NotImplemented) {
    Py_XDECREF(type), Py_XDECREF(error), Py_XDECREF(trace);
    return result;
  }
  Py_DECREF(result);
  PyErr_Restore(type, error, trace);
  return nullptr;
}

PyObject* enter(const Function& f, PyObject* self, const HostCall& call) {
  PyObject* const result = guarded([&] { return f(self, call); });
  return result || !stand_in || !PyErr_ExceptionMatches(PyExc_TypeError) ? result : stood_in(f, self, call);
}
template <size_t I>
PyObject* entry(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  return enter(*functions[I], self, {args, n, names});
}
using Entry = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
constexpr auto kEntries = []<size_t... I>(std::index_sequence<I...>) {
  return std::array<Entry, kMost>{&entry<I>...};
}
(std::make_index_sequence<kMost>());

// ---- putting the names where they belong
struct PlaceName {
  Place place;
  const char* module;  // submodule of the extension; null: the extension itself, or class Tensor
  const char* qualified;
};
constexpr PlaceName kPlaces[] = {{kTorch, nullptr, "torch"},
                                 {kMethod, nullptr, "torch.Tensor"},
                                 {kFunctional, "F", "torch.nn.functional"},
                                 {kLinalg, "linalg", "torch.linalg"},
                                 {kInit, "init", "torch.nn.init"}};

// Kept for the life of the process, because Python's functions point into it.
struct Definition {
  std::string document;
  PyMethodDef method;
};
std::deque<Definition>& definitions() {
  static auto* kept = new std::deque<Definition>;
  return *kept;
}

PyMethodDef* define(const Function& f) {
  const size_t place = definitions().size();
  check(place < kMost, "the table of functions is full");
  functions[place] = &f;
  Definition& d = definitions().emplace_back();
  d.document = f.documentation();
  d.method = {f.name.c_str(), reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(kEntries[place])),
              METH_FASTCALL | METH_KEYWORDS, d.document.c_str()};
  return &d.method;
}

void install(const Function& f, py::handle where) {
  PyMethodDef* const d = define(f);
  const py::object o =
      owned(f.method ? PyDescr_NewMethod(tensor_type, d) : PyCFunction_NewEx(d, nullptr, nullptr));
  if (!f.method)
    where.attr(f.name.c_str()) = o;
  else if (PyDict_SetItemString(tensor_type->tp_dict, f.name.c_str(), o.ptr()) < 0)
    throw py::error_already_set();
}

// Returns [(name, [stub signature, …], help), …] of a place, from which the stubs are written.
py::list stubs(const Functions& functions_here) {
  py::list list;
  for (const auto& [name, f] : functions_here) {
    py::list signatures;
    for (const Overload& o : f.overloads) signatures.append(o.signature.stub(f.method));
    list.append(py::make_tuple(name, signatures, f.help));
  }
  return list;
}

}  // namespace

void bind_functions(py::module_& m) {
  py::dict table;
  for (const PlaceName& p : kPlaces) {
    py::module_ module = p.module ? m.def_submodule(p.module) : m;
    const Functions& here = functions_at(p.place);
    for (const auto& [name, f] : here) install(f, module);
    table[p.qualified] = stubs(here);
  }
  PyType_Modified(tensor_type);
  m.attr("signatures") = table;
  m.attr("LinAlgError") = py::handle(linear_algebra_error());
  m.def("set_stand_in", [](py::object f) { stand_in = f.release().ptr(); });
  // For functions that the package composes of several: returns y with a node named as PyTorch's one.
  m.def("as_one", [](const std::string& node, const Tensor& y) {
    static auto& names = *new std::set<std::string>;  // nodes point into it
    return rename_node(names.insert(node).first->c_str(), y);
  });
}

}  // namespace glassgrad::python
