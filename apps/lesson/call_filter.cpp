#include "apps/lesson/call_filter.h"

#include "apps/lesson/cancel.h"
#include "apps/lesson/costs.h"

namespace glassgrad::learn {

void CallFilter::op(const Call& call) {
  multiplications_ += followed_multiplications(call);
  if (!keeps_) {
    has_skipped_calls_ = true;
    return throw_if_cancelled();
  }
  for (const Tensor& x : call.out)
    if (x) numbers_ += x.numel();
  to_.op(call);
}

void CallFilter::before_write(const Tensor& x) {
  if (keeps_)
    to_.before_write(x);
  else
    snapshots_.before_write(x);
}

void CallFilter::named(const Tensor& x, const char* name) {
  if (keeps_) to_.named(x, name);
}
void CallFilter::backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor> out) {
  if (keeps_) to_.backward(node, grads, out);
}
void CallFilter::accumulate(const Node& node, const Tensor& before, const Tensor& grad) {
  if (keeps_) to_.accumulate(node, before, grad);
}
void CallFilter::leaf_gradient(const Tensor& leaf, const Tensor& grad) {
  if (keeps_) to_.leaf_gradient(leaf, grad);
}

}  // namespace glassgrad::learn
