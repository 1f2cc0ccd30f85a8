// Writes down what passes the door: every call with what it read and made, every step of a backward. A cell
// of any tensor can then be followed to the call that wrote it, through any chain of views and in-place
// writes, and opened there.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "snapshot.h"
#include "why.h"

namespace glassgrad {

struct Edge;

struct RecordedCall {
  const Op* op;
  Attr attr;
  std::span<const Snapshot> in, out;
  uint64_t node = 0;  // seq of the node that it left in the graph; 0: none
  // Of a backward pass: for the gradient of the node with this seq; 0: for a leaf's .grad.
  uint64_t backward_of = 0;
  std::optional<uint32_t> part_of;  // the module or composed function it is part of, in Recorder::scopes()
  bool is_view = false;             // the result looks at the memory of an input: nothing was written
  bool in_backward = false;         // made by a backward pass
};

// A module or a composed function while it ran: its calls lie side by side.
struct RecordedScope {
  std::string name;
  std::optional<uint32_t> part_of;
  bool is_module = false;
};

// A node of the autograd graph.
struct RecordedNode {
  static constexpr size_t kNowhere = SIZE_MAX;
  uint64_t seq = 0;            // 0: of a leaf
  std::string name;            // "MulBackward0"
  Dims shape;                  // of the first result of the call that left it
  std::vector<size_t> to;      // where its gradients go, in Recorder::nodes(); kNowhere: nowhere
  std::optional<size_t> call;  // that left it; none: a leaf's, or made for a view whose base was written
  Snapshot leaf;               // of a leaf's node: the leaf as it was when it was used
};

// Where a node sends the gradient of one of its inputs: to output `nr` of another node, or to a leaf.
struct RecordedEdge {
  uint64_t node = 0;  // its seq; 0: nowhere, or to a leaf
  uint32_t nr = 0;
  Snapshot leaf;
};

// One node's part in a backward, in the order in which they ran.
struct RecordedBackward {
  uint64_t node = 0;                     // its seq
  std::string name;                      // "MulBackward0"
  std::vector<Snapshot> grads, out;      // of the node's results; of its inputs, as the node gives them
  std::vector<RecordedEdge> to;          // one for each of `out`
  size_t first_call = 0, last_call = 0;  // the calls that computed it: [first, last)
};

// A tensor's gradient became this.
struct RecordedGradient {
  Snapshot leaf, grad;
};

// A cell: which element of which result of which call.
struct CellOfCall {
  size_t call = 0, out = 0;
  Dims index;

  friend bool operator==(const CellOfCall&, const CellOfCall&) = default;
};

// How far a recorder has come.
struct RecordedSize {
  size_t calls = 0, backwards = 0, gradients = 0, nodes = 0, scopes = 0, befores = 0;
};

// Arrays that stay where they are, with nothing between them.
template <class T>
class Pool {
 public:
  // Whatever lies before this one, in arrays added earlier, is no longer needed; null: nothing is.
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
  // with_graph: also the graph and the steps of backward passes, in nodes() and backwards().
  explicit Recorder(bool with_graph = true) : with_graph_(with_graph) {}

  const std::deque<RecordedCall>& calls() const { return calls_; }
  const std::vector<RecordedBackward>& backwards() const { return backwards_; }
  const std::vector<RecordedGradient>& gradients() const { return gradients_; }
  const std::vector<RecordedScope>& scopes() const { return scopes_; }
  // The innermost that the call is part of: "linear"; or "".
  std::string scope_of(const RecordedCall& call) const;
  // Those that have not ended yet, the outermost first: places in scopes().
  const std::vector<uint32_t>& open_scopes() const { return open_scopes_; }
  // Every node comes after those that it leads to.
  const std::vector<RecordedNode>& nodes() const { return nodes_; }
  // The place of x's grad_fn among the nodes; none for a leaf.
  std::optional<size_t> node_of(const Tensor& x);

  // Between two calls: writes that were announced and did not happen leave no trace in it.
  Snapshots& snapshots() {
    if (!announced_.empty()) drop_failed_writes();
    return snapshots_;
  }

  RecordedSize size() const;
  // Drops what there was when it had come so far, between two calls and outside of a backward pass
  // (forget.cpp): what is left counts its calls, steps and nodes from 0 again. What only those calls have
  // written counts as there before the recording began.
  void forget(const RecordedSize& gone);

  // The call that wrote this element; none if it was there before the recording began, or set by hand.
  std::optional<CellOfCall> writer(const Snapshot& x, const Dims& index) const;
  // The same, also where another number was put there by hand.
  std::optional<CellOfCall> writer_before_hand(const Snapshot& x, const Dims& index) const;
  // What the call has written there does not count: another number was put in its place (poke.h).
  void set_by_hand(const CellOfCall& cell) { by_hand_.push_back(cell); }
  // Has a call written some of it?
  static bool is_written(const Snapshot& x) { return x.buffer->writer.call != Buffer::Writer::kNobody; }
  // How it came about there.
  Opened open(const CellOfCall& cell) const;

  void op(const Call& call) override;
  void before_write(const Tensor& x) override;
  void scope(const char* name, bool enter) override;
  void module_scope(const char* name, bool enter) override;
  void backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor> out) override;
  void leaf_gradient(const Tensor& leaf, const Tensor& grad) override;

 private:
  friend class Archive;

  // A write that has been announced.
  struct Announced {
    Ref<Storage> storage;
    uint64_t root;     // its id
    uint32_t version;  // of the storage then
    std::shared_ptr<Buffer> before;
  };

  RecordedEdge recorded(const Edge& e);
  const void* kept(const Op& op, const Attr& attr);
  Announced* announced(const Tensor& x);
  void drop_failed_writes();

  Snapshots snapshots_;
  Pool<Snapshot> values_;                            // of the calls
  Pool<std::byte> attrs_;                            // their bytes …
  std::array<std::span<std::byte>, 64> last_attrs_;  // … of which those of a loop are much the same
  std::deque<RecordedCall> calls_;
  std::vector<RecordedBackward> backwards_;
  std::vector<RecordedGradient> gradients_;
  std::deque<std::shared_ptr<Buffer>> befores_;  // what buffers were before a call has written them …
  std::vector<std::shared_ptr<Buffer>> failed_;  // … or has failed to
  std::vector<Announced> announced_;             // of the call that comes
  size_t note(const Node& last);
  size_t note_leaf(const Node& sink);

  std::vector<RecordedScope> scopes_;
  std::vector<uint32_t> open_scopes_;
  std::vector<RecordedNode> nodes_;
  std::unordered_map<uint64_t, size_t> inner_nodes_;  // places in nodes_, by seq
  std::unordered_map<const Node*, size_t> leaves_;    // of the leaves, the last of each
  std::vector<CellOfCall> by_hand_;
  size_t calls_seen_by_backward_ = 0;
  bool with_graph_;
};

}  // namespace glassgrad
