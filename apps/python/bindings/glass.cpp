// glassgrad.glass(): a ProgramTrace that opens a program's own numbers, and the names that the program gives
// its tensors. Wrapped by _glass.py.
#include <tuple>
#include <unordered_set>

#include <pybind11/functional.h>
#include <pybind11/stl.h>

// Needs Python.h before it.
#include <frameobject.h>

#include <nlohmann/json.hpp>

#include "apps/ask/why/explanation.h"
#include "apps/python/glass/watch.h"
#include "apps/python/host/host.h"
#include "bind.h"
#include "engine/glass/anomaly.h"
#include "engine/glass/program_trace.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

using why::ProgramRecord, why::ProgramTrace;

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
      ProgramTrace::name(x, n, {.is_own = is_own, .where = use.where, .left = left});
  }

  py::function result_uses_;
  py::object own_;
};

// A number that can be opened. Keeps its trace alive.
struct OpenCell {
  Ref<ProgramTrace> trace;
  SnapshotElement number;

  // Returns f(record, number). f makes no Python objects: the trace is locked, and Python's lock is not held,
  // because an op that f runs may give that up and would then wait for a thread that waits for the trace.
  template <class F>
  auto ask(F f) const {
    const py::gil_scoped_release other_threads_run;
    return trace->ask([&](ProgramRecord& r) { return f(r, number); });
  }
  Tensor tensor() const {
    return ask([](ProgramRecord&, const SnapshotElement& n) { return n.x.tensor(); });
  }
};

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
  const why::CellPage page = cell.ask([&](ProgramRecord& r, const SnapshotElement& number) {
    return r.explained(number, {.exact = exact, .columns = columns}).page;
  });
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
  return cell.ask([&](ProgramRecord& r, const SnapshotElement& whole) {
    const auto opened = [&](const SnapshotElement& number, bool open) {
      why::TreeCell tree{.place = number, .name = r.name_of(number), .is_value = number.x.is_number()};
      if (!open) return tree;
      if (const auto writer = r.computed(number)) {
        tree.call = &r.calls()[writer->call];
        tree.opened = r.open(*writer);
      }
      return tree;
    };
    const why::TreeCells cells = [&](const SnapshotElement& read, bool open) {
      return opened(r.source(read), open);
    };
    return why::cell_json(opened(whole, true), element(whole.x.tensor(), whole.index), cells, depth).dump();
  });
}

// Describes a call to Python, with the names of the tensors that the call read and made.
struct Described {
  RecordedCall call;
  std::string name, path;
  std::vector<std::string> in, out;
};

Described described(ProgramRecord& r, size_t call) {
  check<IndexError>(call < r.calls().size(), "there is no call {}", call);
  const RecordedCall& c = r.calls()[call];
  const auto names = [&](std::span<const Snapshot> all) {
    std::vector<std::string> texts;
    for (const Snapshot& x : all) texts.push_back(x ? r.names_of(x).front() : "");
    return texts;
  };
  return {c, r.name_of_call(call), r.path_of(c.part_of), names(c.in), names(c.out)};
}

py::dict dict_of(const Described& d) {
  const auto shown = [](std::span<const Snapshot> all, const std::vector<std::string>& names) {
    py::list list;
    for (size_t k = 0; k < all.size(); ++k) {
      const Snapshot& x = all[k];
      list.append(
          x ? py::object(py::make_tuple(names[k], std::vector<int64_t>(x.shape().begin(), x.shape().end()),
                                        dtype_name(x.dtype()), x.is_number()))
            : py::none());
    }
    return list;
  };
  return py::dict(py::arg("op") = d.call.op->name, py::arg("name") = d.name, py::arg("path") = d.path,
                  py::arg("backward") = d.call.in_backward, py::arg("is_view") = d.call.is_view,
                  py::arg("inputs") = shown(d.call.in, d.in), py::arg("outputs") = shown(d.call.out, d.out));
}

