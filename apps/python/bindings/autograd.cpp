// Backward passes, grad mode, hooks, and functions whose gradient is written in Python.
#include <pybind11/stl.h>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "apps/python/host/host.h"
#include "apps/python/host/passes.h"
#include "bind.h"
#include "engine/core/threads.h"
#include "engine/glass/why.h"
#include "engine/graph.h"

namespace py = pybind11;

namespace glassgrad::python {

thread_local constinit BackwardPassWatcher* backward_pass_watcher = nullptr;

const Op& python_op(const std::string& name) {
  struct Named {
    std::string name, node;
    Op op;
    explicit Named(const std::string& n)
        : name(n),
          node(n + "Backward"),
          op{name.c_str(), node.c_str(), "what Python computes", why_constant} {}
  };
  static auto& ops = *new std::map<std::string, std::unique_ptr<Named>>;  // never freed: nodes point into it
  auto& named = ops[name];
  if (!named) named = std::make_unique<Named>(name);
  return named->op;
}

namespace {

// Allows one backward pass at a time, as the engine does. A thread waits without the GIL, because the running
// pass needs the GIL between two kernels.
class BackwardLock {
 public:
  BackwardLock() {
    const py::gil_scoped_release unlocked;
    mutex().lock();
  }
  ~BackwardLock() { mutex().unlock(); }
  BackwardLock(const BackwardLock&) = delete;
  BackwardLock& operator=(const BackwardLock&) = delete;

