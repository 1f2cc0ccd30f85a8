// Records every traced call with its inputs and results, and every step of a backward pass. From a cell of
// any tensor one can then find the call that wrote it, through any chain of views and in-place writes, and
// open the cell there.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "snapshot.h"
#include "why.h"

namespace glassgrad {

struct Edge;

struct RecordedCall {
  const Op* op;
  Attr attr;
  std::span<const Snapshot> in, out;
  uint64_t node = 0;  // seq of the graph node that it created; 0: none
  // In a backward pass: the seq of the node whose gradient it computes; 0: for a leaf's .grad.
  uint64_t backward_of = 0;
  std::optional<uint32_t> part_of;  // innermost module or composed function around it, in scopes()
  bool is_view = false;             // the result shares an input's memory: nothing was written
  bool in_backward = false;         // made by a backward pass
};

// One call of a module or a composed function: its calls are contiguous.
struct RecordedScope {
  std::string name;
  std::optional<uint32_t> part_of;
  bool is_module = false;
};

// A node of the autograd graph.
struct RecordedNode {
  static constexpr size_t kNowhere = SIZE_MAX;
  uint64_t seq = 0;            // 0 for a leaf
  std::string name;            // "MulBackward0"
  Dims shape;                  // of the first result of the call that created it
  std::vector<size_t> to;      // where its gradients go: indices in Recorder::nodes(), or kNowhere
  std::optional<size_t> call;  // the call that created it; none: a leaf, or a view whose base was written
  Snapshot leaf;               // for a leaf's node: the leaf when it was used
};

// Where a node sends the gradient of one of its inputs: to output `nr` of a different node, or to a leaf.
struct RecordedEdge {
  uint64_t node = 0;  // its seq; 0: nowhere, or to a leaf
  uint32_t nr = 0;
  Snapshot leaf;
};

// One node's step in a backward pass. Steps are in the order in which they ran.
struct RecordedBackwardStep {
  uint64_t node = 0;                     // its seq
  std::string name;                      // "MulBackward0"
  std::vector<Snapshot> grads, out;      // grads: of the node's results; out: of its inputs
  std::vector<RecordedEdge> to;          // one for each of `out`
  size_t first_call = 0, last_call = 0;  // the calls that computed it: [first, last)
};

// A leaf and its new .grad.
struct RecordedGradient {
  Snapshot leaf, grad;
};

// A cell of a recording: an element of one result of one call.
struct CellOfCall {
  size_t call = 0, out = 0;
  Dims index;

  friend bool operator==(const CellOfCall&, const CellOfCall&) = default;
};

// The lengths of a recorder's lists at some point.
struct RecordedSize {
  size_t calls = 0, backwards = 0, gradients = 0, nodes = 0, scopes = 0;
};

// Allocates arrays that never move, back to back.
template <class T>
class Arena {
 public:
  // Frees the arrays that were added before `first`, in whole blocks; null: frees all.
  void forget_before(const T* first) {
    const auto has = [&](const std::vector<T>& p) {
      return first >= p.data() && first < p.data() + p.size();
    };
    parts_.erase(parts_.begin(), std::find_if(parts_.begin(), parts_.end(), has));
  }
  std::span<T> add(size_t n) {
    constexpr size_t kPart = 1024;
    if (n == 0) return {};
    if (parts_.empty() || parts_.back().capacity() - parts_.back().size() < n)
      parts_.emplace_back().reserve(std::max(n, kPart));
    std::vector<T>& part = parts_.back();
    part.resize(part.size() + n);
    return {part.data() + part.size() - n, n};
  }

 private:
  std::vector<std::vector<T>> parts_;
};

class Recorder : public Observer {
 public:
  // with_graph: also records the graph and the steps of backward passes, for nodes() and backwards().
  explicit Recorder(bool with_graph = true) : with_graph_(with_graph) {}

