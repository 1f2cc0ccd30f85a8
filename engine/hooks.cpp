// Hooks and retained gradients: registered at the nodes that hold them, called by a backward pass.
#include "graph.h"

#include "ops.h"

namespace glassgrad {
namespace {

std::atomic<uint64_t> hook_ids{0};

Node& hooked_node(const Tensor& x) {
  check(needs_grad(x), "cannot register a hook on a tensor that doesn't require gradient");
  const Edge e = edge_of(x);
  if (!e.node->hooks) e.node->hooks = new Hooks;
  return *e.node;
}

std::string type_of(const Tensor& x) {
  const std::string device = x.device() == kCpu ? "" : fmt::format("{}.", device_type_name(x.device().type));
  return fmt::format("torch.{}{}Tensor", device, scalar_type_name(x.dtype()));
}

// Returns the new .grad in its own memory, so that changing .grad does not change the gradient that flows on.
Tensor retained(const Tensor& before, const Tensor& g) { return before ? add(before, g) : clone(g); }

[[noreturn, gnu::cold]] void refuse_other_data(const Node& n, size_t k, const Tensor& g) {
  const OutputMeta& meta = n.outputs[k];
  fail("the gradient of output {} of {} was given other data, of shape {} and dtype {} instead of {} and {}",
       k, n.name(), g.shape(), dtype_name(g.dtype()), meta.shape, dtype_name(meta.dtype));
}

}  // namespace

uint64_t Tensor::register_hook(Hook hook, std::string name) const {
  const uint64_t id = ++hook_ids;
  hooked_node(*this).hooks->push_back({p_->nr, id, std::move(hook), std::move(name)});
  return id;
}

uint64_t Tensor::register_post_accumulate_grad_hook(AfterHook hook) const {
  check(is_leaf(), "post accumulate grad hooks cannot be registered on non-leaf tensors");
  const uint64_t id = ++hook_ids;
  glassgrad::Hook after{.id = id};
  after.after = std::move(hook);
  hooked_node(*this).hooks->push_back(std::move(after));
  return id;
}

void Tensor::remove_hook(uint64_t id) const {
  std::erase_if(*hooked_node(*this).hooks, [&](const glassgrad::Hook& h) { return h.id == id; });
}

void Tensor::retain_grad() const {
  check(needs_grad(*this), "can't retain_grad on Tensor that has requires_grad=False");
  if (is_leaf() || p_->retains_grad) return;
  hooked_node(*this).hooks->push_back({p_->nr, ++hook_ids, nullptr, {}, p_.get()});
  p_->retains_grad = true;
}

void move_retain_hook(const Tensor& x, Node& to) {
  std::erase_if(*x->fn->hooks, [&](const Hook& h) { return h.retained == x.ref().get(); });
  if (!to.hooks) to.hooks = new Hooks;
  to.hooks->push_back({0, ++hook_ids, nullptr, {}, x.ref().get()});
}

void call_hooks(const Node& n, const std::function<Tensor&(uint16_t)>& grad) {
  const Hooks hooks = *n.hooks;            // a hook may remove itself
  for (const bool retain : {false, true})  // a retained gradient is the hooks' result
    for (const Hook& h : hooks) {
      if (h.after || bool(h.retained) != retain) continue;
      Tensor& g = grad(h.nr);
      if (!g) continue;
      if (retain) {
        if (const Ref<Impl> t = lock_weak(h.retained)) t->grad = retained(Tensor(t->grad), g).ref();
      } else if (Tensor replaced = h.call(g)) {
        check(replaced.dtype() == g.dtype() && replaced.device().type == g.device().type,
              "hook {}has changed the type of value (was {} got {})", h.quoted_name(), type_of(g),
              type_of(replaced));
        check(replaced.shape() == g.shape(), "hook {}has changed the size of value", h.quoted_name());
        g = std::move(replaced);
      }
    }
}

void check_unchanged(const Node& n, std::span<const Tensor> grads) {
  for (size_t k = 0; k < grads.size(); ++k)
    if (const Tensor& g = grads[k];
        g && !(g.shape() == n.outputs[k].shape && g.dtype() == n.outputs[k].dtype))
      refuse_other_data(n, k, g);
}

}  // namespace glassgrad