 private:
  static std::recursive_mutex& mutex() {
    static auto& one = *new std::recursive_mutex;
    return one;
  }
};

using Tensors = std::vector<Tensor>;
using MaybeTensor = std::optional<Tensor>;

// Returns the tensor, or the tensors of an iterable. Calls refuse(object) for each object that is no tensor.
template <class F>
Tensors tensors_of(py::handle o, F refuse) {
  if (const Tensor* x = as_tensor(o.ptr())) return {*x};
  Tensors tensors;
  for (const py::handle item : py::iter(o)) {
    const Tensor* const x = as_tensor(item.ptr());
    if (!x) refuse(item.ptr());
    tensors.push_back(x ? *x : Tensor());
  }
  return tensors;
}
Tensors outputs_of(py::handle o) {
  return tensors_of(o, [](PyObject*) { fail<AssertionError>(""); });
}
Tensors inputs_of(py::handle o) {
  return tensors_of(o, [](PyObject* other) {
    fail("all inputs have to be Tensors or GradientEdges, but got {}", type_name(other));
  });
}
// Returns one gradient per output; ignores extra ones. None stands for a missing gradient.
Tensors gradients_for(const Tensors& outputs, py::handle o) {
  Tensors g(outputs.size());
  if (!o.is_none())
    g = tensors_of(o, [](PyObject* other) {
      check<TypeError>(other == Py_None, "gradients can be either Tensors or None, but got {}",
                       type_name(other));
    });
  check(g.size() >= outputs.size(), "got {} tensors and {} gradients", outputs.size(), g.size());
  g.resize(outputs.size());
  return g;
}

// Replaces the hint to turn anomaly detection on if it is on already.
template <class F>
auto with_advice(F&& f) {
  constexpr std::string_view kHint = " Hint: ";
  try {
    return f();
  } catch (const Error& e) {
    const std::string text = e.what();
    const size_t hint = text.find(kHint);
    if (!py::module_::import("glassgrad._C").attr("is_anomaly_enabled")().cast<bool>() ||
        hint == std::string::npos)
      throw;
    fail(
        "{}Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in "
        "question was changed in there or anywhere later. Good luck!",
        text.substr(0, hint + 1));
  }
}

Tensors gradients(py::handle outputs, py::handle inputs, py::handle grad_outputs,
                  std::optional<bool> retain_graph, bool create_graph, bool allow_unused) {
  const Tensors y = outputs_of(outputs), x = inputs_of(inputs);
  check<ValueError>(!x.empty(), "grad requires non-empty inputs.");
  for (size_t i = 0; i < y.size(); ++i)
    check(needs_grad(y[i]), "element {} of tensors does not require grad and does not have a grad_fn", i);
  const Tensors g = gradients_for(y, grad_outputs);
  const BackwardLock lock;
  const BackwardPassScope pass(y.empty() ? Tensor() : y.front());
  return with_advice([&] { return grad(y, x, g, retain_graph, create_graph, allow_unused); });
}

// Adds the gradients of the outputs to .grad of the inputs, or of all leaves.
void backward(py::handle outputs, py::handle grad_outputs, std::optional<bool> retain_graph,
              bool create_graph, py::handle inputs) {
  const Tensors y = outputs_of(outputs);
  const Tensors g = gradients_for(y, grad_outputs);
  Tensors x;
  if (!inputs.is_none()) {
    x = inputs_of(inputs);
    check(!x.empty(), "`inputs` argument to `backward()` cannot be empty.");
  }
  const BackwardLock lock;
  const BackwardPassScope pass(y.empty() ? Tensor() : y.front());
  with_advice([&] { glassgrad::backward(y, g, x, retain_graph, create_graph); });
}

std::string name_of(const py::object& hook) {
  return py::str(py::getattr(hook, "__name__", py::str("<unknown>")));
}

uint64_t register_hook(const Tensor& x, py::object hook) {
  const std::string name = name_of(hook);
  const auto call = [hook = std::move(hook)](const Tensor& g) -> Tensor {
    const py::object result = hook(owned(wrap(g)));
    if (result.is_none()) return {};
    const Tensor* replaced = as_tensor(result.ptr());
    check<TypeError>(replaced, "expected Variable, but hook returned '{}'", type_name(result.ptr()));
    return *replaced;
  };
  return x.register_hook(call, name);
}

uint64_t register_post_accumulate_grad_hook(const Tensor& x, py::object hook) {
  return x.register_post_accumulate_grad_hook([hook = std::move(hook)](const Tensor& leaf) {
    const py::object result = hook(owned(wrap(leaf)));
    if (result.is_none()) return;
    check<TypeError>(as_tensor(result.ptr()), "expected Variable, but hook returned '{}'",
                     type_name(result.ptr()));
    fail("Tensor post accumulate grad hooks should return None.");
  });
}

// ---- hooks on saved tensors
struct SavedHooks {
  PyObject *pack, *unpack;
};
thread_local constinit SavedHooks saved_hooks{};

struct PackedByPython : Packed {
  py::object kept, unpack_hook;
  PackedByPython(py::object object, py::object hook)
      : kept(std::move(object)), unpack_hook(std::move(hook)) {}
  ~PackedByPython() override {
    const py::gil_scoped_acquire lock;
    kept = {}, unpack_hook = {};
  }
  Tensor unpack() override {
    const py::gil_scoped_acquire lock;
    const py::object made = unpack_hook(kept);
    const Tensor* const x = as_tensor(made.ptr());
    check<TypeError>(x,
                     "Output of saved tensor unpack_hook expected to be a Tensor but got result of type {}",
                     type_name(made.ptr()));
    return *x;
  }
};
Ref<Packed> pack_by_python(const Tensor& x) {
  const py::gil_scoped_acquire lock;
  const auto hook = [](PyObject* h) { return py::reinterpret_borrow<py::object>(h); };
  const py::object unpack = hook(saved_hooks.unpack);
  return Ref<Packed>(new PackedByPython(hook(saved_hooks.pack)(owned(wrap(x))), unpack));
}
// Without hooks: None. The caller keeps both alive.
void set_saved_hooks(py::handle pack, py::handle unpack) {
  saved_hooks = {pack.ptr(), unpack.ptr()};
  pack_saved = pack.is_none() ? nullptr : pack_by_python;
}
// Returns what a Function keeps of a tensor: the tensor itself, or with hooks a function that unpacks it.
py::object packed(const Tensor& x) {
  if (!pack_saved) return owned(wrap(x));
  const py::object kept = py::reinterpret_borrow<py::object>(saved_hooks.pack)(owned(wrap(x)));
  return py::module_::import("functools").attr("partial")(py::handle(saved_hooks.unpack), kept);
}

// ---- functions written in Python
// The state of such a function's node: Python's backward and how to call it. Owned by a hook of the node.
struct PythonBackward {
  py::object call;              // call(*gradients of the outputs) -> the gradients of the inputs
  std::vector<bool> is_tensor;  // of the inputs
};
struct BackwardAt {
  const PythonBackward* at;
  static constexpr AttrNames kNames{};
};

void run_python(BackwardContext& d, const BackwardAt& b) {
  py::tuple grads(d.grads.size());
  for (size_t k = 0; k < d.grads.size(); ++k) {
    const OutputMeta& meta = d.node.outputs[k];
    grads[k] = owned(wrap(d.grads[k] ? d.grads[k] : zeros(meta.shape, meta.dtype, meta.device)));
  }
  py::object result = b.at->call(*grads);
  if (!py::isinstance<py::tuple>(result)) result = py::make_tuple(result);
  const auto given = py::reinterpret_borrow<py::tuple>(result);
  const std::vector<bool>& is_tensor = b.at->is_tensor;
  size_t n = given.size();
  while (n > is_tensor.size() && given[n - 1].is_none()) --n;
  check(n == is_tensor.size(), "function {} returned an incorrect number of gradients (expected {}, got {})",
        d.node.name(), is_tensor.size(), n);
  for (size_t i = 0; i < n; ++i) {
    const py::object one = given[i];
    if (one.is_none()) continue;
    check(is_tensor[i],
          "function {} returned a gradient different than None at position {}, but the corresponding forward "
          "input was not a Variable",
          d.node.name(), i + 1);
    const Tensor* g = as_tensor(one.ptr());
    check(g, "expected Variable or None (got {})", type_name(one.ptr()));
    if (d.needs(int(i))) d[int(i)] = *g;
  }
}

// Attaches outputs that were computed under no_grad to a node whose gradient Python computes. inputs: one
// entry per argument, None for arguments that are no tensors.
void attach_function(const std::string& name, const Tensors& outputs, py::sequence inputs, py::object call) {
  Tensors in;
  std::vector<bool> is_tensor;
  const Tensor none(0.0);
  for (const py::handle o : inputs) {
    is_tensor.push_back(!o.is_none());
    in.push_back(o.is_none() ? none : inputs_of(o)[0]);
  }
  std::vector<const Tensor*> pointers;
  for (const Tensor& x : in) pointers.push_back(&x);
  if (!any_needs_grad(pointers)) return;
  auto kept = std::make_shared<PythonBackward>(PythonBackward{std::move(call), std::move(is_tensor)});
  const Ref<Node> node = make_node(python_op(name), outputs, pointers, Saves{}, BackwardAt{kept.get()},
                                   [](BackwardContext& d, const BackwardAt& b) { run_python(d, b); });
  for (size_t k = 0; k < outputs.size(); ++k) attach(outputs[k], node, uint16_t(k));
  // The hook keeps the function alive, and tells backward that functions of the program run.
  if (!outputs.empty()) outputs[0].register_hook([kept](const Tensor&) { return Tensor(); });
}

// ---- long work: other Python threads run meanwhile, and Ctrl-C ends a backward
void* let_go() noexcept { return PyGILState_Check() ? PyEval_SaveThread() : nullptr; }
bool is_ending() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing();
#else
  return _Py_IsFinalizing();
#endif
}
void take_again(void* state) noexcept {
  if (!state) return;
  // During its shutdown, Python ends a daemon thread that asks for the GIL in a way that C++ treats as a
  // crash: wait instead.
  while (is_ending()) std::this_thread::sleep_for(std::chrono::seconds(1));
  PyEval_RestoreThread(static_cast<PyThreadState*>(state));
}
void check_interrupt() {
  if (PyGILState_Check() && PyErr_CheckSignals() < 0) throw py::error_already_set();
}

}  // namespace

void bind_autograd(py::module_& m) {
  host = {let_go, take_again, check_interrupt};
  m.def("is_grad_enabled", [] { return grad_mode; });
  m.def("is_inference_mode_enabled", [] { return inference_mode; });
  m.def("set_inference_mode", [](bool on) { inference_mode = on; });
  m.def("set_grad_mode", [](bool on) { grad_mode = on; });
  m.def("grad", gradients);
  m.def("backward", backward);
  m.def("register_hook", register_hook, py::arg("x").none(false), py::arg("hook"));
  m.def("register_post_accumulate_grad_hook", register_post_accumulate_grad_hook, py::arg("x").none(false),
        py::arg("hook"));
  m.def(
      "remove_hook", [](const Tensor& x, uint64_t id) { x.remove_hook(id); }, py::arg("x").none(false),
      py::arg("id"));
  m.def("set_saved_hooks", set_saved_hooks);
  m.def("packed", packed);
  m.def("attach_function", attach_function);
}

}  // namespace glassgrad::python
