// Backward passes, grad mode, hooks, and functions whose gradient is written in Python.
#include <pybind11/stl.h>

#include <map>
#include <memory>
#include <mutex>

#include "bind.h"
#include "convert.h"
#include "engine/graph.h"
#include "engine/threads.h"
#include "engine/why.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

// One backward at a time, as in the engine. A thread waits for its turn without Python's lock: the one whose
// turn it is needs that lock between two kernels.
class Turn {
 public:
  Turn() {
    const py::gil_scoped_release unlocked;
    mutex().lock();
  }
  ~Turn() { mutex().unlock(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  static std::recursive_mutex& mutex() {
    static auto& one = *new std::recursive_mutex;
    return one;
  }
};

using Tensors = std::vector<Tensor>;
using MaybeTensor = std::optional<Tensor>;

// A tensor, or a tuple or list of them.
Tensors tensors_of(py::handle o) {
  if (const Tensor* x = as_tensor(o.ptr())) return {*x};
  return to_tensors(o.ptr());
}
// The same where None may stand for a missing one.
Tensors gradients_of(py::handle o, size_t n) {
  if (o.is_none()) return Tensors(n);
  if (as_tensor(o.ptr())) return tensors_of(o);
  Tensors gradients;
  for (const py::handle item : py::iter(o))
    gradients.push_back(item.is_none() ? Tensor() : tensors_of(item)[0]);
  return gradients;
}

Tensors gradients(py::handle outputs, py::handle inputs, py::handle grad_outputs,
                  std::optional<bool> retain_graph, bool create_graph, bool allow_unused) {
  const Tensors y = tensors_of(outputs), x = tensors_of(inputs);
  const Tensors g = gradients_of(grad_outputs, y.size());
  check(g.size() == y.size(), "got {} tensors and {} gradients", y.size(), g.size());
  const Turn turn;
  return grad(y, x, g, retain_graph, create_graph, allow_unused);
}

// .grad of the inputs, or of all leaves, grows by the gradients of the outputs.
void backward(py::handle outputs, py::handle grad_outputs, std::optional<bool> retain_graph,
              bool create_graph, py::handle inputs) {
  const Tensors y = tensors_of(outputs);
  const Tensors g = gradients_of(grad_outputs, y.size());
  check(g.size() == y.size(), "got {} tensors and {} gradients", y.size(), g.size());
  const Turn turn;
  if (inputs.is_none()) {
    for (size_t i = 0; i < y.size(); ++i)
      y[i].backward(g[i], i + 1 < y.size() ? std::optional(true) : retain_graph, create_graph);
    return;
  }
  const Tensors x = tensors_of(inputs);
  check(!x.empty(), "'inputs' argument to backward() cannot be empty.");
  const Tensors grads = grad(y, x, g, retain_graph, create_graph, true);
  for (size_t i = 0; i < x.size(); ++i) {
    if (!grads[i]) continue;
    const GradMode mode(create_graph);
    x[i]->grad = (x[i].grad() ? add(x[i].grad(), grads[i]) : grads[i]).ref();
  }
}

uint64_t register_hook(const Tensor& x, py::object hook) {
  return x.register_hook([hook = std::move(hook)](const Tensor& g) -> Tensor {
    const py::object result = hook(owned(wrap(g)));
    if (result.is_none()) return {};
    const Tensor* replaced = as_tensor(result.ptr());
    check<TypeError>(replaced, "hook has changed the type of value (was Tensor got {})",
                     type_name(result.ptr()));
    return *replaced;
  });
}

// ---- functions written in Python
// What the node of such a function keeps: Python's backward and how to call it. A hook of the node owns it.
struct PythonBackward {
  py::object call;  // call(*gradients of the outputs) -> the gradients of the inputs
  size_t inputs;
};
struct BackwardAt {
  const PythonBackward* at;
  template <class V>
  void each(V&&) const {}
};

// The op of a class: its node prints as NAMEBackward.
const Op& op_of(const std::string& name) {
  struct Named {
    std::string name, node;
    Op op;
    explicit Named(const std::string& n)
        : name(n),
          node(n + "Backward"),
          op{name.c_str(), node.c_str(), "what Python computes", why_constant} {}
  };
  static auto& ops = *new std::map<std::string, std::unique_ptr<Named>>;  // nodes point into it to the end
  auto& named = ops[name];
  if (!named) named = std::make_unique<Named>(name);
  return named->op;
}

void run_python(Back& d, const BackwardAt& b) {
  py::tuple grads(d.grads.size());
  for (size_t k = 0; k < d.grads.size(); ++k) {
    const OutputMeta& meta = d.node.outputs[k];
    grads[k] = owned(wrap(d.grads[k] ? d.grads[k] : zeros(meta.shape, meta.dtype)));
  }
  py::object result = b.at->call(*grads);
  if (!py::isinstance<py::tuple>(result)) result = py::make_tuple(result);
  const auto given = py::reinterpret_borrow<py::tuple>(result);
  size_t n = given.size();
  while (n > b.at->inputs && given[n - 1].is_none()) --n;
  check(n == b.at->inputs, "function {} returned an incorrect number of gradients (expected {}, got {})",
        d.node.name(), b.at->inputs, n);
  for (size_t i = 0; i < n; ++i) {
    if (given[i].is_none() || !d.needs(int(i))) continue;
    const Tensor* g = as_tensor(py::object(given[i]).ptr());
    check<TypeError>(g, "expected Variable or None (got {})", type_name(py::object(given[i]).ptr()));
    d[int(i)] = *g;
  }
}

// The outputs, made under no_grad, become those of a node whose gradient Python computes. inputs: one entry
// per argument, undefined for those that are no tensors.
void attach_function(const std::string& name, const Tensors& outputs, py::sequence inputs, py::object call) {
  Tensors in;
  const Tensor none(0.0);
  for (const py::handle o : inputs) in.push_back(o.is_none() ? none : tensors_of(o)[0]);
  std::vector<const Tensor*> pointers;
  for (const Tensor& x : in) pointers.push_back(&x);
  if (!any_needs_grad(pointers)) return;
  auto kept = std::make_shared<PythonBackward>(PythonBackward{std::move(call), in.size()});
  const Ref<Node> node = make_node(op_of(name), outputs, pointers, Saves{}, BackwardAt{kept.get()},
                                   [](Back& d, const BackwardAt& b) { run_python(d, b); });
  for (size_t k = 0; k < outputs.size(); ++k) attach(outputs[k], node, uint16_t(k));
  if (!outputs.empty()) outputs[0].register_hook([kept](const Tensor&) { return Tensor(); });
}

// ---- long work: other threads of Python's run meanwhile, and Ctrl-C ends a backward
void* let_go() noexcept { return PyGILState_Check() ? PyEval_SaveThread() : nullptr; }
void take_again(void* state) noexcept {
  if (state) PyEval_RestoreThread(static_cast<PyThreadState*>(state));
}
void check_interrupt() {
  if (PyGILState_Check() && PyErr_CheckSignals() < 0) throw py::error_already_set();
}

}  // namespace

void bind_autograd(py::module_& m) {
  host = {let_go, take_again, check_interrupt};
  m.def("is_grad_enabled", [] { return grad_mode; });
  m.def("set_grad_mode", [](bool on) { grad_mode = on; });
  m.def("grad", gradients);
  m.def("backward", backward);
  m.def("register_hook", register_hook, py::arg("x").none(false), py::arg("hook"));
  m.def(
      "remove_hook", [](const Tensor& x, uint64_t id) { x.remove_hook(id); }, py::arg("x").none(false),
      py::arg("id"));
  m.def("attach_function", attach_function);
}

}  // namespace glassgrad::python
