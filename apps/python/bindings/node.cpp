// x.grad_fn: a node of the graph, of a class with the node's name.
#include "node.h"

#include <map>
#include <unordered_map>

#include "bind.h"
#include "engine/graph.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

struct NodeObject {
  PyObject_HEAD Ref<Node> node;
};
PyTypeObject* node_type = nullptr;

// The live objects by their nodes, guarded by the GIL.
std::unordered_map<const Node*, PyObject*>& node_objects() {
  static auto& objects = *new std::unordered_map<const Node*, PyObject*>;  // outlives all objects
  return objects;
}

const Ref<Node>& node_of(PyObject* self) { return reinterpret_cast<NodeObject*>(self)->node; }

void node_free(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  node_objects().erase(node_of(self).get());
  reinterpret_cast<NodeObject*>(self)->node.~Ref<Node>();
  type->tp_free(self);
  Py_DECREF(type);
}

std::string_view class_name(const Node& n) {
  std::string_view name = n.name();
  constexpr std::string_view space = "torch::autograd::";
  if (name.starts_with(space)) name.remove_prefix(space.size());
  return name;
}

// Returns the class of nodes with this name. Makes it for the first one.
PyTypeObject* class_of(const Node& n) {
  static auto& classes = *new std::unordered_map<std::string, PyTypeObject*>;
  PyTypeObject*& type = classes[std::string(class_name(n))];
  if (!type) {
    const std::string name = "builtins." + std::string(class_name(n));  // so that repr shows no module
    PyType_Slot slots[] = {{Py_tp_base, node_type}, {}};
    PyType_Spec spec{name.c_str(), sizeof(NodeObject), 0, Py_TPFLAGS_DEFAULT, slots};
    type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
    type->tp_name = class_name(n).data();  // points into the op's own text
  }
  return type;
}

PyObject* node_name(PyObject* self, PyObject*) {
  return guarded([&] {
    const std::string name(class_name(*node_of(self)));
    // PyTorch's generated nodes end in a digit, a Function's in "Backward"; others include their namespace.
    const bool plain = (name.back() >= '0' && name.back() <= '9') || name.ends_with("Backward");
    return checked(PyUnicode_FromString((plain ? name : "torch::autograd::" + name).c_str()));
  });
}

PyObject* node_next_functions(PyObject* self, void*) {
  return guarded([&] {
    const auto inputs = node_of(self)->inputs();
    py::tuple result(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i)
      result[i] = py::make_tuple(owned(wrap(inputs[i].node)), inputs[i].node ? int64_t(inputs[i].nr) : 0);
    return result.release().ptr();
  });
}

PyObject* node_variable(PyObject* self, void*) {
  return guarded([&] {
    const Node& n = *node_of(self);
    if (n.run)
      throw py::attribute_error("'" + std::string(class_name(n)) + "' object has no attribute 'variable'");
    return wrap(Tensor(lock_weak(node_of(self)->leaf)));
  });
}

PyObject* node_metadata(PyObject*, void*) { return PyDict_New(); }

}  // namespace

PyObject* wrap(const Ref<Node>& node) {
  if (!node) Py_RETURN_NONE;
  const auto found = node_objects().find(node.get());
  if (found != node_objects().end()) return Py_NewRef(found->second);
  PyTypeObject* const type = class_of(*node);
  PyObject* const o = checked(type->tp_alloc(type, 0));
  new (&reinterpret_cast<NodeObject*>(o)->node) Ref<Node>(node);
  node_objects()[node.get()] = o;
  return o;
}

void bind_node(py::module_& m) {
  static PyMethodDef methods[] = {
      {"name", node_name, METH_NOARGS, "name() -> str\n\nThe name that grad_fn=<…> prints."}, {}};
  static PyGetSetDef properties[] = {
      {"next_functions", node_next_functions, nullptr,
       "The nodes that its gradients go to, each with the number of the output they belong to", nullptr},
      {"variable", node_variable, nullptr, "The leaf whose .grad this node adds to", nullptr},
      {"metadata", node_metadata, nullptr, "A new dict", nullptr},
      {}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(node_free)},
                                {Py_tp_methods, methods},
                                {Py_tp_getset, properties},
                                {}};
  static PyType_Spec spec{"torch.autograd.graph.Node", sizeof(NodeObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                          slots};
  node_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
  m.attr("Node") = py::handle(reinterpret_cast<PyObject*>(node_type));
}

}  // namespace glassgrad::python
