// glassgrad.glass(): a ProgramTrace that opens a program's own numbers, and the names that the program gives
// its tensors. Wrapped by _glass.py.
#include <tuple>

#include <pybind11/functional.h>
#include <pybind11/stl.h>

// Needs Python.h before it.
#include <frameobject.h>

#include <nlohmann/json.hpp>

#include "apps/ask/why/explanation.h"
#include "apps/python/glass/watch.h"
#include "apps/python/host/host.h"
#include "bind.h"
#include "engine/explain/program_trace.h"
#include "engine/explain/trails.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

using why::ProgramTrace;

// How the program uses the result of an instruction, as _result_uses.py reads it from the code.
struct ResultUse {
  enum Kind { Nothing, Returned, ReturnedByScope, Named };
  int begin = 0;
  int64_t end = 0;  // exclusive; byte offsets of the instruction
  int kind = Nothing;
  std::vector<std::vector<std::string>> names;  // of each part of the result; names[0] if it is no tuple
  bool is_tuple = false;
  bool is_module = false;  // at the top of a file or of a notebook's cell
  std::string where;       // "mha.py:12"
};

PyObject* globals_of(PyFrameObject* frame) {  // borrowed: the frame holds them
#if PY_VERSION_HEX >= 0x030B0000
  PyObject* const globals = PyFrame_GetGlobals(frame);
  Py_XDECREF(globals);
  return globals;
#else
  return frame->f_globals;
#endif
}

class PythonTrace : public ProgramTrace, public ResultWatcher {
 public:
  // own: the frame whose variables are the program's own, or a notebook's globals.
  PythonTrace(py::function result_uses, py::object own)
      : result_uses_(std::move(result_uses)), own_(std::move(own)) {}

  // x is the result of the program's current instruction. The frame that stores it gives it its name.
  void given(TensorObject* x) override {
    const int part = parts_of_result < 0 ? -1 : parts_of_result++;
    if (!is_watching()) return look_away();
    x->trace = Ref<ProgramTrace>::share(this);
    size_t left = 0;  // the scopes that have returned x
    PyFrameObject* at = PyEval_GetFrame();
    for (py::object frame = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(at)); at;) {
      const ResultUse& use = result_use_at(at);
      if (use.kind == ResultUse::Named) return name(x->tensor, use, part, at, left);
      if (use.kind == ResultUse::Nothing) return;
      left += use.kind == ResultUse::ReturnedByScope;
      frame = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(PyFrame_GetBack(at)));
      at = reinterpret_cast<PyFrameObject*>(frame.ptr());
    }
  }

  void leaf_gradient(const Tensor& leaf, const Tensor& grad) override {
    ProgramTrace::leaf_gradient(leaf, grad);
    if (leaf->wrapper) static_cast<TensorObject*>(leaf->wrapper)->trace = Ref<ProgramTrace>::share(this);
  }

  // Stops watching and releases the program's objects.
  void end() {
    stop();
    look_away();
    own_ = py::none();
  }
  void begin() {
    opened().push_back(Ref<ProgramTrace>::share(this));
    result_watcher = this;
  }

 private:
  // This thread's traces; the last one watches.
  static std::vector<Ref<ProgramTrace>>& opened() {
    thread_local std::vector<Ref<ProgramTrace>> traces;
    return traces;
  }
  static void look_away() {
    while (!opened().empty() && !opened().back()->is_watching()) {
      const Ref<ProgramTrace> ended = std::move(opened().back());  // may destroy the trace
      opened().pop_back();
    }
    result_watcher = opened().empty() ? nullptr : static_cast<PythonTrace*>(opened().back().get());
  }

  // The result uses of each code object that a frame has run, in instruction order. Built once per process.
  struct Code {
    py::object held;  // held, so that its address is not reused
    std::vector<ResultUse> uses;
  };
  static std::unordered_map<PyCodeObject*, Code>& codes() {
    static auto& all = *new std::unordered_map<PyCodeObject*, Code>;  // outlives the interpreter
    return all;
  }

  const ResultUse& result_use_at(PyFrameObject* frame) {
    static const ResultUse nothing;
    PyCodeObject* const code = PyFrame_GetCode(frame);
    py::object held = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(code));
    auto known = codes().find(code);
    if (known == codes().end()) {
      constexpr size_t kMostCodes = 10'000;  // limits the cache for a program that keeps making code
      Code read{held, {}};
      for (const py::handle one : result_uses_(held)) {
        const auto [begin, end, what] = one.cast<std::tuple<int, int64_t, py::tuple>>();
        read.uses.push_back({.begin = begin,
                             .end = end,
                             .kind = what[0].cast<int>(),
                             .names = what[2].cast<std::vector<std::vector<std::string>>>(),
                             .is_tuple = what[1].cast<bool>(),
                             .is_module = what[3].cast<bool>(),
                             .where = what[4].cast<std::string>()});
      }
      if (codes().size() >= kMostCodes) codes().clear();
      known = codes().emplace(code, std::move(read)).first;
    }
    const std::vector<ResultUse>& all = known->second.uses;
    const int at = instruction_of(frame);
    const auto after =
        std::upper_bound(all.begin(), all.end(), at, [](int i, const ResultUse& s) { return i < s.begin; });
    return after != all.begin() && at < (after - 1)->end ? *(after - 1) : nothing;
  }

  void name(const Tensor& x, const ResultUse& use, int part, PyFrameObject* frame, size_t left) {
    if (use.is_tuple != (part >= 0) || size_t(std::max(part, 0)) >= use.names.size()) return;
    const bool is_own = own_.ptr() == reinterpret_cast<PyObject*>(frame) ||
                        (use.is_module && own_.ptr() == globals_of(frame));
    for (const std::string& n : use.names[size_t(std::max(part, 0))])
      ProgramTrace::name(x, is_own ? n : qualified(n, left), {.is_own = is_own, .where = use.where});
  }

  py::function result_uses_;
  py::object own_;
};

