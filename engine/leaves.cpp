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

}  // namespace glassgrad
