#include "arguments.h"

#include <cstring>
#include <map>

#include "engine/print.h"

namespace py = pybind11;

namespace glassgrad::python {

const Tensor& undefined_tensor() {
  static const Tensor none;
  return none;
}

Dims read_dims(const Arguments& a, int i) {
  if (!a[i]) return {};
  const bool loose = a.loose == i;
  PyObject* const o = a[i];
  if (!loose && !PyTuple_Check(o) && !PyList_Check(o)) return {to_int(o)};
  PyObject* const* items = loose ? a.items : PySequence_Fast_ITEMS(o);
  const Py_ssize_t n = loose ? a.n_items : PySequence_Fast_GET_SIZE(o);
  Dims dims;
  for (Py_ssize_t k = 0; k < n; ++k) {
    check<TypeError>(
        is_int(items[k]) || (PyIndex_Check(items[k]) && !is_tensor(items[k])),
        "{}(): argument '{}' failed to unpack the object at pos {} with error \"type must be tuple of "
        "ints,but got {}\"",
        a.signature->name(), a.parameter(i).name, k + 1, type_name(items[k]));
    dims.push(to_int(items[k]));
  }
  return dims;
}

std::vector<Tensor> read_tensors(const Arguments& a, int i) {
  if (a.loose != i) return to_tensors(a[i]);
  std::vector<Tensor> tensors;
  for (Py_ssize_t k = 0; k < a.n_items; ++k) {
    const Tensor* const x = as_tensor(a.items[k]);
    check<TypeError>(x, "expected Tensor as element {} in argument 0, but got {}", k, type_name(a.items[k]));
    tensors.push_back(*x);
  }
  return tensors;
}

Text read_text(const Arguments& a, int i) {
  PyObject* const o = a[i];
  if (!o) {
    const Text quoted = a.parameter(i).fallback;
    return quoted.size() < 2 ? quoted : quoted.substr(1, quoted.size() - 2);
  }
  Py_ssize_t n = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(o, &n);
  if (!text) throw py::error_already_set();
  return {text, size_t(n)};
}

Options read_options(const Arguments& a, int i) {
  PyObject* const* const slot = a.slot.data() + i;
  Options o;
  if (slot[2]) o.device = to_device(slot[2]);
  if (slot[0]) o.dtype = to_dtype(slot[0]);
  o.requires_grad = slot[4] && to_bool(slot[4]);
  return o;
}

namespace {

// torch.return_types.max: a tuple of two with names, printed with the tensors one below the other.
PyObject* show_named(PyObject* self) {
  return guarded([&] {
    for (int k = 0; k < 2; ++k)  // a program may put anything into one
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

PyObject* wrap(const Named& x) {
  static auto* const types = new std::map<std::string, PyTypeObject*>;
  const std::string name = x.written ? std::string(x.name) + "_out" : x.name;
  PyTypeObject*& type = (*types)[name];
  if (!type) type = new_named_type(*new std::string("torch.return_types." + name));
  const py::object tuple = owned(PyStructSequence_New(type));
  PyStructSequence_SET_ITEM(tuple.ptr(), 0, wrap(x.values));
  PyStructSequence_SET_ITEM(tuple.ptr(), 1, wrap(x.indices));
  return py::object(tuple).release().ptr();
}

}  // namespace glassgrad::python