// A number that can be opened. Keeps its trace alive.
struct OpenCell {
  Ref<ProgramTrace> trace;
  SnapshotElement number;
};

Snapshot value_of_call(ProgramTrace& trace, size_t call, size_t out) {
  check<IndexError>(call < trace.calls().size() && out < trace.calls()[call].out.size(),
                    "there is no such call");
  return trace.calls()[call].out[out];
}

struct Glass {
  Ref<ProgramTrace> trace;
  PythonTrace& own() const { return static_cast<PythonTrace&>(*trace); }
};

Dims dims_of(const std::vector<int64_t>& index) {
  Dims dims;
  for (const int64_t i : index) dims.push(i);
  return dims;
}

std::vector<std::vector<std::pair<std::string, py::object>>> lines(const OpenCell& cell, bool exact,
                                                                   size_t columns) {
  const why::CellPage page = cell.trace->explained(cell.number, {.exact = exact, .columns = columns}).page;
  std::vector<std::vector<std::pair<std::string, py::object>>> all;
  for (const why::Text& line : page.lines) {
    auto& parts = all.emplace_back();
    for (const why::Piece& piece : line)
      parts.emplace_back(piece.text,
                         piece.operand < 0
                             ? py::none()
                             : py::cast(OpenCell{cell.trace, page.operands[size_t(piece.operand)]}));
  }
  return all;
}

std::string json(const OpenCell& cell, int64_t depth) {
  ProgramTrace& trace = *cell.trace;
  const auto opened = [&](const SnapshotElement& number, const std::string& name, bool open) {
    why::TreeCell tree{.place = number, .name = name, .is_value = ProgramTrace::is_value(number)};
    if (!open) return tree;
    if (const auto writer = trace.computed(number)) {
      tree.call = &trace.calls()[writer->call];
      tree.opened = trace.open(*writer);
    }
    return tree;
  };
  const why::TreeCells cells = [&](const SnapshotElement& read, bool open) {
    const SnapshotElement number = trace.source(read);
    return opened(number, trace.name_of(number), open);
  };
  return why::cell_json(opened(cell.number, trace.name_of(cell.number), true),
                        element(cell.number.x.tensor(), cell.number.index), cells, depth)
      .dump();
}

py::dict described(ProgramTrace& trace, size_t call) {
  check<IndexError>(call < trace.calls().size(), "there is no call {}", call);
  const RecordedCall& c = trace.calls()[call];
  const auto shown = [&](std::span<const Snapshot> all) {
    py::list list;
    for (const Snapshot& x : all)
      list.append(x ? py::object(py::make_tuple(trace.name_of(x),
                                                std::vector<int64_t>(x.shape().begin(), x.shape().end()),
                                                dtype_name(x.dtype()), x.is_number()))
                    : py::none());
    return list;
  };
  return py::dict(py::arg("op") = c.op->name, py::arg("name") = trace.name_of_call(call),
                  py::arg("path") = trace.path_of(c), py::arg("backward") = c.in_backward,
                  py::arg("is_view") = c.is_view, py::arg("inputs") = shown(c.in),
                  py::arg("outputs") = shown(c.out));
}

std::vector<OpenCell> open_cells(const Ref<ProgramTrace>& trace, std::vector<SnapshotElement> numbers) {
  std::vector<OpenCell> all;
  for (SnapshotElement& number : numbers) all.push_back({trace, std::move(number)});
  return all;
}

// Returns the call that computed the number: "softmax 12 in h.0.attn"; "" if no call did.
std::string made_in(const OpenCell& c) {
  const auto call = c.trace->computed(c.number);
  if (!call) return "";
  const RecordedCall& made = c.trace->calls()[call->call];
  const std::string path = c.trace->path_of(made);
  return c.trace->name_of_call(call->call) + (made.in_backward ? ", going backward"
                                              : path.empty()   ? ""
                                                               : " in " + path);
}

