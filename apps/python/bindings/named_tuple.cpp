// torch.return_types.max and the like: the results of functions that return values and their indices.
#include <cstring>
#include <map>

#include "apps/torch/arguments.h"
#include "engine/print.h"

namespace py = pybind11;

namespace glassgrad::python {

namespace {

// Prints torch.return_types.max, a named tuple of two, with one tensor below the other.
PyObject* show_named(PyObject* self) {
  return guarded([&] {
    for (int k = 0; k < 2; ++k)  // a program may put anything into the tuple
      if (!is_tensor(PyStructSequence_GET_ITEM(self, k))) return checked(PyTuple_Type.tp_repr(self));
    const char* const dot = strrchr(Py_TYPE(self)->tp_name, '.');
    const std::string text = repr(dot + 1, *as_tensor(PyStructSequence_GET_ITEM(self, 0)),
                                  *as_tensor(PyStructSequence_GET_ITEM(self, 1)));
    return checked(PyUnicode_FromStringAndSize(text.data(), Py_ssize_t(text.size())));
  });
}

PyTypeObject* new_named_type(const std::string& name) {
  static PyStructSequence_Field fields[] = {{"values", "the values"}, {"indices", "where they stood"}, {}};
  PyStructSequence_Desc d{name.c_str(), "values and indices", fields, 2};
  PyTypeObject* const type = PyStructSequence_NewType(&d);
  checked(reinterpret_cast<PyObject*>(type));
  type->tp_repr = show_named;
  type->tp_str = show_named;
  return type;
}

}  // namespace

PyObject* wrap(const NamedTuple& x) {
  static auto* const types = new std::map<std::string, PyTypeObject*>;
  const std::string name = x.written ? std::string(x.name) + "_out" : x.name;
  PyTypeObject*& type = (*types)[name];
  if (!type) type = new_named_type(*new std::string("torch.return_types." + name));
  const PartsOfResult parts;
  const py::object tuple = owned(PyStructSequence_New(type));
  PyStructSequence_SET_ITEM(tuple.ptr(), 0, wrap(x.values));
  PyStructSequence_SET_ITEM(tuple.ptr(), 1, wrap(x.indices));
  return py::object(tuple).release().ptr();
}

}  // namespace glassgrad::python
