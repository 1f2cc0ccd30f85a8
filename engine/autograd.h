// The graph. Ownership: tensor → storage, tensor → node, node → node (edges), node → storage (saved data).
// A node never holds a tensor that has a graph, so no cycle can be built, not even by create_graph or
// in-place ops.
//
// An op calls record(…) with its result, the tensors to save and a function that passes the gradient back;
// the engine handles broadcasting, dtypes, accumulation, versions and the trace.
#pragma once
#include <new>
#include <vector>

#include "trace.h"

namespace glassgrad {

struct Edge {
  Ref<Node> node;  // null: the input needs no gradient
  uint32_t nr = 0;
};

// The packed form, made by a hook, of a tensor that a node saves.
struct Packed : Counted {
  virtual ~Packed() = default;
  virtual Tensor unpack() = 0;
};
inline void release(Packed* p) noexcept {
  if (p->drop()) delete p;
}
// torch.autograd.graph.saved_tensors_hooks: packs each tensor that a node of this thread saves; null packs
// nothing. The hook gets a node's own outputs without their graph.
using PackHook = Ref<Packed> (*)(const Tensor& x);
extern thread_local constinit PackHook pack_saved;

// A tensor that a node saved for its backward, held as a view without graph.
struct Saved {
  static constexpr int kOwnOutput = -1, kNoEdge = -2;
  Ref<Impl> data;  // null if nothing was saved, or if it is packed
  Ref<Packed> packed;
  uint32_t version = 0;
  int edge = kNoEdge;  // the input that it came from; a second derivative continues there
  uint16_t nr = 0;     // for kOwnOutput: which output
};

// The shape, dtype and device that an incoming gradient must have.
struct OutputMeta {
  Dims shape;
  DType dtype = float32;
  Device device;
};

struct BackwardContext;
struct Hooks;

// One block of memory: header, edges, saved, outputs, attributes.
struct Node : Counted {
  const Op* op = nullptr;
  void (*run)(Node&, BackwardContext&) = nullptr;  // null: a leaf's sink
  uint64_t seq = 0;                                // order of creation, which is a topological order
  Edge* edges = nullptr;
  Saved* saved = nullptr;
  OutputMeta* outputs = nullptr;
  void* attr = nullptr;
  Hooks* hooks = nullptr;  // owned
  Impl* leaf = nullptr;    // for a sink: its leaf, not owned
  Node* next_dying = nullptr;
  uint32_t bytes = 0, slot = 0;
  uint16_t n_edges = 0, n_saved = 0, n_outputs = 0;
  bool released = false;  // a backward has freed saved data
  uint64_t mark = 0;      // the id of the backward that visits it

  const char* name() const { return op->node; }
  std::span<const Edge> inputs() const { return {edges, n_edges}; }
};

// The arguments of a node's backward: grads[k] is the gradient of output k (undefined: zero), g that of
// output 0. The backward writes d[i], the gradient of input i; the engine then undoes broadcasting and
// promotion.
struct BackwardContext {
  Node& node;
  std::span<const Tensor> grads;
  const Tensor& g;
  Tensor* out;
  const bool* wanted;
  bool last = false;     // the node's saved data is dropped after this
  void* plan = nullptr;  // the backward pass