  const std::deque<RecordedCall>& calls() const { return calls_; }
  const std::vector<RecordedBackwardStep>& backwards() const { return backwards_; }
  const std::vector<RecordedGradient>& gradients() const { return gradients_; }
  const std::vector<RecordedScope>& scopes() const { return scopes_; }
  // The innermost scope that the call is part of: "linear"; or "".
  std::string scope_of(const RecordedCall& call) const;
  // A scope's name after those around it, without the outermost, the module that was called: "h.0.attn"; or
  // "".
  std::string path_of(std::optional<uint32_t> scope) const;
  // The same for what comes next, without the innermost `left`, before a name: "h.0.attn."; or "".
  std::string open_path(size_t left = 0) const;
  // Every node comes after the nodes that it leads to.
  const std::vector<RecordedNode>& nodes() const { return nodes_; }
  // The index of x's grad_fn in nodes(); none for a leaf.
  std::optional<size_t> node_of(const Tensor& x);

  // Call it between two calls: it undoes announced writes that did not happen.
  Snapshots& snapshots() {
    if (!announced_.empty()) drop_failed_writes();
    return snapshots_;
  }

  RecordedSize size() const;
  // Drops everything up to the point `gone`, between two calls and outside of a backward pass (forget.cpp).
  // The remaining calls, steps and nodes are numbered from 0 again. Values that only dropped calls have
  // written count as given before the recording began.
  void forget(const RecordedSize& gone);

  // The call that wrote this element; none if it was there before the recording began, or set by hand.
  std::optional<CellOfCall> writer(const Snapshot& x, const Dims& index) const;
  // The same for x's first element; none if x has no elements.
  std::optional<CellOfCall> writer(const Snapshot& x) const;
  // The same, but returns the call even for cells that were set by hand.
  std::optional<CellOfCall> writer_before_hand(const Snapshot& x, const Dims& index) const;
  // Marks a cell whose number was replaced (poke.h): the number is not the one that the call wrote.
  void set_by_hand(const CellOfCall& cell) { by_hand_.push_back(cell); }
  // True if a call has written part of x's memory.
  static bool is_written(const Snapshot& x) { return x.buffer->writer.call != Buffer::Writer::kNobody; }
  // Returns the arithmetic of this cell.
  Opened open(const CellOfCall& cell) const;

  void op(const Call& call) override;
  void before_write(const Tensor& x) override;
  void scope(const char* name, bool enter) override;
  void module_scope(const char* name, bool enter) override;
  void backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor> out) override;
  void leaf_gradient(const Tensor& leaf, const Tensor& grad) override;

 private:
  friend class Archive;

  Snapshot leaf_of(const Node& sink);
  RecordedEdge recorded(const Edge& e);
  const void* kept(const Op& op, const Attr& attr);
  AnnouncedWrite* announced(const Tensor& x);
  void drop_failed_writes();

  Snapshots snapshots_;
  Arena<Snapshot> values_;                           // of the calls' inputs and results
  Arena<std::byte> attrs_;                           // attributes of the calls …
  std::array<std::span<std::byte>, 64> last_attrs_;  // … and each op's latest, reused if equal
  std::deque<RecordedCall> calls_;
  std::vector<RecordedBackwardStep> backwards_;
  std::vector<RecordedGradient> gradients_;
  // Keeps a buffer as it was before a call wrote to it; kNobody: an op failed to.
  struct Overwritten {
    size_t call;
    std::shared_ptr<Buffer> before;
  };
  std::deque<Overwritten> overwritten_;
  std::vector<AnnouncedWrite> announced_;  // for the next call
  size_t note(const Node& last);
  size_t note_leaf(const Node& sink);

  std::vector<RecordedScope> scopes_;
  std::vector<uint32_t> open_scopes_;  // those that have not ended yet, the outermost first
  std::vector<RecordedNode> nodes_;
  std::unordered_map<uint64_t, size_t> inner_nodes_;  // indices in nodes_, by seq
  std::unordered_map<const Node*, size_t> leaves_;    // the latest node of each leaf
  std::vector<CellOfCall> by_hand_;
  size_t calls_seen_by_backward_ = 0;
  bool with_graph_;
};

}  // namespace glassgrad
