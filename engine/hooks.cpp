// Registers hooks and retained gradients at the nodes that hold them; backward.cpp calls them.
#include "graph.h"

namespace glassgrad {
namespace {

std::atomic<uint64_t> hook_ids{0};

Node& hooked_node(const Tensor& x) {
  check(needs_grad(x), "cannot register a hook on a tensor that doesn't require gradient");
  const Edge e = edge_of(x);
  if (!e.node->hooks) e.node->hooks = new Hooks;
  return *e.node;
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

}  // namespace glassgrad
