// Watches a Python program while it runs, and records after each line what the line did to tensors. The
// Recorder keeps the calls; the watcher keeps the lines that made them, and the names of the tensors.
#pragma once
#include <optional>
#include <unordered_map>

#include "apps/python/glass/program.h"
#include "apps/python/glass/run.h"
#include "apps/python/host/passes.h"
#include "engine/trace.h"

namespace glassgrad::python {

struct WatchOptions {
  KeptRounds keep;
  double most_bytes = 0;  // the most to record, and the least memory to leave free
  size_t most_calls = 0;
  learn::Patch change = {};  // numbers to change
};

// Returns a frame's names as a dict; null if it has none. Runs none of the program's code.
pybind11::object locals_of(PyFrameObject* frame);
// Returns the byte offset of the instruction that the frame has reached.
int instruction_of(PyFrameObject* frame);

class LineWatcher final : private Observer, private BackwardPassWatcher {
 public:
  LineWatcher(pybind11::object read_file, WatchOptions options);
  ~LineWatcher() override;
  LineWatcher(const LineWatcher&) = delete;
  LineWatcher& operator=(const LineWatcher&) = delete;

  // Watch this thread from start() to stop().
  void start();
  void stop();
  // Takes text that the program printed to stdout.
  void printed(const std::string& text) { printed_ += text; }
  // Takes the exception that ended the program: the program's frame that raised it, and the traceback's last
  // line.
  void raised(PyObject* frame, int line, const std::string& text);
  // Returns the whole run. Call it once, after stop().
  ScriptRun take();

 private:
  // Identifies the tensor that a name refers to, and its state. Cheap to compare; keeps nothing alive.
  struct Binding {
    const Impl* impl = nullptr;
    uint64_t storage = 0, version = 0, node = 0;
    int64_t offset = 0;
    Dims shape = {};
    friend bool operator==(const Binding&, const Binding&) = default;
  };
  struct SeenName {
    PyObject* object = nullptr;  // only compared
    Binding binding = {};
    size_t look = 0;  // the look that last found it
  };
  struct Frame {
    PyFrameObject* frame = nullptr;
    PyCodeObject* code = nullptr;
    const CodeInfo* info = nullptr;
    std::vector<int>* lines = nullptr;  // the code's lines by instruction; 0: not looked up yet
    int instruction = -1;               // where the current line began; < 0: nowhere yet
    uint64_t calls = 0, writes = 0;     // the totals when one of its lines last ended
    std::vector<std::pair<PyObject*, SeenName>> names;  // in the frame's order
    SeenName& seen_name(PyObject* name, size_t& at);    // at: index of the previous result, then of this one
    size_t looks = 0;                                   // number of looks at its names
    std::map<int, std::shared_ptr<const std::vector<Round>>> round_cache;  // the current rounds by loop
    std::map<int, size_t> rounds;                                          // ended rounds by loop head
  };
  // Limits of a search for tensors in objects.
  struct Look {
    bool deep;
    size_t left;  // objects that may still be visited
  };

  // ---- events of Python
  static int trace(PyObject* self, PyFrameObject* frame, int what, PyObject* arg);
  void entered(PyFrameObject* frame);
  void line(PyFrameObject* frame);
  void left(PyFrameObject* frame, PyObject* result);
  int line_at(Frame& f, int instruction) const;
  void jumped_back(Frame& f, int to_line);

  // ---- events of the engine
  void op(const Call& call) override;
  void before_write(const Tensor& x) override;
  void scope(const char* name, bool enter) override;
  void module_scope(const char* name, bool enter) override;
  void backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor> out) override;
  void leaf_gradient(const Tensor& leaf, const Tensor& grad) override;
  void pass_begins(const Tensor& from) override;
  void pass_ended() override;

  // ---- a line has ended
  void finish(Frame& f, const Statement& where, PyObject* result);
  void push(RunLine line, Frame& f, PyObject* locals);
  static std::shared_ptr<const std::vector<Round>> rounds_of(Frame& f, int loop, PyObject* locals);
  void look(Frame& f, PyObject* locals, bool deep, std::vector<NamedValue>& found);
  void look_into(const std::string& name, PyObject* o, int depth, Look& how, Frame& f,
                 std::vector<NamedValue>& found);
  void look_at_tensor(const std::string& name, const Tensor& x, bool deep, Frame& f,
                      std::vector<NamedValue>& found);
  void add(const std::string& name, const Tensor& x, const Frame& f, std::vector<NamedValue>& found);
  static Binding binding_of(const Tensor& x);
  void give(const std::string& name, const Tensor& x, const learn::Value& value);
  size_t function_of(const CodeInfo& info);

  // ---- what is kept
  void check_room();
  void cut(std::string why);
  void round_ends(const Frame& f, int loop);
  void choose_loop(const Frame& f, int loop, bool goes_backward);
  // The state of the recording and the program's names when a round began.
  struct RoundStart {
    size_t round;
    RecordedSize size;
    double bytes;
    std::vector<NamedValue> names;
  };
  void forget_before(RoundStart& start);
  std::vector<NamedValue> names_now();
  void change(const std::string& name, const Tensor& x) const;

  Program program_;
  WatchOptions options_;
  ScriptRun run_;
  Recorder* recorder_;  // the trace of run_
  Poking poking_;
  std::vector<Frame> frames_;
  std::unordered_map<PyFrameObject*, Frame> suspended_;  // generators
  std::vector<std::pair<PyFrameObject*, std::map<int, size_t>>>
      unwound_;  // left by an exception: their rounds
  std::unordered_map<PyCodeObject*, std::vector<int>> lines_of_;
  std::unordered_map<const CodeInfo*, size_t> functions_;
  std::unordered_map<const SourceFile*, size_t> files_;
  std::map<std::pair<size_t, int>, size_t> turns_;  // by function and line
  std::unordered_map<const Impl*, Binding> shown_;  // the last binding shown, under any name
  std::unordered_map<const Buffer*, std::shared_ptr<Buffer>> given_;
  std::map<std::string, int> given_names_;
  std::string printed_;
  uint64_t calls_ = 0, writes_ = 0;
  size_t assigned_calls_ = 0;  // calls before this one belong to a line
  std::vector<RunBackwardPass> open_passes_, line_passes_;
  double bytes_ = 0;
  bool on_ = false, collects_ = false;
  std::vector<size_t> given_at_;  // the number of calls before each of run_.given

  // The loop whose rounds are kept.
  struct KeptLoop {
    PyCodeObject* code = nullptr;
    int loop = 0;
    size_t depth = 0;
    bool goes_backward = false;
    size_t round = 1;
  } kept_loop_;
  std::deque<RoundStart> round_starts_;  // of the kept rounds
};

}  // namespace glassgrad::python
