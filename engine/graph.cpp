// Nodes: how they are made, stored, redirected by in-place ops, and destroyed.
#include "graph.h"

#include <mutex>
#include <unordered_set>

#include "ops.h"

namespace glassgrad {

thread_local constinit PackHook pack_saved = nullptr;

thread_local constinit Observer* watching = nullptr;
thread_local constinit const Node* in_backward_of = nullptr;
thread_local constinit bool grad_mode = true;
std::atomic<void (*)(const Tensor&)> before_any_write{nullptr};

namespace {

std::atomic<uint64_t> node_seq{0};
std::mutex weak_mutex;  // guards Node::leaf and Hook::retained; no other tensor takes it

constexpr Op accumulate_op{"accumulate", "torch::autograd::AccumulateGrad", "grad + g", why_same_place};
constexpr Op as_strided_op{"as_strided", "AsStridedBackward0", "x[…]", why_same_memory};
constexpr Op copy_slices_op{"copy_slices", "CopySlices", "g outside the written region", why_same_place};

uint64_t next_seq() { return 1 + node_seq.fetch_add(1, std::memory_order_relaxed); }

Node* raw_node(const Op& op, std::span<const OutputMeta> outputs, size_t edges, size_t saved,
               size_t attr_bytes) {
  check(std::max({edges, saved, outputs.size()}) <= UINT16_MAX, "{} of more than {} tensors", op.name,
        UINT16_MAX);
  const size_t bytes = sizeof(Node) + edges * sizeof(Edge) + saved * sizeof(Saved) +
                       outputs.size() * sizeof(OutputMeta) + attr_bytes;
  char* block = static_cast<char*>(take_block(bytes));
  auto* n = new (block) Node;
  n->op = &op;
  n->bytes = uint32_t(bytes);
  n->n_edges = uint16_t(edges);
  n->n_saved = uint16_t(saved);
  n->n_outputs = uint16_t(outputs.size());
  n->edges = reinterpret_cast<Edge*>(block + sizeof(Node));
  n->saved = reinterpret_cast<Saved*>(n->edges + edges);
  n->outputs = reinterpret_cast<OutputMeta*>(n->saved + saved);
  n->attr = n->outputs + outputs.size();
  for (size_t i = 0; i < edges; ++i) new (n->edges + i) Edge;
  for (size_t i = 0; i < saved; ++i) new (n->saved + i) Saved;
  for (size_t i = 0; i < outputs.size(); ++i) new (n->outputs + i) OutputMeta(outputs[i]);
  return n;
}

void destroy(Node* n) {
  for (int i = 0; i < n->n_saved; ++i) n->saved[i].~Saved();
  for (int i = 0; i < n->n_edges; ++i) n->edges[i].~Edge();
  delete n->hooks;
  const size_t bytes = n->bytes;
  n->~Node();
  give_block(n, bytes);
}

void save(Saved& slot, const Save& what, std::span<const Tensor> y, Inputs in) {
  const Tensor& t = *what.t;
  check(
      !t->storage->for_inference,
      "Inference tensors cannot be saved for backward. To work around you can make a clone to get a normal tensor and "
      "use it in autograd.");
  slot.data = shallow_copy(t).ref();
  slot.data->is_number = t->is_number;
  if (t->base) slot.data->creation_meta = CreationMeta::View;
  slot.version = t.version();
  slot.edge = what.edge;
  // Compare the tensors, not the addresses of the handles: results are passed by value.
  for (size_t k = 0; k < y.size(); ++k)
    if (t.ref() == y[k].ref()) slot.edge = Saved::kOwnOutput, slot.nr = uint16_t(k);
  for (size_t i = 0; i < in.size() && slot.edge != Saved::kOwnOutput && what.edge == Saved::kNoEdge; ++i)
    if (t.ref() == in[i]->ref()) slot.edge = int(i);
  if (pack_saved && !t->is_number) [[unlikely]] {
    const NoGrad no_graph;
    slot.packed = pack_saved(slot.edge == Saved::kOwnOutput ? shallow_copy(t) : t);
    slot.data = {};
  }
}

}  // namespace

Ref<Node> new_node(const Op& op, std::span<const Tensor> y, Inputs in, Saves saves, size_t attr_bytes) {
  OutputMeta one;
  std::vector<OutputMeta> many;
  if (y.size() == 1) {
    one = {y[0]->shape, y[0]->dtype, y[0].device()};
  } else {
    for (const Tensor& t : y) many.push_back({t->shape, t->dtype, t.device()});
  }
  const auto outputs =
      y.size() == 1 ? std::span<const OutputMeta>(&one, 1) : std::span<const OutputMeta>(many);
  Ref<Node> n(raw_node(op, outputs, in.size(), saves.size(), attr_bytes));
  // edge_of may create a node for a stale view. This node reads that one, so take its sequence number
  // afterwards.
  for (size_t i = 0; i < in.size(); ++i) n->edges[i] = edge_of(*in[i]);
  n->seq = next_seq();
  for (size_t k = 0; k < saves.size(); ++k)
    if (saves[k].when) save(n->saved[k], saves[k], y, in);
  return n;
}

void attach(const Tensor& y, Ref<Node> node, uint16_t nr) {
  y->fn = std::move(node);
  y->nr = nr;
  y->requires_grad = true;
}

// Iterative: dying nodes go to a list, so a chain of any length is destroyed without deep recursion.
void release(Node* n) noexcept {
  if (!n->drop()) return;
  thread_local Node* dying = nullptr;
  thread_local bool busy = false;
  n->next_dying = dying;
  dying = n;
  if (busy) return;
  busy = true;
  while (Node* d = dying) {
    dying = d->next_dying;
    destroy(d);
  }
  busy = false;
}

// ---- tensors that a node can reach without owning them: leaves, and tensors that retain their gradient
void release(Impl* p) noexcept {
  if (p->sink || p->retains_grad) [[unlikely]] {
    // A count of 1 must not skip the atomic: another thread may be taking a reference through the node.
    if (p->count.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    const std::lock_guard hold(weak_mutex);
    if (p->sink && p->sink->leaf == p) p->sink->leaf = nullptr;
    if (p->retains_grad && p->fn && p->fn->hooks)
      std::erase_if(*p->fn->hooks, [&](const Hook& h) { return h.retained == p; });
  } else if (!p->drop()) {
    return;
  }
  p->~Impl();
  give_block(p, sizeof(Impl));
}

Ref<Impl> lock_weak(Impl* const& weak) {
  const std::lock_guard hold(weak_mutex);
  Impl* p = weak;
  if (!p) return {};
  for (uint32_t n = p->count.load(); n > 0;)
    if (p->count.compare_exchange_weak(n, n + 1)) return Ref<Impl>(p);
  return {};
}

// ---- edges
namespace {

// True if the base of view x was written after x.fn was made.
bool is_stale(const Impl& x) { return x.base && x.fn_version != x.storage->version && x.base->requires_grad; }

// Makes a node that reads x as a region of its base's current value.
Ref<Node> region_node(const Tensor& x) {
  const Tensor base(x->base);
  const StridedRegion region{base->shape, base->strides, x->shape, x->strides, x->offset - base->offset};
  return make_node(as_strided_op, {&x, 1}, {&base}, {}, region,
                   [](BackwardContext& d, const StridedRegion& r) { d[0] = region_grad(d.g, r); });
}

bool refuses_writes(const Impl& x) {
  return x.creation_meta == CreationMeta::OneOfMany || x.creation_meta == CreationMeta::MadeUnderNoGrad;
}
[[noreturn]] void refuse_write(const Tensor& x, const char* written) {
  const bool many = x->creation_meta == CreationMeta::OneOfMany;
  const std::string from = x->fn ? fmt::format("Output {} of {} is a view", x->nr, x->fn->name()) : "A view";
  const std::string what =
      many && x->fn
          ? fmt::format("{} and {} modified inplace.", from, written)
          : fmt::format("{}{} created in no_grad mode and {} modified inplace with grad mode enabled.", from,
                        x->fn ? " of a view which was" : " was", written);
  fail(
      "{} {}", what,
      many
          ? "This view is the output of a function that returns multiple views. Such functions do not allow "
            "the output views to be modified inplace. You should replace the inplace operation by an "
            "out-of-place one."
          : "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your "
            "code by moving both the view and the inplace either both inside the no_grad block (if you don't "
            "want the inplace to be tracked) or both outside (if you want the inplace to be tracked).");
}

}  // namespace

bool needs_grad(const Tensor& x) { return x->requires_grad || (x->base && x->base->requires_grad); }

bool has_invalid_fn(const Tensor& x) { return refuses_writes(*x.ref()) && is_stale(*x.ref()); }

const Ref<Node>& grad_fn(const Tensor& x) {
  if (x->base && is_stale(*x.ref())) [[unlikely]] {
    if (has_invalid_fn(x)) refuse_write(x, "its base or another view of its base has been");
    Ref<Node> node = region_node(x);
    if (x->retains_grad && x->fn) move_retain_hook(x, *node);
    attach(x, std::move(node));
    x->fn_version = x.version();
  }
  return x->fn;
}

Edge edge_of(const Tensor& x) {
  if (!needs_grad(x)) return {};
  if (const Ref<Node>& fn = grad_fn(x)) return {fn, x->nr};
  if (!x->has_sink.load(std::memory_order_acquire)) {
    const std::lock_guard hold(weak_mutex);
    if (!x->sink) {
      const OutputMeta meta{x->shape, x->dtype, x->storage->device};
      x->sink = Ref<Node>(raw_node(accumulate_op, {&meta, 1}, 0, 0, 0));
      x->sink->leaf = x.ref().get();
      x->has_sink.store(true, std::memory_order_release);
    }
  }
  // set_data has changed the leaf's shape. A graph that still holds this sink keeps the old shape, as in
  // PyTorch.
  if (Dims& expected = x->sink->outputs[0].shape; !(expected == x->shape) && x->sink->unique()) [[unlikely]]
    expected = x->shape;
  return {x->sink, 0};
}

Tensor as_view(const Tensor& x, const Dims& shape, const Dims& strides, int64_t offset, CreationMeta meta) {
  Tensor v = shallow_copy(x);
  v->shape = shape;
  v->strides = strides;
  v->offset = offset;
  v->base = x->base ? x->base : x.ref();
  v->creation_meta = !grad_mode                                               ? CreationMeta::MadeUnderNoGrad
                     : refuses_writes(*x.ref()) && meta == CreationMeta::View ? x->creation_meta
                                                                              : meta;
  v->fn_version = x.version();
  return v;
}

// ---- in place
void check_may_change(const Tensor& x, const Tensor& other) {
  check(
      !x->storage->for_inference || inference_mode,
      "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
      "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.");
  if (!grad_mode) return;
  const bool needs = needs_grad(x), other_needs = other && needs_grad(other);
  if (!needs && !other_needs) return;
  if (refuses_writes(*x.ref())) refuse_write(x, "is being");
  check(!x->base || !needs || x->base->fn,
        "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  check(!x->requires_grad || grad_fn(x),
        "a leaf Variable that requires grad is being used in an in-place operation.");
  if (other_needs) grad_fn(other);  // if its node is invalid, throws now instead of after the write
}

void announce(const Tensor& x, const Tensor& other) {
  check_may_change(x, other);
  tell([&](Observer& o) { o.before_write(x); });
  if (auto* const told = before_any_write.load(std::memory_order_acquire)) [[unlikely]]
    told(x);
}

void begin_rebase(const Tensor& x, Node* node) {
  if (grad_mode) grad_fn(x);  // get the node from before the write; it stays valid for the new version
  x->fn_version = ++x->storage->version;
  for (int k = 0; node && k < node->n_saved; ++k)
    if (node->saved[k].edge == Saved::kOwnOutput) node->saved[k].version = x->fn_version;
}

namespace {

// Makes the node of base' = base with the region x replaced by the result of op_node.
Ref<Node> copy_slices_node(const Tensor& base, const Tensor& x, Ref<Node> op_node) {
  const OutputMeta meta{base->shape, base->dtype, base->storage->device};
  const StridedRegion region{base->shape, base->strides, x->shape, x->strides, x->offset - base->offset};
  const Edge old = edge_of(base);
  Ref<Node> n(raw_node(copy_slices_op, {&meta, 1}, 2, 0, sizeof region));
  n->edges[0] = old;
  n->edges[1] = {std::move(op_node), 0};
  n->seq = next_seq();
  new (n->attr) StridedRegion(region);
  n->run = [](Node& self, BackwardContext& d) {
    const auto& r = *static_cast<const StridedRegion*>(self.attr);
    const Tensor flat = storage_order(d.g, r);
    if (d.needs(0)) {
      const Tensor rest = as_strided_zero(flat, r.shape, r.strides, r.offset);
      d[0] = is_contiguous(r.base_shape, r.base_strides) ? rest
                                                         : rest.as_strided(r.base_shape, r.base_strides, 0);
    }
    if (d.needs(1)) d[1] = flat.as_strided(r.shape, r.strides, r.offset);
  };
  return n;
}

void redirect(const Tensor& x, Ref<Node> node) {
  if (x->retains_grad && x->fn) move_retain_hook(x, *node);
  x->storage->rewritten_by = node->name();
  attach(x, std::move(node));
}

}  // namespace

void finish_rebase(const Tensor& x, Ref<Node> node) {
  if (node && x->base) {
    const Tensor base(x->base);
    redirect(base, copy_slices_node(base, x, std::move(node)));
  } else if (node) {
    redirect(x, std::move(node));
  }
  if (!x->base) return;
  --x->fn_version;                  // makes x stale: the next grad_fn(x) derives a node from the base
  if (x->retains_grad) grad_fn(x);  // moves the retain hook to the new node now
}

void take_geometry(const Tensor& x, const Tensor& view) {
  x->shape = view->shape;
  x->strides = view->strides;
  x->offset = view->offset;
  const uint32_t version = ++x->storage->version;  // makes other views of the base stale
  if (!view->fn) return;
  redirect(x, view->fn);
  x->fn_version = version;
}

Tensor storage_order(const Tensor& g, const StridedRegion& r) {
  if (is_contiguous(r.base_shape, r.base_strides)) return g.contiguous();
  return as_strided_scatter(g, {extent(r.base_shape, r.base_strides)}, r.base_strides, 0);
}

namespace {

// Calls visit_node once for each node of y's graph, y's own first.
template <class Visit>
void walk_nodes(const Tensor& y, Visit visit_node) {
  if (!needs_grad(y)) return;
  std::vector<const Node*> todo;
  std::unordered_set<const Node*> seen;
  const auto visit = [&](const Edge& e) {
    if (e.node && seen.insert(e.node.get()).second) todo.push_back(e.node.get());
  };
  const Edge root = edge_of(y);
  visit(root);
  while (!todo.empty()) {
    const Node* n = todo.back();
    todo.pop_back();
    for (const Edge& e : n->inputs()) visit(e);
    visit_node(*n);
  }
}

}  // namespace

std::vector<Tensor> leaves_of(const Tensor& y) {
  std::vector<Tensor> leaves;
  walk_nodes(y, [&](const Node& n) {
    if (n.run) return;
    if (Ref<Impl> leaf = lock_weak(n.leaf)) leaves.emplace_back(std::move(leaf));
  });
  return leaves;
}

std::vector<Tensor> retaining_grad(const Tensor& y) {
  std::vector<Tensor> found;
  walk_nodes(y, [&](const Node& n) {
    if (!n.hooks) return;
    for (const Hook& h : *n.hooks)
      if (Ref<Impl> x = lock_weak(h.retained)) found.emplace_back(std::move(x));
  });
  return found;
}

void refuse_other_shape(const Dims& a, const Dims& b) {
  const int n = std::max(a.n, b.n);
  for (int d = n - 1; d >= n - std::min(a.n, b.n); --d) {
    const int64_t x = a[d - n + a.n], y = b[d - n + b.n];
    check(x == y || x == 1 || y == 1,
          "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}", x,
          y, d);
  }
  fail("output with shape {} doesn't match the broadcast shape {}", a, b);
}

Tensor in_shape_of(const Impl& leaf, const Tensor& g) {
  const auto without_ones = [](const Dims& shape) {
    Dims rest;
    for (const int64_t size : shape)
      if (size != 1) rest.push(size);
    return rest;
  };
  if (!(without_ones(leaf.shape) == without_ones(g->shape))) refuse_other_shape(leaf.shape, g->shape);
  return g.reshape(leaf.shape);
}

void set_data(const Tensor& x, const Tensor& y) {
  if (x->base) {  // no longer a view, but keeps its part of the base's graph
    const bool needs = needs_grad(x);
    if (needs && !has_invalid_fn(x)) grad_fn(x);
    x->requires_grad = needs;
  }
  if (x->sink) {
    x->sink->outputs[0].dtype = y.dtype();
    x->sink->outputs[0].device = y.device();
  }
  const uint32_t version = x.version();  // never goes back
  const Tensor from = y.data();
  x->dtype = from->dtype;
  x->offset = from->offset;
  x->shape = from->shape;
  x->strides = from->strides;
  x->storage = from->storage;
  x->storage->version = version;
  x->base = {};
}

}  // namespace glassgrad
