// Watches a reader's program under glass while it runs, and shows it afterwards. Wrapped by runner/glass.py.
#include <fcntl.h>
#include <fmt/core.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstring>

#include "apps/cli/memory.h"
#include "apps/python/glass/again.h"
#include "apps/python/glass/show.h"
#include "apps/python/glass/watch.h"
#include "apps/python/host/host.h"
#include "bind.h"
#include "engine/core/joined.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

// Presents the program as a lesson; `file` is the text to type to run it again.
struct ProgramAsLesson {
  std::string id, file;
  learn::Lesson lesson;

  ProgramAsLesson(std::string name, std::string typed) : id(std::move(name)), file(std::move(typed)) {
    lesson.id = id.c_str();
    lesson.group = learn::Group::Own;
    lesson.source = id.c_str();
    lesson.has_chapter = false;
    lesson.own_file = file.c_str();
    lesson.run_by = "python3 -m glassgrad --glass";
  }
};

// The one program under glass, from its start to the end of the process.
struct Glass {
  std::unique_ptr<LineWatcher> watcher;
  std::optional<ScriptRun> run;
  KeptRounds keep;
  std::vector<std::string> side_effects;  // the program's side effects: "writes out.txt"
  bool is_hook_installed = false;         // the audit hook that reports them is installed
  bool has_threads = false;               // the program has started some
};
Glass& glass() {
  static auto& one = *new Glass;  // outlives the interpreter, which frees what it holds
  return one;
}

void note_side_effect(const std::string& effect) {
  std::vector<std::string>& all = glass().side_effects;
  constexpr size_t kMost = 3;
  if (all.size() < kMost && std::find(all.begin(), all.end(), effect) == all.end()) all.push_back(effect);
}

// Notes "writes out.txt" if the file is opened for writing. Python's own caches do not count.
void note_open(PyObject* arguments) {
  PyObject *path = nullptr, *mode = nullptr;
  int flags = 0;
  if (!PyArg_ParseTuple(arguments, "OOi", &path, &mode, &flags)) return PyErr_Clear();
  bool writes = (flags & (O_WRONLY | O_RDWR)) != 0;
  if (PyUnicode_Check(mode)) writes = to_text(mode).find_first_of("wax+") != std::string_view::npos;
  if (!writes || !PyUnicode_Check(path)) return;
  const std::string_view name = to_text(path);
  if (name.find("__pycache__") == name.npos && name != "/dev/null")
    note_side_effect(fmt::format("writes {}", name));
}

int audit_hook(const char* event, PyObject* arguments, void*) {
  if (!glass().watcher) return 0;
  constexpr std::pair<const char*, const char*> kSideEffects[] = {
      {"builtins.input", "reads stdin"},        {"subprocess.Popen", "starts programs"},
      {"os.system", "starts programs"},         {"os.exec", "starts programs"},
      {"socket.connect", "talks to a network"}, {"os.remove", "removes files"},
      {"os.rename", "renames files"},           {"os.mkdir", "makes folders"}};
  if (std::strcmp(event, "open") == 0)
    note_open(arguments);
  else if (std::strncmp(event, "_thread.start", 13) == 0)
    glass().has_threads = true;
  else
    for (const auto& [name, effect] : kSideEffects)
      if (std::strcmp(event, name) == 0) note_side_effect(effect);
  return 0;
}

void start_watching(py::object read_file, size_t keep_last, size_t keep_first, size_t keep_end,
                    size_t most_calls, const py::bytes& request) {
  Glass& g = glass();
  const std::string asked = request;
  WatchOptions options{.keep = {.last = keep_last, .first = keep_first, .end = keep_end},
                       .most_bytes = available_memory() / 2,
                       .most_calls = most_calls};
  if (!asked.empty()) {
    RerunRequest a = parse_request(asked);
    options.change = std::move(a.change), options.keep = a.keep;
  }
  g.keep = options.keep;
  g.side_effects.clear();
  g.has_threads = false;
  g.watcher = std::make_unique<LineWatcher>(std::move(read_file), std::move(options));
  if (!std::exchange(g.is_hook_installed, true)) PySys_AddAuditHook(audit_hook, nullptr);
  g.watcher->start();
}

