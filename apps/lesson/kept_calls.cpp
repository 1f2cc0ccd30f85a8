#include "apps/lesson/kept_calls.h"

#include "apps/lesson/cancel.h"
#include "apps/lesson/costs.h"

namespace glassgrad::learn {

void KeptCalls::op(const Call& call) {
  multiplications_ += followed_multiplications(call);
  if (!keeps_) {
    has_skipped_calls_ = true;
    return throw_if_cancelled();
  }
  for (const Tensor& x : call.out)
    if (x) numbers_ += x.numel();
  to_.op(call);
}

void KeptCalls::before_write(const Tensor& x) {
  if (keeps_)
    to_.before_write(x);
  else
    snapshots_.before_write(x);
}

void KeptCalls::named(const Tensor& x, const char* name) {
  if (keeps_) to_.named(x, name);
}
void KeptCalls::backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor> out) {
  if (keeps_) to_.backward(node, grads, out);
}
void KeptCalls::accumulate(const Node& node, const Tensor& before, const Tensor& grad) {
  if (keeps_) to_.accumulate(node, before, grad);
}
void KeptCalls::leaf_gradient(const Tensor& leaf, const Tensor& grad) {
  if (keeps_) to_.leaf_gradient(leaf, grad);
}

}  // namespace glassgrad::learn
