// Views and in-place ops: who may write to what, and the nodes of tensors whose memory was written.
#include "graph.h"
#include "ops.h"

namespace glassgrad {

std::atomic<void (*)(const Tensor&)> before_any_write{nullptr};

namespace {

constexpr Op as_strided_op{"as_strided", "AsStridedBackward0", "x[…]", why_same_memory};
constexpr Op copy_slices_op{"copy_slices", "CopySlices", "g outside the written region", why_same_place};

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
