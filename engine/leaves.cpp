#include "leaves.h"

#include <unordered_set>

#include "graph.h"

namespace glassgrad {

std::vector<Tensor> leaves_of(const Tensor& y) {
  std::vector<Tensor> leaves;
  if (!needs_grad(y)) return leaves;
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
    if (n->run) continue;
    if (Ref<Impl> leaf = lock_weak(n->leaf)) leaves.emplace_back(std::move(leaf));
  }
  return leaves;
}

void set_data(const Tensor& x, const Tensor& y) {
  if (x->sink && (!(x.shape() == y.shape()) || x.dtype() != y.dtype() || x.device() != y.device())) {
    x->sink->leaf = nullptr;  // old graphs end there
    x->sink = {};
    x->has_sink = false;
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
