// Explains a program's own numbers. A trace watches the ops of one thread, keeps the names that the program
// gave to tensors, and explains how each number was computed.
#pragma once
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "cell_page.h"

namespace glassgrad::why {

class ProgramTrace;
void release(ProgramTrace*) noexcept;

// All functions may be called from any thread.
class ProgramTrace : public Counted, public Recorder {
 public:
  ProgramTrace();
  // Starts to watch this thread's ops, in addition to the current observers. Call it once.
  static void watch(const Ref<ProgramTrace>& trace);
  // The existing traces, the newest first.
  static std::vector<Ref<ProgramTrace>> all();
  ~ProgramTrace() override;

  // Stops watching ops. Writes are still tracked, so that snapshots keep their numbers.
  void stop();
  bool is_watching() const { return watches_; }

  // ---- tensors
  // Returns a snapshot of x as it is now; empty if no op has computed or read x and it has no name.
  Snapshot seen(const Tensor& x);
  // Like seen, but throws ValueError if x was never seen.
  Snapshot known(const Tensor& x);

  // ---- names
  struct Naming {
    // True for a variable of the program itself, false for one of a function or module that it calls.
    bool is_own = true;
    std::string where = {};  // "mha.py:12", the line that gave the name
  };
  void name(const Tensor& x, const std::string& name, const Naming& how);
  // Prefixes the name with the modules that are being called, leaving out the innermost `left`:
  // "h.0.attn.queries".
  std::string qualified(const std::string& name, size_t left = 0) const;
  // Returns all names of the whole tensor: "scores", "att"; if it has none, its op and turn: "softmax 12".
  std::vector<std::string> names_of(const Snapshot& x);
  std::string name_of(const Snapshot& x) { return names_of(x).front(); }
  // "scores[2,1]"
  std::string name_of(const SnapshotElement& number);
  // "softmax 12": the op, and the call's turn among the calls of this op; "max 3.1" is result 1 of such a
  // call.
  std::string name_of_call(size_t call, size_t out = 0);
  // The modules that the call is part of: "h.0.attn"; or "".
  std::string path_of(const RecordedCall& call) const;

  // ---- questions
  // Throws IndexError if there is no such element, TooDeep for too many numbers.
  Explanation explain(const SnapshotElement& number, const ExplainOptions& how);
  ExplainedNumber explained(const SnapshotElement& number, const FormatOptions& how);
  // Returns the call that computed the number. For an unnamed copy, such as a leaf's .grad, returns the call
  // that computed the original. None if the number was given.
  std::optional<CellOfCall> computed(const SnapshotElement& number);
  // Follows unnamed copies back and returns the element where the number was first written.
  SnapshotElement source(const SnapshotElement& number);
  // The calls that computed x, and the calls that read x: one line each.
  std::string made_by(const Snapshot& x);
  std::string used_in(const Snapshot& x);
  // "softmax 12 in h.0.attn: attn_weights [2, 6, 6] = softmax(scores [2, 6, 6], dim=-1)".
  std::string line_of(size_t call);
  // True for a plain number of the program, like the 2 of x * 2.
  static bool is_value(const SnapshotElement& number) { return number.x.is_number(); }

  // Lets fused ops run, so that results stay the same under glass.
  bool wants_steps() const override { return false; }
  void op(const Call& call) override;
  void before_write(const Tensor& x) override;
  void scope(const char* name, bool enter) override;
  void module_scope(const char* name, bool enter) override;
  void named(const Tensor& x, const char* name) override;
  void backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor> out) override;
  void leaf_gradient(const Tensor& leaf, const Tensor& grad) override;

 private:
  // A name as the program gave it (Note), and as it is shown (Named): "scores", the second time "scores#2".
  struct Note {
    Snapshot x;
    const std::string *name, *where;  // kept in texts_
    bool is_own;
  };
  struct Named {
    Snapshot x;
    std::string text;
    const std::string *name, *where;
    bool is_own;
  };
  class Operands;

  static void before_any_write(const Tensor& x);
  void drop_refused_write();
  void forget_unused_names();
  // Brings the maps below up to date.
  void index();
  void index_names();
  const Named* best_name(const SnapshotElement& number) const;
  std::optional<std::string> gradient_name(const Snapshot& x);
  std::string given_name(const Snapshot& x);
  void add_heading(CellPage& page, const SnapshotElement& number, const std::string& name, size_t columns);
  std::set<size_t> writers(const Snapshot& x);

  mutable std::recursive_mutex mutex_;
  std::atomic<bool> watches_ = true;  // read by every thread that writes to a tensor
  std::unordered_set<std::string> texts_;
  std::vector<Note> notes_;
  struct Gradient {
    uint64_t node;
    size_t out;
    Snapshot grad;
  };
  std::vector<Gradient> gradients_of_nodes_;
  std::set<const Buffer*> written_unseen_;  // buffers written by ops that the trace did not watch
  // A write announced by an op that the trace did not watch. The op may have refused it.
  struct Unseen {
    std::thread::id thread;
    Ref<Storage> storage, root;
    uint32_t version;  // the storage's version at that time
    std::shared_ptr<Buffer> before;
    const Buffer* after;
  };
  std::vector<Unseen> unseen_;  // the latest of each thread

  // The maps below are built on demand by index().
  std::unordered_map<const Buffer*, std::vector<Named>> names_;
  std::unordered_map<const std::string*, int> turns_;  // how many values have had this name
  std::unordered_map<const Buffer*, std::vector<std::pair<Snapshot, Snapshot>>> leaves_;  // by gradient
  std::unordered_map<const Buffer*, std::vector<size_t>> nodes_;  // indices in gradients_of_nodes_
  size_t notes_seen_ = 0, gradients_seen_ = 0, node_gradients_seen_ = 0, indexed_ = 0;
  std::vector<size_t> call_turns_;
  std::unordered_map<const Op*, size_t> op_turns_;
  std::unordered_map<const Buffer*, size_t> given_turns_;
  std::unordered_map<uint64_t, size_t> call_of_node_;
  std::unordered_map<const Buffer*, std::vector<size_t>> readers_;
  std::unordered_map<const Buffer*, std::vector<std::pair<size_t, size_t>>> makers_;  // (call, out)
};

}  // namespace glassgrad::why
