// Tensor's properties.
#include "apps/torch/members.h"
#include "engine/autograd.h"
#include "engine/graph.h"
#include "node.h"
#include "tensor_type.h"

namespace glassgrad::python {
namespace {

// ---- the graph
PyObject* get_grad_fn(PyObject* self, void*) {
  return guarded([&] {
    const Tensor& x = tensor_of(self);
    return wrap(needs_grad(x) ? grad_fn(x) : Ref<Node>());
  });
}

template <auto f>
int setter(PyObject* self, PyObject* value, void*) {
  return guarded([&] {
    f(tensor_of(self), value);
    return 0;
  });
}

// A leaf whose gradient is removed no longer keeps its ProgramTrace alive.
int set_gradient(PyObject* self, PyObject* value, void* closure) {
  const int failed = setter<set_grad>(self, value, closure);
  if (!failed && value == Py_None) reinterpret_cast<TensorObject*>(self)->trace = {};
  return failed;
}

int refuse_write(PyObject*, PyObject*, void* name) {
  PyErr_Format(PyExc_AttributeError, "attribute '%s' of 'torch._C.TensorBase' objects is not writable",
               static_cast<const char*>(name));
  return -1;
}

PyGetSetDef property(const char* name, PyObject* (*get)(PyObject*, void*), const char* help,
                     int (*set)(PyObject*, PyObject*, void*) = refuse_write) {
  return {name, get, set, help, const_cast<char*>(name)};
}

}  // namespace

std::span<PyGetSetDef> tensor_properties() {
  static std::vector<PyGetSetDef> properties = [] {
    std::vector<PyGetSetDef> all;
    [&]<size_t... I>(std::index_sequence<I...>) {
      (all.push_back(property(kProperties[I].name, getter<kProperties[I].get>, kProperties[I].help)), ...);
    }
    (std::make_index_sequence<std::size(kProperties)>());
    for (PyGetSetDef& p : all) {
      const std::string_view name = p.name;
      if (name == "grad") p.set = set_gradient;
      if (name == "requires_grad") p.set = setter<set_requires_grad>;
      if (name == "data") p.set = setter<assign_data>;
    }
    all.push_back(property("grad_fn", get_grad_fn, "The node of the graph that made it; None for a leaf"));
    all.push_back(property("__dict__", get_attributes, nullptr, set_attributes));
    all.push_back({});
    return all;
  }();
  return properties;
}

}  // namespace glassgrad::python