std::vector<OpenCell> open_cells(const Ref<ProgramTrace>& trace, std::vector<SnapshotElement> numbers) {
  std::vector<OpenCell> all;
  for (SnapshotElement& number : numbers) all.push_back({trace, std::move(number)});
  return all;
}

// Returns the call that computed the number: "softmax 12 in h.0.attn"; "" if no call did.
std::string made_in(ProgramRecord& r, const SnapshotElement& number) {
  const auto by = r.computed(number);
  return by ? r.name_of_call(by->call) + r.place_of(r.calls()[by->call]) : "";
}

// Returns the kind and the place of the tensor's first nan, else of its first infinity.
std::optional<std::pair<std::string, OpenCell>> first_non_finite(const OpenCell& c) {
  const Tensor x = c.tensor();
  std::optional<std::pair<std::string, OpenCell>> found;
  for (int64_t i = 0, n = x.numel(); i < n; ++i) {
    const Dims index = index_of(x.shape(), i);
    const char* const kind = non_finite(element(x, index));
    if (!kind || (found && kind[0] != 'n')) continue;
    found = {kind, OpenCell{c.trace, {c.number.x, index}}};
    if (kind[0] == 'n') break;
  }
  return found;
}

// The cells of the call's inputs that the expression was computed from, each once.
void add_cells(const Expr& e, std::unordered_set<const ExprNode*>& seen,
               std::vector<const ExprNode*>& cells) {
  if (!seen.insert(e.operator->()).second) return;
  if (e->op == "cell") cells.push_back(e.operator->());
  for (const Expr& input : e->inputs) add_cells(input, seen, cells);
}
std::vector<const ExprNode*> cells_read(const Expr& tree) {
  std::unordered_set<const ExprNode*> seen;
  std::vector<const ExprNode*> cells;
  add_cells(tree, seen, cells);
  return cells;
}

// Follows a nan back through nans, or an infinity through infinities, to the call that made it. Each number
// comes before the number computed from it.
std::vector<SnapshotElement> non_finite_trail(const Recorder& trace, const SnapshotElement& number) {
  std::vector<SnapshotElement> trail{number};
  const auto is_nan = [](const char* kind) { return kind && kind[0] == 'n'; };
  const bool nan = is_nan(non_finite(element(number.x.tensor(), number.index)));
  while (const auto writer = trace.writer(trail.back().x, trail.back().index)) {
    const Expr tree = trace.open(*writer).expression;
    const std::vector<const ExprNode*> cells = cells_read(tree);
    const auto next = std::find_if(cells.begin(), cells.end(), [&](const ExprNode* node) {
      const char* const kind = non_finite(node->value);
      return kind && is_nan(kind) == nan;
    });
    if (next == cells.end()) break;
    trail.push_back({trace.calls()[writer->call].in[size_t((*next)->input)], (*next)->index});
  }
  std::reverse(trail.begin(), trail.end());
  return trail;
}

// Compares two runs of one program: the numbers that the call of this number has read and that are different
// in the same call of `after`. None if the programs called different ops.
std::optional<std::vector<OpenCell>> changed_operands(const OpenCell& c, const Glass& after) {
  const auto writer =
      c.ask([](ProgramRecord& r, const SnapshotElement& number) { return r.writer(number.x, number.index); });
  if (!writer) return std::vector<OpenCell>();
  const Op* op = nullptr;
  const std::vector<Tensor> values = after.trace->ask([&](ProgramRecord& r) {
    std::vector<Tensor> in;
    if (writer->call >= r.calls().size()) return in;
    op = r.calls()[writer->call].op;
    for (const Snapshot& x : r.calls()[writer->call].in) in.push_back(x.tensor());
    return in;
  });
  return c.ask([&](ProgramRecord& r, const SnapshotElement&) -> std::optional<std::vector<OpenCell>> {
    const RecordedCall& call = r.calls()[writer->call];
    if (call.op != op) return {};
    std::vector<OpenCell> changed;
    const Expr tree = r.open(*writer).expression;
    for (const ExprNode* node : cells_read(tree)) {
      const auto k = size_t(node->input);
      if (k >= values.size() || !(values[k].shape() == call.in[k].shape())) return {};
      if (!same_bits(node->value, element(values[k], node->index)))
        changed.push_back({c.trace, {call.in[k], node->index}});
    }
    return changed;
  });
}

