#include "watch.h"

#include <frameobject.h>

#include <algorithm>

#include "apps/python/host/host.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

// Sets the program's pending exception aside until the end of the scope.
class Pending {
 public:
#if PY_VERSION_HEX >= 0x030C0000
  Pending() : value_(PyErr_GetRaisedException()) {}
  ~Pending() { PyErr_SetRaisedException(value_); }
#else
  Pending() { PyErr_Fetch(&type_, &value_, &trace_); }
  ~Pending() { PyErr_Restore(type_, value_, trace_); }
#endif
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

 private:
  PyObject* value_ = nullptr;
#if PY_VERSION_HEX < 0x030C0000
  PyObject *type_ = nullptr, *trace_ = nullptr;
#endif
};

LineWatcher* running = nullptr;

}  // namespace

int instruction_of(PyFrameObject* frame) {
#if PY_VERSION_HEX >= 0x030B0000
  return PyFrame_GetLasti(frame);
#elif PY_VERSION_HEX >= 0x030A0000
  return frame->f_lasti * 2;
#else
  return frame->f_lasti;
#endif
}

py::object locals_of(PyFrameObject* frame) {
#if PY_VERSION_HEX >= 0x030B0000
  py::object locals = py::reinterpret_steal<py::object>(PyFrame_GetLocals(frame));
  if (locals && !PyDict_Check(locals.ptr())) {  // since 3.13 a view into the frame
    py::object copy = py::reinterpret_steal<py::object>(PyDict_New());
    if (!copy || PyDict_Update(copy.ptr(), locals.ptr()) < 0) PyErr_Clear();
    locals = std::move(copy);
  }
#else
  if (PyFrame_FastToLocalsWithError(frame) < 0) PyErr_Clear();
  py::object locals = py::reinterpret_borrow<py::object>(frame->f_locals);
#endif
  if (!locals) PyErr_Clear();
  return locals;
}

LineWatcher::LineWatcher(py::object read_file, WatchOptions options)
    : program_(std::move(read_file)),
      options_(std::move(options)),
      poking_(options_.change.pokes, [this](size_t out, const Dims& index) {
        recorder_->set_by_hand({recorder_->calls().size(), out, index});
      }) {
  run_.trace = std::make_shared<Recorder>();
  recorder_ = run_.trace.get();
}

LineWatcher::~LineWatcher() { stop(); }

void LineWatcher::start() {
  check(!watching, "something else is watching this computation already");
  running = this;
  on_ = true;
  watching = this;
  backward_pass_watcher = this;
  PyEval_SetTrace(trace, nullptr);
}

void LineWatcher::stop() {
  if (running != this) return;
  running = nullptr;
  on_ = false;
  if (watching == this) watching = nullptr;
  if (backward_pass_watcher == this) backward_pass_watcher = nullptr;
  PyEval_SetTrace(nullptr, nullptr);
}

// ---- events of Python
int LineWatcher::trace(PyObject*, PyFrameObject* frame, int what, PyObject* arg) {
  LineWatcher* const self = running;
  if (!self) return 0;
  if (what == PyTrace_LINE) {
    if (self->frames_.empty() || self->frames_.back().frame != frame) return 0;
  } else if (what == PyTrace_RETURN) {
    if (self->frames_.empty() || self->frames_.back().frame != frame) return 0;
  } else if (what != PyTrace_CALL) {
    return 0;
  }
  const Watch nobody(nullptr);  // the watcher's own ops are not recorded
  const Pending pending;
  try {
    if (what == PyTrace_CALL)
      self->entered(frame);
    else if (what == PyTrace_LINE)
      self->line(frame);
    else
      self->left(frame, arg);
  } catch (py::error_already_set& e) {
    e.discard_as_unraisable("glassgrad");
  } catch (const std::bad_alloc&) {
    self->cut("there was no more memory");
  } catch (const std::exception& e) {
    self->cut(e.what());
  }
  return 0;
}