void stop_watching() {
  Glass& g = glass();
  g.watcher->stop();
  g.run = g.watcher->take();
  if (g.has_threads)
    g.run->remarks.emplace_back(
        "The program has started threads. What they compute is not recorded: their tensors count as given.");
  g.watcher.reset();
}

// Runs the program again. With side effects, refuses the first time unless it is allowed.
class Again {
 public:
  Again(const learn::Lesson& lesson, int socket, int result, bool allowed)
      : lesson_(lesson), socket_(socket), result_(result), allowed_(allowed) {}

  learn::Recording operator()(learn::Keep, const learn::Patch& change) {
    const ScriptRun& run = *glass().run;
    if (change.pokes.empty() && change.given.empty()) return recording_of(run, lesson_);
    const std::vector<std::string>& side_effects = glass().side_effects;
    if (!side_effects.empty() && !std::exchange(allowed_, true))
      fail("{} {}, and it would do so again: --again before the file allows it, and so does asking once more",
           lesson_.id, joined(side_effects, ", "));
    KeptRounds keep = glass().keep;
    if (keep.last > 0) keep = {.last = 0, .first = std::max<size_t>(run.first_round, 1), .end = 0};
    return recording_of(run_again(socket_, result_, {change, keep}), lesson_);
  }

 private:
  const learn::Lesson& lesson_;
  int socket_, result_;
  bool allowed_;
};

int show_run(const std::string& name, const std::string& typed, const std::string& flags, int socket,
             int result, const py::dict& o) {
  const auto text = [&](const char* key) -> std::optional<std::string> {
    if (o[key].is_none()) return {};
    return o[key].cast<std::string>();
  };
  ShowOptions options{.form = text("form").value_or(""),
                      .path = text("path").value_or(""),
                      .from = text("from"),
                      .to = text("to"),
                      .backward = o["backward"].cast<bool>(),
                      .why = o["why"].cast<std::vector<std::string>>(),
                      .depth = o["depth"].cast<int64_t>(),
                      .exact = o["exact"].cast<bool>(),
                      .set = o["set"].cast<std::vector<std::string>>(),
                      .at_end = false};
  const ProgramAsLesson program(name, typed);
  const ScriptRun& run = *glass().run;
  options.at_end = !run.lines.empty() && !run.lines.back().raised.empty();
  const auto again = std::make_shared<Again>(program.lesson, socket, result, o["again"].cast<bool>());
  const learn::Runner runner = [again](learn::Keep keep, const learn::Patch& change) {
    return (*again)(keep, change);
  };
  return show(program.lesson, runner, flags, options);
}

}  // namespace

void bind_program(py::module_& m) {
  py::module_ g = m.def_submodule("_glass", "a program under glass");
  g.def("start", start_watching, py::arg("read_file"), py::arg("keep_last"), py::arg("keep_first"),
        py::arg("keep_end"), py::arg("most_calls"), py::arg("request"));
  g.def("stop", stop_watching);
  g.def("leave", [] {  // called in a process that the program has forked
    if (glass().watcher) glass().watcher->stop();
  });
  g.def("printed", [](const std::string& text) {
    if (glass().watcher) glass().watcher->printed(text);
  });
  g.def("note_side_effect", note_side_effect);
  g.def("raised", [](py::handle frame, int line, const std::string& text) {
    if (glass().watcher) glass().watcher->raised(frame.ptr(), line, text);
  });
  g.def("bytes", [] { return py::bytes(serialize_run(*glass().run)); });
  g.def("remarks", [] { return glass().run->remarks; });
  g.def("show", show_run, py::arg("name"), py::arg("typed"), py::arg("flags"), py::arg("socket"),
        py::arg("result"), py::arg("options"));
}

}  // namespace glassgrad::python