// Returns the kind and the place of the tensor's first nan, else of its first infinity.
std::optional<std::pair<std::string, OpenCell>> first_non_finite(const OpenCell& c) {
  const Tensor x = c.number.x.tensor();
  std::optional<std::pair<std::string, OpenCell>> found;
  for (int64_t i = 0, n = x.numel(); i < n; ++i) {
    const Dims index = index_of(x.shape(), i);
    const char* const kind = why::non_finite(element(x, index));
    if (!kind || (found && kind[0] != 'n')) continue;
    found = {kind, OpenCell{c.trace, {c.number.x, index}}};
    if (kind[0] == 'n') break;
  }
  return found;
}

// Finds x in the given trace; without one, in the trace that made x, else in the newest that has seen x.
std::optional<OpenCell> find(const Tensor& x, Ref<ProgramTrace> trace) {
  if (x->wrapper && !trace)
    if (const Ref<ProgramTrace>& own = static_cast<TensorObject*>(x->wrapper)->trace; own && own->seen(x))
      trace = own;
  if (trace) return OpenCell{trace, {trace->known(x), {}}};
  for (const Ref<ProgramTrace>& one : ProgramTrace::all())
    if (const Snapshot s = one->seen(x)) return OpenCell{one, {s, {}}};
  return {};
}

}  // namespace

void bind_glass(py::module_& m) {
  py::class_<OpenCell>(m, "OpenCell")
      .def("at",
           [](const OpenCell& c, const std::vector<int64_t>& index) {
             return OpenCell{c.trace, {c.number.x, dims_of(index)}};
           })
      .def_property_readonly("name", [](const OpenCell& c) { return c.trace->name_of(c.number); })
      .def_property_readonly("names", [](const OpenCell& c) { return c.trace->names_of(c.number.x); })
      .def_property_readonly("value",
                             [](const OpenCell& c) { return c.trace->explained(c.number, {}).value; })
      .def_property_readonly("is_origin",
                             [](const OpenCell& c) { return c.trace->explained(c.number, {}).is_origin(); })
      .def_property_readonly("tensor",
                             [](const OpenCell& c) {
                               const NoGrad off;
                               return clone(c.number.x.tensor());
                             })
      .def("why",
           [](const OpenCell& c, int64_t depth, bool exact) {
             check<ValueError>(depth >= 1, "depth is at least 1");
             return text_of(c.trace->explain(c.number, {{.exact = exact}, depth}));
           })
      .def("json", json)
      .def("lines", lines)
      .def("reads",
           [](const OpenCell& c) {
             std::vector<OpenCell> all;
             for (SnapshotElement& e : c.trace->explained(c.number, {}).page.operands)
               all.push_back({c.trace, std::move(e)});
             return all;
           })
      .def_property_readonly("index",
                             [](const OpenCell& c) {
                               return std::vector<int64_t>(c.number.index.begin(), c.number.index.end());
                             })
      .def_property_readonly("shape",
                             [](const OpenCell& c) {
                               return std::vector<int64_t>(c.number.x.shape().begin(),
                                                           c.number.x.shape().end());
                             })
      .def_property_readonly("made_in", made_in)
      .def("first_non_finite", first_non_finite)
      .def("non_finite_trail",
           [](const OpenCell& c) { return open_cells(c.trace, why::non_finite_trail(*c.trace, c.number)); })
      .def("changed_trail",
           [](const OpenCell& c, const Glass& after, const std::function<bool(const OpenCell&)>& prefer) {
             return open_cells(
                 c.trace, why::changed_trail(*c.trace, *after.trace, c.number, [&](const SnapshotElement& e) {
                   return prefer({c.trace, e});
                 }));
           })
      .def("made_by", [](const OpenCell& c) { return c.trace->made_by(c.number.x); })
      .def("used_in", [](const OpenCell& c) { return c.trace->used_in(c.number.x); });

  py::class_<Glass>(m, "Glass")
      .def(py::init([](py::function result_uses, py::object own) {
             return Glass{Ref<ProgramTrace>(new PythonTrace(std::move(result_uses), std::move(own)))};
           }),
           py::arg("result_uses"), py::arg("own"))
      .def("begin",
           [](const Glass& g) {
             ProgramTrace::watch(g.trace);
             g.own().begin();
           })
      .def("end", [](const Glass& g) { g.own().end(); })
      .def("name",
           [](const Glass& g, const Tensor& x, const std::string& name) { g.trace->name(x, name, {}); })
      .def("find", [](const Glass& g, const Tensor& x) { return find(x, g.trace); })
      .def("__len__", [](const Glass& g) { return g.trace->calls().size(); })
      .def("line",
           [](const Glass& g, size_t call) {
             check<IndexError>(call < g.trace->calls().size(), "there is no call {}", call);
             return g.trace->line_of(call);
           })
      .def("call", [](const Glass& g, size_t call) { return described(*g.trace, call); })
      .def("result", [](const Glass& g, size_t call, size_t out) {
        return OpenCell{g.trace, {value_of_call(*g.trace, call, out), {}}};
      });
  m.def("find_glass", [](const Tensor& x) { return find(x, {}); });
}

}  // namespace glassgrad::python
