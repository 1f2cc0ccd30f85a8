// What graph.cpp and backward.cpp share; not part of the public interface.
#pragma once
#include <algorithm>
#include <atomic>

#include "autograd.h"

namespace glassgrad {

// Acts on the gradient of output nr of the node that holds it, before the node runs.
struct Hook {
  uint16_t nr = 0;
  uint64_t id = 0;
  Tensor::Hook call;         // a tensor hook …
  std::string name;          // … whose errors call it so …
  Impl* retained = nullptr;  // … or a tensor, not owned, whose .grad keeps the gradient

  std::string quoted_name() const { return name.empty() ? std::string() : "'" + name + "' "; }
};
struct Hooks : std::vector<Hook> {};

// A counted reference to a tensor that is only weakly reachable (Node::leaf, Hook::retained); null once it
// died.
Ref<Impl> lock_weak(Impl* const& weak);
// Told of every write that an in-place op is about to do, on any thread, whoever watches; null: nobody is.
extern std::atomic<void (*)(const Tensor&)> before_any_write;
// The gradient of a leaf that was given another shape after the graph was made. Only dimensions of size 1 may
// differ; else PyTorch's error where the shapes do not broadcast, and one where its .grad would get a wrong
// shape.
Tensor in_shape_of(const Impl& leaf, const Tensor& g);
[[noreturn, gnu::cold]] void refuse_other_shape(const Dims& a, const Dims& b);
// x stops retaining the gradient of its old grad_fn and retains that of the new one.
void move_retain_hook(const Tensor& x, Node& to);
// g laid out as the storage of the region's base: a region of it can then be taken by strides.
Tensor storage_order(const Tensor& g, const StridedRegion& r);

}  // namespace glassgrad