  bool needs(int i) const { return wanted[i]; }
  Tensor saved(int i) const;  // with its graph when grad mode is on; undefined if the op did not save it
  // Returns the memory of saved data, to be reused for a result of its shape; undefined if anything else may
  // still read the data. The rows need not be adjacent.
  Tensor reuse_saved_buffer(int i) const;
  // Takes the sum of the gradients that input i has received so far, so that the op can add its own gradient
  // to it in place and return the total as d[i]. Undefined if there is none yet, or something else may read
  // it.
  Tensor sum_so_far(int i) const;
  Tensor& operator[](int i) { return out[i]; }
};

// ---- grad mode
extern thread_local constinit bool grad_mode;
struct GradMode : ForScope<bool> {
  explicit GradMode(bool on) : ForScope(grad_mode, on) {}
};
// torch.no_grad(): no graph is built until the end of the scope.
struct NoGrad : GradMode {
  NoGrad() : GradMode(false) {}
};
// Nothing computed until the end of the scope joins a graph, and no observer sees it.
struct NoRecording {
  NoGrad no_graph;
  Watch nobody{nullptr};
};

// ---- making nodes
// A tensor that a node saves if `when` is true. If the tensor is neither an input nor an output (a clone made
// before an in-place write), `edge` is the input that was cloned.
struct Save {
  const Tensor* t;
  bool when = true;
  int edge = Saved::kNoEdge;
};
struct Inputs : std::span<const Tensor* const> {
  Inputs(std::initializer_list<const Tensor*> l) : span(l.begin(), l.size()) {}
  Inputs(const std::vector<const Tensor*>& v) : span(v) {}
};
struct Saves : std::span<const Save> {
  Saves(std::initializer_list<Save> l) : span(l.begin(), l.size()) {}
  Saves(const std::vector<Save>& v) : span(v) {}
};

// True if x or the base of x requires grad, even if the view was made before the base did, or under no_grad.
bool needs_grad(const Tensor& x);
// Returns the node that made x, null for a leaf. If x is a view whose base was written since, makes a new
// node. Throws Error if that view was made under no_grad: call has_invalid_fn first.
const Ref<Node>& grad_fn(const Tensor& x);
bool has_invalid_fn(const Tensor& x);
Edge edge_of(const Tensor& x);
Ref<Node> new_node(const Op& op, std::span<const Tensor> y, Inputs in, Saves saves, size_t attr_bytes);

inline bool any_needs_grad(Inputs in) {
  if (!grad_mode) return false;
  for (const Tensor* x : in)
    if (needs_grad(*x)) return true;
  return false;
}

template <class A, class F>
Ref<Node> make_node(const Op& op, std::span<const Tensor> y, Inputs in, Saves saves, const A& attr, F) {
  static_assert(std::is_trivially_copyable_v<A>, "a node keeps plain numbers; tensors go through Save");
  static_assert(std::is_empty_v<F>, "a backward captures nothing: numbers go through the attributes");
  Ref<Node> n = new_node(op, y, in, saves, sizeof(A));
  new (n->attr) A(attr);
  n->run = [](Node& self, BackwardContext& d) { F{}(d, *static_cast<const A*>(self.attr)); };
  return n;
}

// ---- recording results
void attach(const Tensor& y, Ref<Node> node, uint16_t nr = 0);  // node becomes y's grad_fn

// Records an op without a gradient: only the trace sees it.
template <class A>
Tensor record(const Op& op, Tensor y, Inputs in, const A& attr) {
  tell([&](Observer& o) { o.op({op, Attr(attr), in, {&y, 1}, in_backward_of}); });
  return y;
}
// Records an op with one result. backward(BackwardContext& d, A attr) fills d[i] for the inputs i that
// d.needs(i).
template <class A, class F>
Tensor record(const Op& op, Tensor y, Inputs in, Saves saves, const A& attr, F backward) {
  if (any_needs_grad(in)) attach(y, make_node(op, {&y, 1}, in, saves, attr, backward));
  return record(op, std::move(y), in, attr);
}
// Records an op with several results, of which the first n_differentiable have a gradient.
template <class A, class F>
void record_outputs(const Op& op, std::span<const Tensor> y, size_t n_differentiable, Inputs in, Saves saves,
                    const A& attr, F backward) {
  if (any_needs_grad(in)) {
    Ref<Node> n = make_node(op, y.first(n_differentiable), in, saves, attr, backward);
    for (size_t k = 0; k < n_differentiable; ++k) attach(y[k], n, uint16_t(k));
  }
  tell([&](Observer& o) { o.op({op, Attr(attr), in, y, in_backward_of}); });
}

// ---- in place: call announce(x) before the kernel writes, record_in_place after. Throws RuntimeError `a
// leaf Variable that requires grad is being used in an in-place operation.`, the same for a view of a leaf,
// and an error for a view that is one of several outputs. other: an operand that is read; if it needs a
// gradient, the write makes x part of a graph, so the same rules apply.
void check_may_change(const Tensor& x, const Tensor& other = {});
// Checks the same, then tells the observers that x will be written.
void announce(const Tensor& x, const Tensor& other = {});
// Brings x's grad_fn up to date, then increments the version. If the op's node has saved x as its own output,
// that copy gets the new version too.
void begin_rebase(const Tensor& x, Node* node = nullptr);
void finish_rebase(const Tensor& x,
                   Ref<Node> node);  // node: the in-place op's, or null; redirects x or its base

template <class A, class F>
Tensor record_in_place(const Op& op, const Tensor& x, Inputs in, Saves saves, const A& attr, F backward) {
  // Make the node before the version grows; afterwards an input that is a view of x would get a new grad_fn.
  Ref<Node> node;
  try {
    if (any_needs_grad(in)) node = make_node(op, {&x, 1}, in, saves, attr, backward);
  } catch (...) {
    ++x->storage->version;  // x has been written
    throw;
  }
  begin_rebase(x, node.get());
  finish_rebase(x, std::move(node));
  return record(op, x, in, attr);
}

// x.t_(), x.squeeze_() …: x becomes f(x), a view of x, and stays a view of its base: memory and graph are
// shared as before. Throws the errors of announce.
void take_geometry(const Tensor& x, const Tensor& view);
template <class F>
Tensor view_in_place(const Tensor& x, F f) {
  check_may_change(x);
  take_geometry(x, f(x));
  return x;
}

// A view of x: same storage, remembers its base.
Tensor as_view(const Tensor& x, const Dims& shape, const Dims& strides, int64_t offset,
               CreationMeta meta = CreationMeta::View);

// A region of a tensor of (base_shape, base_strides): elements at (shape, strides, offset) of its storage.
struct StridedRegion {
  Dims base_shape, base_strides, shape, strides;
  int64_t offset = 0;  // from the base's first element
  static constexpr AttrNames kNames{"", "", "size", "stride", "storage_offset"};
};
// Returns the gradient of the base, given the gradient g of a region: zero outside the region.
Tensor region_grad(const Tensor& g, const StridedRegion& r);

// ---- backward
// torch.autograd.grad: the gradients of Σ outputs·grad_outputs (undefined: 1 for one-element outputs) with
// respect to the inputs. For an unused input throws an error, or returns undefined with allow_unused.
std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& grad_outputs = {}, std::optional<bool> retain_graph = {},
                         bool create_graph = false, bool allow_unused = false);
// torch.autograd.backward: adds these gradients to .grad of the inputs, or, if there are none, of all leaves
// that the outputs depend on, in one pass. gradients: one per output, as above.
void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& gradients,
              const std::vector<Tensor>& inputs = {}, std::optional<bool> retain_graph = {},
              bool create_graph = false);

// y[…] = x[…] + y[…], x is broadcast to y's shape, has the same dtype and does not overlap y. Not an op: no
// observer sees it and y's version stays, so y must be a result that nothing else holds yet.
void add_unrecorded_(const Tensor& y, const Tensor& x);

// Returns the leaves whose .grad y.backward() adds to, in the order in which a walk from y finds them.
std::vector<Tensor> leaves_of(const Tensor& y);
// Returns the other tensors whose .grad y.backward() changes: those in its graph with retain_grad().
std::vector<Tensor> retaining_grad(const Tensor& y);

// x.data = y: x takes over y's storage, shape, dtype and device, and every handle of x sees that. x is no
// longer a view. If an older graph leads to the leaf x, its backward throws when shape or device have
// changed, and casts the gradient when the dtype has.
void set_data(const Tensor& x, const Tensor& y);

}  // namespace glassgrad