void LineWatcher::entered(PyFrameObject* frame) {
  PyCodeObject* const code = PyFrame_GetCode(frame);
  const py::object held = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(code));
  const CodeInfo& info = program_.of(code);
  if (!info.file || info.is_part) {
    static PyObject* const name = PyUnicode_InternFromString("f_trace_lines");
    if (PyObject_SetAttr(reinterpret_cast<PyObject*>(frame), name, Py_False) < 0) PyErr_Clear();
    return;
  }
  if (info.is_generator) {
    const auto waiting = suspended_.find(frame);
    if (waiting != suspended_.end()) {
      const bool same = waiting->second.code == code;
      if (same) frames_.push_back(std::move(waiting->second));
      suspended_.erase(waiting);
      if (same) return;
    }
  }
  unwound_.clear();  // the exception has been caught by now
  Frame& f = frames_.emplace_back();
  f.frame = frame;
  f.code = code;
  f.info = &info;
  f.lines = &lines_of_[code];
  f.calls = calls_, f.writes = writes_;
  if (info.function.empty() || !on_) return;
  // Record the parameters of the call.
  const py::object locals = locals_of(frame);
  if (!locals) return;
  const Statement head = info.file->at(info.line);
  RunLine l{.function = function_of(info), .line = head.first, .last = head.last, .is_entry = true};
  look(f, locals.ptr(), /*deep=*/false, l.values);
  if (!l.values.empty()) push(std::move(l), f, locals.ptr());
}

int LineWatcher::line_at(Frame& f, int instruction) const {
  if (instruction < 0) return f.info->line;
  const size_t at = size_t(instruction) / 2;
  if (f.lines->size() <= at) f.lines->resize(at + 64);
  int& line = (*f.lines)[at];
  if (line == 0) line = std::max(PyCode_Addr2Line(f.code, instruction), 1);
  return line;
}

void LineWatcher::line(PyFrameObject* frame) {
  Frame& f = frames_.back();
  const int to = instruction_of(frame);
  if (f.instruction < 0) {  // the first line
    f.instruction = to;
    return;
  }
  const Statement before = f.info->file->at(line_at(f, f.instruction));
  const int to_line = line_at(f, to);
  const bool goes_on = to > f.instruction && to_line >= before.first && to_line <= before.last;
  if (goes_on) return;  // still in the same statement, which keeps its start
  if (f.calls != calls_ || f.writes != writes_ || before.gives_names || !printed_.empty())
    finish(f, before, nullptr);
  if (to <= f.instruction) jumped_back(f, to_line);
  f.instruction = to;
}

void LineWatcher::left(PyFrameObject*, PyObject* result) {
  Frame& f = frames_.back();
  if (f.instruction >= 0 && (f.calls != calls_ || f.writes != writes_ || !printed_.empty()))
    finish(f, f.info->file->at(line_at(f, f.instruction)), result);
  if (!result) unwound_.emplace_back(f.frame, f.rounds);
  if (f.info->is_generator && result) suspended_.insert_or_assign(f.frame, std::move(f));
  frames_.pop_back();
}

// A `for` jumps back to its head, a `while` to its head or, since 3.10, to the first line below it.
void LineWatcher::jumped_back(Frame& f, int to_line) {
  const SourceFile& file = *f.info->file;
  const Statement to = file.at(to_line);
  const auto loop = file.loops.find(to.loop);
  if (loop == file.loops.end()) return;
  const bool at_body = loop->second.is_while && to.first == loop->second.body;
  if (to.first != to.loop && !at_body) return;
  ++f.rounds[to.loop];
  f.round_cache.clear();
  for (auto r = f.rounds.begin(); r != f.rounds.end();) {  // inner loops start again
    int around = r->first == to.loop ? 0 : file.loops.at(r->first).around;
    while (around && around != to.loop) around = file.loops.at(around).around;
    r = around ? f.rounds.erase(r) : std::next(r);
  }
  if (on_) round_ends(f, to.loop);
}

void LineWatcher::raised(PyObject* frame, int line, const std::string& text) {
  auto* const at = reinterpret_cast<PyFrameObject*>(frame);
  PyCodeObject* const code = PyFrame_GetCode(at);
  const py::object held = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(code));
  const CodeInfo& info = program_.of(code);
  if (!info.file) return;
  const size_t function = function_of(info);
  const Statement where = info.file->at(line);
  const bool is_last = !run_.lines.empty() && run_.lines.back().function == function &&
                       run_.lines.back().line == where.first && !run_.lines.back().is_entry;
  if (!is_last) {
    Frame f;
    f.frame = at, f.code = code, f.info = &info;
    for (auto& [frame_left, rounds] : unwound_)
      if (frame_left == at) f.rounds = rounds;
    RunLine l{.function = function, .line = where.first, .last = where.last};
    const py::object locals = locals_of(at);
    push(std::move(l), f, locals ? locals.ptr() : nullptr);
  }
  run_.lines.back().raised = text;
}

