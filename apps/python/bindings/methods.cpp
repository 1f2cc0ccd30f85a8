// Tensor's methods that describe it or return its numbers to Python. The methods that compute are in the
// table of functions.
#include "apps/torch/members.h"
#include "tensor_type.h"

namespace glassgrad::python {
namespace {

PyObject* format(PyObject* self, PyObject* spec) {
  return guarded([&] {
    const Tensor& x = tensor_of(self);
    if (x.dim() == 0 && Py_TYPE(self) == tensor_type)
      return checked(PyObject_Format(owned(wrap_item(x)).ptr(), spec));
    check<TypeError>(PyUnicode_Check(spec) && PyUnicode_GET_LENGTH(spec) == 0,
                     "unsupported format string passed to {}.__format__", Py_TYPE(self)->tp_name);
    return checked(PyObject_Str(self));
  });
}

template <auto f>
PyObject* method_of_call(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  return guarded([&] { return f(self, {args, n, names}); });
}

template <class F>
PyMethodDef entry(const char* name, F* function, int flags, const char* help) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)), flags, help};
}

}  // namespace

std::span<PyMethodDef> tensor_methods() {
  static std::vector<PyMethodDef> methods = [] {
    std::vector<PyMethodDef> all;
    [&]<size_t... I>(std::index_sequence<I...>) {
      (all.push_back(entry(kMethods[I].name, method<kMethods[I].get>, METH_NOARGS, kMethods[I].help)), ...);
    }
    (std::make_index_sequence<std::size(kMethods)>());
    [&]<size_t... I>(std::index_sequence<I...>) {
      (all.push_back(entry(kCalls[I].name, method_of_call<kCalls[I].call>, METH_FASTCALL | METH_KEYWORDS,
                           kCalls[I].help)),
       ...);
    }
    (std::make_index_sequence<std::size(kCalls)>());
    all.push_back(entry("__format__", format, METH_O, nullptr));
    all.push_back({});
    return all;
  }();
  return methods;
}

}  // namespace glassgrad::python
