// Nodes: how they are made, stored and destroyed, and where their edges lead.
#include "graph.h"

#include <mutex>
#include <unordered_set>

#include "ops.h"

namespace glassgrad {

thread_local constinit PackHook pack_saved = nullptr;

thread_local constinit Observer* watching = nullptr;
thread_local constinit const Node* in_backward_of = nullptr;
thread_local constinit bool grad_mode = true;

namespace {

std::atomic<uint64_t> node_seq{0};
std::mutex weak_mutex;  // guards Node::leaf and Hook::retained; no other tensor takes it

constexpr Op accumulate_op{"accumulate", "torch::autograd::AccumulateGrad", "grad + g", why_same_place};

}  // namespace

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

namespace {

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
bool needs_grad(const Tensor& x) { return x->requires_grad || (x->base && x->base->requires_grad); }

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

}  // namespace glassgrad
