// Watches a program of Python's while it runs: after each of its lines, what the line has done to tensors.
// The recorder keeps the calls; here is kept which line made them, and under which names.
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
  double most_bytes = 0;  // of what is kept; so many stay free as well
  size_t most_calls = 0;
  learn::Patch change = {};  // numbers that are other ones
};

// The names of a frame, as a dict; null: it has none. No code of the program's runs for it.
pybind11::object locals_of(PyFrameObject* frame);
// Where the instruction stands in its code that a frame has reached, in bytes.
int instruction_of(PyFrameObject* frame);

class LineWatcher final : private Observer, private PassWatcher {
 public:
  LineWatcher(pybind11::object read_file, WatchOptions options);
  ~LineWatcher() override;
  LineWatcher(const LineWatcher&) = delete;
  LineWatcher& operator=(const LineWatcher&) = delete;

  // This thread, from now on, and no longer.
  void start();
  void stop();
  // Of the program's stdout.
  void printed(const std::string& text) { printed_ += text; }
  // The exception that ended the program: the frame of its own that raised it, and the last line of the
  // traceback.
  void raised(PyObject* frame, int line, const std::string& text);
  // After stop(): all of it, once.
  ScriptRun take();

 private:
  // Which tensor a name stands for, and in which state: cheap to compare, and it keeps nothing alive.
  struct Binding {
    const Impl* impl = nullptr;
    uint64_t storage = 0, version = 0, node = 0;
    int64_t offset = 0;
    Dims shape = {};
    friend bool operator==(const Binding&, const Binding&) = default;
  };
  struct Known {
    PyObject* object = nullptr;  // only compared
    Binding binding = {};
    size_t look = 0;  // when it was there last
  };
  struct Frame {
    PyFrameObject* frame = nullptr;
    PyCodeObject* code = nullptr;
    const CodeInfo* info = nullptr;
    std::vector<int>* lines = nullptr;               // of the code, by instruction; 0: not looked up yet
    int instruction = -1;                            // where the line that runs began
    uint64_t calls = 0, writes = 0;                  // seen, when a line of it last ended
    std::vector<std::pair<PyObject*, Known>> names;  // in the order in which the frame has them
    Known& known(PyObject* name, size_t& at);        // at: where it was found last, and is now
    size_t looks = 0;                                // at its names
    std::map<int, std::shared_ptr<const std::vector<Round>>> told;  // of the rounds that run, by the loop
    std::map<int, size_t> rounds;                                   // that have ended, by the loop's head
  };
  // A place to look at: an object and what it is called.
  struct Look {
    bool deep;
    size_t left;  // so many objects more
  };

  // ---- what Python tells
  static int trace(PyObject* self, PyFrameObject* frame, int what, PyObject* arg);
  void entered(PyFrameObject* frame);
  void line(PyFrameObject* frame);
  void left(PyFrameObject* frame, PyObject* result);
  int line_at(Frame& f, int instruction) const;
  void jumped_back(Frame& f, int to_line);

  // ---- what the engine tells
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
  // Where a round began, and what the program had then.
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
  Recorder* recorder_;  // of run_
  Poking poking_;
  std::vector<Frame> frames_;
  std::unordered_map<PyFrameObject*, Frame> suspended_;  // generators
  std::vector<std::pair<PyFrameObject*, std::map<int, size_t>>>
      unwound_;  // left by an exception: their rounds
  std::unordered_map<PyCodeObject*, std::vector<int>> lines_of_;
  std::unordered_map<const CodeInfo*, size_t> functions_;
  std::unordered_map<const SourceFile*, size_t> files_;
  std::map<std::pair<size_t, int>, size_t> turns_;  // of function and line
  std::unordered_map<const Impl*, Binding> shown_;  // by whatever name
  std::unordered_map<const Buffer*, std::shared_ptr<Buffer>> given_;
  std::map<std::string, int> given_names_;
  std::string printed_;
  uint64_t calls_ = 0, writes_ = 0;
  size_t covered_ = 0;  // the calls before this one belong to a line
  std::vector<RunPass> open_passes_, line_passes_;
  double bytes_ = 0;
  bool on_ = false, collects_ = false;
  std::vector<size_t> given_at_;  // of run_.given: how many calls there were

  // The loop whose rounds are kept.
  struct Chosen {
    PyCodeObject* code = nullptr;
    int loop = 0;
    size_t depth = 0;
    bool goes_backward = false;
    size_t round = 1;
  } chosen_;
  std::deque<RoundStart> round_starts_;  // of those that are kept
};

}  // namespace glassgrad::python
