#include "apps/lesson/costs.h"

#include "apps/lesson/cancel.h"

namespace glassgrad::learn {

int64_t followed_multiplications(const Call& call) {
  const int64_t count = multiplications(call);
  if (run_monitor && count > 0) run_monitor->multiplied(count);
  return count;
}

void Costs::op(const Call& call) {
  if (before) before->op(call);
  for (const Tensor& made : call.out)
    if (seen_.insert(made->storage->id).second) bytes += int64_t(made->storage->bytes);
  if (!is_product(call.op.name)) return;
  ++products;
  multiplications += learn::multiplications(call);
}

void Costs::before_write(const Tensor& x) {
  if (before) before->before_write(x);
}
void Costs::scope(const char* name, bool enter) {
  if (before) before->scope(name, enter);
}
void Costs::module_scope(const char* name, bool enter) {
  if (before) before->module_scope(name, enter);
}
void Costs::named(const Tensor& x, const char* name) {
  if (before) before->named(x, name);
}
void Costs::backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor> out) {
  if (before) before->backward(node, grads, out);
}
void Costs::leaf_gradient(const Tensor& leaf, const Tensor& grad) {
  if (before) before->leaf_gradient(leaf, grad);
}

}  // namespace glassgrad::learn