// ---- a line has ended
size_t LineWatcher::function_of(const CodeInfo& info) {
  const auto known = functions_.find(&info);
  if (known != functions_.end()) return known->second;
  const auto [file, is_new] = files_.try_emplace(info.file, run_.files.size());
  if (is_new)
    run_.files.push_back({.name = info.file->name, .stem = info.file->stem(), .lines = info.file->lines});
  run_.functions.push_back({.file = file->second, .name = info.function});
  return functions_[&info] = run_.functions.size() - 1;
}

void LineWatcher::finish(Frame& f, const Statement& where, PyObject* result) {
  const bool deep = f.writes != writes_;
  f.calls = calls_, f.writes = writes_;
  if (!on_) return printed_.clear();
  const py::object locals = locals_of(f.frame);
  if (!locals) return;
  RunLine l{.function = function_of(*f.info), .line = where.first, .last = where.last};
  look(f, locals.ptr(), deep, l.values);
  if (result) {
    Look how{.deep = false, .left = 64};
    look_into("return", result, 1, how, f, l.values);
  }
  l.printed = std::exchange(printed_, {});
  if (!l.values.empty() || !l.printed.empty() || !line_passes_.empty()) push(std::move(l), f, locals.ptr());
}

namespace {

// Returns "2", "0.5", "'train'" to tell a loop's rounds apart; "" for other types and for long texts.
std::string short_text(PyObject* o) {
  if (!o || !(PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o) || PyUnicode_CheckExact(o)))
    return {};
  const py::object text = py::reinterpret_steal<py::object>(PyObject_Repr(o));
  if (!text) return PyErr_Clear(), "";
  constexpr size_t kWidest = 24;
  const std::string_view whole = to_text(text.ptr());
  return whole.size() <= kWidest ? std::string(whole) : "";
}

}  // namespace

// Returns the rounds of a loop and of those around it. Built once in each round.
std::shared_ptr<const std::vector<Round>> LineWatcher::rounds_of(Frame& f, int loop, PyObject* locals) {
  std::shared_ptr<const std::vector<Round>>& known = f.round_cache[loop];
  if (known) return known;
  const SourceFile& file = *f.info->file;
  std::vector<Round> rounds;
  for (; loop; loop = file.loops.at(loop).around) {
    Round round{.loop = loop, .number = f.rounds.contains(loop) ? f.rounds.at(loop) + 1 : 1};
    for (const std::string& name : file.loops.at(loop).variables)
      if (std::string value = short_text(locals ? PyDict_GetItemString(locals, name.c_str()) : nullptr);
          !value.empty())
        round.variables += (round.variables.empty() ? "" : ", ") + name + " = " + value;
    rounds.push_back(std::move(round));
  }
  return known = std::make_shared<const std::vector<Round>>(std::move(rounds));
}

void LineWatcher::push(RunLine l, Frame& f, PyObject* locals) {
  l.turn = ++turns_[{l.function, l.line}];
  l.end_call = recorder_->calls().size();
  l.first_call = std::exchange(assigned_calls_, l.end_call);
  const bool is_top = !frames_.empty() && &frames_.back() == &f;
  if (is_top && frames_.size() > 1) {
    Frame& caller = frames_[frames_.size() - 2];
    l.caller = function_of(*caller.info);
    l.called_at = caller.info->file->at(line_at(caller, caller.instruction)).first;
  }
  if (const int loop = l.is_entry ? 0 : f.info->file->at(l.line).loop) l.rounds = rounds_of(f, loop, locals);
  for (RunBackwardPass& pass : line_passes_) {
    pass.line = run_.lines.size();
    run_.passes.push_back(std::move(pass));
  }
  line_passes_.clear();
  run_.lines.push_back(std::move(l));
}

ScriptRun LineWatcher::take() { return std::move(run_); }

}  // namespace glassgrad::python
