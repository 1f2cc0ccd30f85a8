// All that a program has done under glass, and the answers to questions about it. The run only adds to it;
// index() sorts what is new when a question comes. Not locked: ProgramTrace::ask locks it.
#pragma once
#include <map>
#include <set>
#include <thread>
#include <unordered_map>

#include "cell_page.h"

namespace glassgrad::why {

// Finds what belongs to the memory of a tensor.
template <class T>
struct ByMemory : std::unordered_map<const Buffer*, T> {
  const T& of(const Snapshot& x) const {
    static const T none;
    const auto found = this->find(x.buffer.get());
    return found == this->end() ? none : found->second;
  }
};

// How a program came to name a tensor.
struct Naming {
  // True for a variable of the program itself, false for one of a function or module that it calls. The name
  // then begins with the modules that are being called, except for the innermost `left`: "h.0.attn.queries".
  bool is_own = true;
  std::string where = {};  // "mha.py:12", the line that gave the name
  size_t left = 0;
};

// The names that the program gave its tensors. A name belongs to the numbers that a tensor had at that
// moment.
class GivenNames {
 public:
  struct Name {
    Snapshot x;
    std::string name, where;
    bool is_own;
    int turn = 0;  // among the different values that have had this name

    std::string text() const;  // "scores", the second time "scores#2"
  };
  void add(Name name) { new_.push_back(std::move(name)); }
  void index();
  // Drops new names of variables that the program never used: no call has a snapshot of their memory.
  void forget_unused(Snapshots& snapshots);
  const std::vector<Name>& of(const Snapshot& x) const { return all_.of(x); }

 private:
  std::vector<Name> new_;
  ByMemory<std::vector<Name>> all_;  // each name of each tensor once
  std::unordered_map<std::string, int> turns_;
};

// Which calls have made and read a tensor's memory.
struct CallIndex {
  struct Uses {
    std::vector<size_t> readers;                    // each call once
    std::vector<std::pair<size_t, size_t>> makers;  // call and result; for a view, also the call that made it
    size_t given = 0;  // turn among the memory that was read and that no call has written; 0: it is not
  };
  std::vector<size_t> turns;  // of each indexed call among the calls of its op
  ByMemory<Uses> uses;
  std::unordered_map<uint64_t, size_t> call_of_node;  // by the node's seq

  void index(const std::deque<RecordedCall>& calls);

 private:
  std::unordered_map<const Op*, size_t> calls_of_op_;
  size_t given_ = 0;
};

// Whose gradient a tensor is: that of a leaf, or of a result of a node.
class Gradients {
 public:
  struct Gradient {
    Snapshot grad, of;  // `of`: the leaf, or the node's result once index() has found it
    uint64_t node = 0;  // its seq; 0 for a leaf
    size_t out = 0;
  };
  void add(Gradient gradient) { new_.push_back(std::move(gradient)); }
  void index(const CallIndex& index, const std::deque<RecordedCall>& calls);
  const std::vector<Gradient>& of(const Snapshot& x) const { return all_.of(x); }

 private:
  std::vector<Gradient> new_;
  ByMemory<std::vector<Gradient>> all_;
};

// Writes by ops that the trace did not watch. An op may refuse a write that it has announced.
class UnseenWrites {
 public:
  void announce(const Tensor& x, Snapshots& snapshots);
  // Takes back this thread's latest write if the op refused it: the snapshots share the memory again.
  void drop_refused(Snapshots& snapshots);
  bool wrote(const Snapshot& x) const { return written_.contains(x.buffer.get()); }

 private:
  std::map<std::thread::id, std::pair<AnnouncedWrite, const Buffer*>> latest_;  // with the buffer after it
  std::set<const Buffer*> written_;
};

class ProgramRecord : public Recorder {
 public:
  ProgramRecord() : Recorder(false) {}

  // ---- during the run
  void name(const Tensor& x, const std::string& name, const Naming& how);
  void named(const Tensor& x, const char* name) override;
  void backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor> out) override;
  void leaf_gradient(const Tensor& leaf, const Tensor& grad) override;
  void before_unseen_write(const Tensor& x) { unseen_.announce(x, snapshots()); }
  void end() { names_.forget_unused(snapshots()); }

  // Returns a snapshot of x as it is now; empty if no op has computed or read x and it has no name.
  Snapshot seen(const Tensor& x);

  // ---- questions, after index()
  void index();
  // Like seen, but throws ValueError if x was never seen.
  Snapshot known(const Tensor& x);

  // Returns all names of the whole tensor: "scores", "att"; if it has none, its op and turn: "softmax 12".
  std::vector<std::string> names_of(const Snapshot& x) const;
  // "scores[2,1]"
  std::string name_of(const SnapshotElement& number) const;
  // "softmax 12": the op, and the call's turn among the calls of this op; "max 3.1" is result 1 of such a
  // call.
  std::string name_of_call(size_t call, size_t out = 0) const;
  // ", going backward", or " in h.0.attn", the modules that the call is part of; or "".
  std::string place_of(const RecordedCall& call) const;

  // Throws IndexError if there is no such element, TooDeep for too many numbers.
  Explanation explain(const SnapshotElement& number, const ExplainOptions& how) const;
  ExplainedNumber explained(const SnapshotElement& number, const FormatOptions& how) const;
  // Returns the call that computed the number. For an unnamed copy, such as a leaf's .grad, returns the call
  // that computed the original. None if the number was given.
  std::optional<CellOfCall> computed(const SnapshotElement& number) const;
  // Follows unnamed copies back and returns the element where the number was first written.
  SnapshotElement source(const SnapshotElement& number) const;
  // The calls that computed x, and the calls that read x: one line each.
  std::string made_by(const Snapshot& x) const;
  std::string used_in(const Snapshot& x) const;
  // "softmax 12 in h.0.attn: attn_weights [2, 6, 6] = softmax(scores [2, 6, 6], dim=-1)".
  std::string line_of(size_t call) const;

 private:
  const GivenNames::Name* best_name(const SnapshotElement& number) const;
  std::optional<std::string> gradient_name(const Snapshot& x) const;
  bool is_named(const SnapshotElement& number) const;
  std::string given_name(const Snapshot& x) const;
  std::optional<SnapshotElement> original(const CellOfCall& copy) const;
  void add_heading(CellPage& page, const SnapshotElement& number, const std::string& name,
                   size_t columns) const;
  std::set<size_t> writers(const Snapshot& x) const;

  GivenNames names_;
  CallIndex index_;
  Gradients gradients_;
  UnseenWrites unseen_;
};

}  // namespace glassgrad::why