// Finds x in the given trace; without one, in the trace that made x, else in the newest that has seen x.
std::optional<OpenCell> find(const Tensor& x, Ref<ProgramTrace> trace) {
  if (x->wrapper && !trace)
    if (const Ref<ProgramTrace>& own = static_cast<TensorObject*>(x->wrapper)->trace; own && own->seen(x))
      trace = own;
  if (trace) return OpenCell{trace, {trace->ask([&](ProgramRecord& r) { return r.known(x); }), {}}};
  for (const Ref<ProgramTrace>& one : ProgramTrace::all())
    if (const Snapshot s = one->seen(x)) return OpenCell{one, {s, {}}};
  return {};
}

// Makes a function of a record and a number a function of an OpenCell.
template <class F>
auto asked(F f) {
  return [f](const OpenCell& c) { return c.ask(f); };
}

}  // namespace

void bind_glass(py::module_& m) {
  py::class_<OpenCell>(m, "OpenCell")
      .def("at",
           [](const OpenCell& c, const std::vector<int64_t>& index) {
             return OpenCell{c.trace, {c.number.x, dims_of(index)}};
           })
      .def_property_readonly("name", asked([](auto& r, auto& number) { return r.name_of(number); }))
      .def_property_readonly("names", asked([](auto& r, auto& number) { return r.names_of(number.x); }))
      .def_property_readonly("value",
                             asked([](auto& r, auto& number) { return r.explained(number, {}).value; }))
      .def_property_readonly("is_origin",
                             asked([](auto& r, auto& number) { return r.explained(number, {}).is_origin(); }))
      .def_property_readonly("tensor",
                             [](const OpenCell& c) {
                               const NoGrad off;
                               return clone(c.tensor());
                             })
      .def("why",
           [](const OpenCell& c, int64_t depth, bool exact) {
             check<ValueError>(depth >= 1, "depth is at least 1");
             return text_of(c.ask([&](auto& r, auto& number) {
               return r.explain(number, {{.exact = exact}, depth});
             }));
           })
      .def("json", json)
      .def("lines", lines)
      .def("reads",
           [](const OpenCell& c) {
             return open_cells(
                 c.trace, c.ask([](auto& r, auto& number) { return r.explained(number, {}).page.operands; }));
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
      .def_property_readonly("made_in", asked(made_in))
      .def("first_non_finite", first_non_finite)
      .def("non_finite_trail", [](const OpenCell& c) { return open_cells(c.trace, c.ask(non_finite_trail)); })
      .def("changed_operands", changed_operands)
      .def("made_by", asked([](auto& r, auto& number) { return r.made_by(number.x); }))
      .def("used_in", asked([](auto& r, auto& number) { return r.used_in(number.x); }));

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
      .def("__len__", [](const Glass& g) { return g.trace->size(); })
      .def("line",
           [](const Glass& g, size_t call) {
             return g.trace->ask([&](ProgramRecord& r) {
               check<IndexError>(call < r.calls().size(), "there is no call {}", call);
               return r.line_of(call);
             });
           })
      .def("call",
           [](const Glass& g, size_t call) {
             return dict_of(g.trace->ask([&](ProgramRecord& r) { return described(r, call); }));
           })
      .def("result", [](const Glass& g, size_t call, size_t out) {
        const Snapshot x = g.trace->ask([&](ProgramRecord& r) {
          check<IndexError>(call < r.calls().size() && out < r.calls()[call].out.size(),
                            "there is no such call");
          return r.calls()[call].out[out];
        });
        return OpenCell{g.trace, {x, {}}};
      });
  m.def("find_glass", [](const Tensor& x) { return find(x, {}); });
}

}  // namespace glassgrad::python
