// The backward pass: order, accumulation and errors.
#include <memory>
#include <mutex>

#include "core/threads.h"
#include "graph.h"
#include "ops.h"

namespace glassgrad {
namespace {

// Only one thread runs a backward pass at a time. Recursive, because a hook may start a nested pass.
std::recursive_mutex backward_mutex;
std::atomic<uint64_t> run_ids{0};

struct Step {
  Node* node;
  uint64_t old_mark;  // the node's mark and slot before this pass; ~Plan restores them
  uint32_t old_slot;
  bool wanted = true;
  std::vector<Tensor> more = {};  // gradients of outputs 1, 2, …
  Tensor first = {};              // gradient of output 0: most nodes have one output

  Tensor& grad(uint32_t nr) {
    if (nr == 0) return first;
    more.resize(node->n_outputs - 1u);
    return more[nr - 1];
  }
};

// The nodes that a backward can reach, newest first. Sinks, the nodes of leaves (PyTorch's AccumulateGrad),
// have no `run` and are in a separate list. The destructor restores the nodes' scratch fields, so a nested
// backward does not disturb the outer one.
class Plan {
 public:
  std::vector<Step> steps, sinks;
  bool has_hooks = false;  // user functions run between steps

  explicit Plan(const std::vector<Edge>& roots)
      : Plan() {  // delegates: if memory runs out below, ~Plan still restores the nodes
    std::vector<Node*> todo;
    for (const Edge& e : roots) visit(e.node.get(), todo);
    while (!todo.empty()) {
      Node* n = todo.back();
      todo.pop_back();
      for (const Edge& e : n->inputs())
        if (e.node) visit(e.node.get(), todo);
    }
    // Newest first: creation order is a topological order, and PyTorch runs nodes in this order too.
    const auto newer = [](const Step& a, const Step& b) { return a.node->seq > b.node->seq; };
    if (!std::is_sorted(steps.begin(), steps.end(), newer)) std::sort(steps.begin(), steps.end(), newer);
    for (auto* list : {&steps, &sinks})
      for (uint32_t i = 0; Step & s : *list) s.node->slot = i++;
  }
  ~Plan() {
    for (auto* list : {&steps, &sinks})
      for (Step& s : *list) s.node->mark = s.old_mark, s.node->slot = s.old_slot;
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  Step& of(Node* n) { return (n->run ? steps : sinks)[n->slot]; }
  bool reaches(const Node* n) const { return n && n->mark == id_; }

  // Marks as wanted only the steps that lead to one of the targets.
  void want_only(const std::vector<Edge>& targets) {
    for (auto* list : {&steps, &sinks})
      for (Step& s : *list) s.wanted = false;
    for (const Edge& e : targets)
      if (reaches(e.node.get())) of(e.node.get()).wanted = true;
    for (size_t i = steps.size(); i-- > 0;)
      for (const Edge& e : steps[i].node->inputs())
        if (e.node && of(e.node.get()).wanted) steps[i].wanted = true;
  }

 private:
  Plan() = default;
  void visit(Node* n, std::vector<Node*>& todo) {
    if (n->mark == id_) return;
    if (n->run) todo.push_back(n);
    (n->run ? steps : sinks).push_back({n, n->mark, n->slot});
    n->mark = id_;
    has_hooks = has_hooks || n->hooks;
  }

  const uint64_t id_ = ++run_ids;
};

// Returns the part of the error text that names the grad_fn of a saved tensor that was written in place: the
// in-place op's node, or AsStridedBackward0 for a view whose base was written. Empty for a leaf.
std::string origin_of(const Node& n, const Saved& s) {
  const auto origin = [](int nr, std::string_view name) {
    // PyTorch prints its generated nodes (AddBackward0) without a namespace, others (CopySlices) with one.
    const bool generated = name.back() >= '0' && name.back() <= '9';
    return fmt::format(", which is output {} of {}{},", nr, generated ? "" : "torch::autograd::", name);
  };
  if (s.edge == Saved::kOwnOutput) return origin(s.nr, n.name());
  if (s.edge < 0) return {};
  const Edge& from = n.edges[s.edge];
  if (from.node && !from.node->run) return {};
  if (from.node && s.data->creation_meta == CreationMeta::View) return origin(0, "AsStridedBackward0");
  if (const char* name = s.data->storage->rewritten_by) return origin(0, name);
  return from.node ? origin(int(from.nr), from.node->name()) : std::string();
}

void check_saved(const Node& n) {
  check(
      !n.released,
      "Trying to backward through the graph a second time (or directly access saved tensors after they have "
      "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
      "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time "
      "or if you need to access saved tensors after calling backward.");
  for (const Saved& s : std::span(n.saved, n.n_saved)) {
    if (!s.data || s.version == s.data->storage->version) [[likely]]
      continue;
    fail(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        "[torch.{}Tensor {}]{} is at version {}; expected version {} instead. Hint: enable anomaly "
        "detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True).",
        scalar_type_name(s.data->dtype), s.data->shape, origin_of(n, s), s.data->storage->version, s.version);
  }
}

// If g is a view of a whole tensor and nothing else holds either of them, drops the base, so that .grad can
// take g without a copy. A weight's gradient is such a view: the transpose of a column-major product.
void take_base_over(const Tensor& g) {
  if (grad_mode || !g->base || !g.ref()->unique() || !g->base->unique()) return;
  if (g->base->shape.numel() != g.numel()) return;
  g->base = {};
  g->creation_meta = CreationMeta::NotAView;
}

bool ours_alone(const Tensor& g) {
  return g.ref()->unique() && g->storage->unique() && !g->storage->owner && g.is_contiguous();
}

// Throws "invalid gradient". `from` is null for the caller's own gradient. Out of line: cold path.
[[noreturn, gnu::cold]] void refuse_gradient(const Node* from, int input, const std::string& why) {
  fail("{}invalid gradient at index {} - {}",
       from ? fmt::format("Function {} returned an ", from->name()) : std::string(), input, why);
}
[[gnu::noinline]] Tensor fitted(const Tensor& g, const OutputMeta& meta, const Node* from, int input) {
  if (!expands_to(meta.shape, g->shape))
    refuse_gradient(from, input,
                    fmt::format("got {} but expected shape compatible with {}", g->shape, meta.shape));
  return sum_to(g, meta.shape);
}
[[gnu::cold]] Tensor moved(const Tensor& g, const OutputMeta& meta, const Node* from, int input) {
  if (g.dim() > 0)
    refuse_gradient(
        from, input,
        fmt::format("expected device {} but got {}", to_string(meta.device), to_string(g.device())));
  return to(g, meta.device);
}

// Adds g, the gradient of an input of `from`, to the gradient of output e.nr of e.node, in the shape, dtype
// and device that e.node expects. Every gradient passes through here, also the caller's own.
void add_to_slot(Plan& plan, const Edge& e, Tensor g, const Node* from, int input) {
  const OutputMeta& meta = e.node->outputs[e.nr];
  if (!(g->shape == meta.shape)) g = fitted(g, meta, from, input);
  if (g->dtype != meta.dtype) g = to(g, meta.dtype);
  if (g.device() != meta.device) g = moved(g, meta, from, input);
  take_base_over(g);
  Tensor& slot = plan.of(e.node.get()).grad(e.nr);
  if (!slot) {
    slot = std::move(g);
    return;
  }
  tell([&](Observer& o) { o.accumulate(*e.node, slot, g); });
  if (grad_mode || !ours_alone(slot))  // with grad mode on, the sum needs a node
    slot = add(slot, g);
  else if (watching)
    add_(slot, g);
  else
    add_unrecorded_(slot, g);
}

void call_hooks(Step& s) {
  if (s.node->hooks) [[unlikely]]
    call_hooks(*s.node, [&](uint16_t nr) -> Tensor& { return s.grad(nr); });
}

void drop_saved(Node& n) {
  for (Saved& s : std::span(n.saved, n.n_saved))
    if (s.data || s.packed) s = {}, n.released = true;
}

void run_step(Plan& plan, Step& s, bool retain_graph) {
  Node& n = *s.node;
  constexpr size_t kFew = 4;
  Tensor few_out[kFew];
  bool few_wanted[kFew] = {};
  std::vector<Tensor> many_out(n.n_edges > kFew ? n.n_edges : 0);
  const auto many_wanted = n.n_edges > kFew ? std::make_unique<bool[]>(n.n_edges) : nullptr;
  Tensor* out = n.n_edges > kFew ? many_out.data() : few_out;
  bool* wanted = n.n_edges > kFew ? many_wanted.get() : few_wanted;
  for (int i = 0; i < n.n_edges; ++i) wanted[i] = n.edges[i].node && plan.of(n.edges[i].node.get()).wanted;

  std::vector<Tensor> all;
  if (n.n_outputs > 1) {
    all = s.more;
    all.insert(all.begin(), s.first);
    all.resize(n.n_outputs);
  }
  const std::span<const Tensor> grads =
      n.n_outputs > 1 ? std::span<const Tensor>(all) : std::span(&s.first, 1);
  check_saved(n);  // a hook may have written meanwhile
  if (plan.has_hooks) check_unchanged(n, grads);
  const ForScope here(in_backward_of, &n);
  BackwardContext d{n, grads, s.first, out, wanted, !retain_graph, &plan};
  n.run(n, d);
  tell([&](Observer& o) { o.backward(n, grads, {out, n.n_edges}); });
  if (!retain_graph) drop_saved(n);
  all.clear();
  s.first = {};
  s.more.clear();
  for (int i = 0; i < n.n_edges; ++i)
    if (out[i] && wanted[i]) add_to_slot(plan, n.edges[i], std::move(out[i]), &n, i);
}

// Computes the new .grad of every leaf before it assigns the first, so that an error leaves all of them
// unchanged. An error in a post-accumulate hook comes after the assignment.
void accumulate_leaves(Plan& plan) {
  std::vector<std::pair<Ref<Impl>, Tensor>> results;
  std::vector<std::pair<Ref<Impl>, Tensor::AfterHook>> after;
  for (Step& s : plan.sinks) {
    if (!s.wanted) continue;
    call_hooks(s);
    Ref<Impl> leaf = lock_weak(s.node->leaf);
    if (!leaf || !s.first || !needs_grad(Tensor(leaf))) continue;
    if (plan.has_hooks) check_unchanged(*s.node, {&s.first, 1});
    if (!(leaf->shape == s.first->shape)) s.first = in_shape_of(*leaf, s.first);
    const ForScope here(in_backward_of, s.node);
    Tensor total;
    if (const Tensor old = Tensor(leaf->grad)) {
      if (!(leaf->shape == old->shape)) refuse_other_shape(old->shape, s.first->shape);
      tell([&](Observer& o) { o.accumulate(*s.node, old, s.first); });
      total = add(old, s.first);
    } else {
      // With grad mode on, two leaves may have received the same tensor: copy it.
      total = grad_mode             ? copy_(empty_like(s.first), s.first)
              : ours_alone(s.first) ? s.first
                                    : clone(s.first);
    }
    if (s.node->hooks)
      for (const Hook& h : *s.node->hooks)
        if (h.after) after.emplace_back(leaf, h.after);
    results.emplace_back(std::move(leaf), std::move(total));
  }
  for (auto& [leaf, total] : results) leaf->grad = total.ref();
  for (const auto& result : results)
    tell([&](Observer& o) { o.leaf_gradient(Tensor(result.first), result.second); });
  for (const auto& [leaf, hook] : after) hook(Tensor(leaf));
}

Tensor root_gradient(const Tensor& y, const Tensor& g, size_t i) {
  if (!g) {
    check(y.numel() == 1, "grad can be implicitly created only for scalar outputs");
    return ones_like(shallow_copy(y));
  }
  const auto size = [](const Tensor& t) {
    std::string text = to_string(t.shape());
    return "torch.Size(" + text + ")";
  };
  check(g.shape() == y.shape(),
        "Mismatch in shape: grad_output[{}] has a shape of {} and output[{}] has a shape of {}.", i, size(g),
        i, size(y));
  if (g.device() != y.device())
    fail("grad_output[{}] lies on {} and output[{}] on {}: they must be on one device", i,
         to_string(g.device()), i, to_string(y.device()));
  return g;
}

// With targets, runs only the nodes that lead to them. Result::AddToLeaves adds the gradients to the leaves'
// .grad; Result::Return returns the targets' gradients, undefined where there is none.
enum class Result : uint8_t { AddToLeaves, Return };
std::vector<Tensor> run_graph(const std::vector<Tensor>& outputs, const std::vector<Tensor>& grads,
                              const std::vector<Edge>& targets, Result result, bool retain_graph,
                              bool create_graph) {
  const std::lock_guard one_at_a_time(backward_mutex);
  std::vector<Edge> roots;
  std::vector<Tensor> root_grads;
  for (size_t i = 0; i < outputs.size(); ++i) {
    check(needs_grad(outputs[i]), "element {} of tensors does not require grad and does not have a grad_fn",
          i);
    root_grads.push_back(root_gradient(outputs[i], i < grads.size() ? grads[i] : Tensor(), i));
    roots.push_back(edge_of(outputs[i]));
  }
  Plan plan(roots);
  if (!targets.empty()) plan.want_only(targets);
  for (const Step& s : plan.steps)
    if (s.wanted) check_saved(*s.node);  // before anything has changed

  const GradMode mode(create_graph);
  for (size_t i = 0; i < roots.size(); ++i)
    add_to_slot(plan, roots[i], std::move(root_grads[i]), nullptr, int(i));
  std::vector<Tensor> results(result == Result::Return ? targets.size() : 0);
  const auto collect = [&](Step& s) {
    for (size_t i = 0; i < results.size(); ++i)
      if (targets[i].node.get() == s.node) results[i] = s.grad(targets[i].nr);
  };
  for (Step& s : plan.steps) {
    if (!s.wanted ||
        (!s.first && std::none_of(s.more.begin(), s.more.end(), [](auto& g) { return bool(g); })))
      continue;
    if (host.check_interrupt) host.check_interrupt();
    call_hooks(s);
    collect(s);
    const auto leads_on = [&](const Edge& e) { return e.node && plan.of(e.node.get()).wanted; };
    if (std::any_of(s.node->edges, s.node->edges + s.node->n_edges, leads_on))
      run_step(plan, s, retain_graph);
  }
  if (result == Result::AddToLeaves) {
    accumulate_leaves(plan);
  } else {
    for (Step& s : plan.sinks)
      if (s.wanted) call_hooks(s), collect(s);
  }
  return results;
}

}  // namespace

Tensor BackwardContext::saved(int i) const {
  const Saved& s = node.saved[i];
  const Tensor data = s.packed ? s.packed->unpack() : Tensor(s.data);
  if (!data || !grad_mode || s.edge == Saved::kNoEdge) return data;
  const bool own = s.edge == Saved::kOwnOutput;
  const Edge e = own ? Edge{Ref<Node>::share(&node), s.nr} : node.edges[s.edge];
  Tensor t = shallow_copy(data);
  t->is_number = data->is_number;
  if (e.node && e.node->run) {
    attach(t, e.node, uint16_t(e.nr));
  } else if (e.node) {
    t->sink = e.node;
    t->has_sink = true;
    t->requires_grad = true;
  }
  return t;
}

Tensor BackwardContext::sum_so_far(int i) const {
  const Edge& e = node.edges[i];
  if (grad_mode || watching || !wanted[i]) return {};
  Tensor& slot = static_cast<Plan*>(plan)->of(e.node.get()).grad(e.nr);
  return slot && ours_alone(slot) ? std::exchange(slot, {}) : Tensor();
}

namespace {

// True if no two elements share an address and the last dimension is contiguous. Rows may have gaps between
// them.
bool lies_in_order(const Tensor& x) {
  int64_t reach = 1;
  for (int d = int(x.dim()) - 1; d >= 0; --d) {
    if (x.shape()[d] > 1 && (x.strides()[d] < reach || (reach == 1 && x.strides()[d] != 1))) return false;
    reach = std::max(reach, x.shape()[d] * x.strides()[d]);
  }
  return true;
}

}  // namespace

Tensor BackwardContext::reuse_saved_buffer(int i) const {
  const Tensor x(node.saved[i].data);
  const bool is_ours = x && last && !watching && x->storage->unique() && !x->storage->owner;
  return is_ours && lies_in_order(x) ? shallow_copy(x) : Tensor();
}

namespace {

std::vector<Edge> edges_of(const std::vector<Tensor>& inputs) {
  std::vector<Edge> edges;
  for (const Tensor& x : inputs) {
    check(needs_grad(x), "One of the differentiated Tensors does not require grad");
    edges.push_back(edge_of(x));
  }
  return edges;
}

}  // namespace

void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& gradients,
              const std::vector<Tensor>& inputs, std::optional<bool> retain_graph, bool create_graph) {
  for (const Tensor& x : inputs)
    if (needs_grad(x)) x.retain_grad();
  run_graph(outputs, gradients, edges_of(inputs), Result::AddToLeaves, retain_graph.value_or(create_graph),
            create_graph);
}

void Tensor::backward(const Tensor& gradient, std::optional<bool> retain_graph, bool create_graph) const {
  glassgrad::backward({*this}, {gradient}, {}, retain_graph, create_graph);
}

std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& grad_outputs, std::optional<bool> retain_graph,
                         bool create_graph, bool allow_unused) {
  auto results = run_graph(outputs, grad_outputs, edges_of(inputs), Result::Return,
                           retain_graph.value_or(create_graph), create_graph);
  for (const Tensor& g : results)
    check(allow_unused || g,
          "One of the differentiated Tensors appears to not have been used in the graph. Set "
          "allow_unused=True if this is the desired behavior.");
  return results;
}

}  // namespace glassgrad
