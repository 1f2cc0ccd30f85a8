// Shared by graph.cpp, in_place.cpp, hooks.cpp and backward.cpp; not part of the public interface.
#pragma once
#include <algorithm>
#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "autograd.h"

namespace glassgrad {

// A hook on the gradient of output nr of the node that holds it. All but `after` act before the node runs.
struct Hook {
  uint16_t nr = 0;
  uint64_t id = 0;
  Tensor::Hook call{};        // a tensor hook …
  std::string name{};         // … and its name in error texts, …
  Impl* retained = nullptr;   // … or a tensor, not owned, whose .grad retains the gradient, …
  Tensor::AfterHook after{};  // … or, of a leaf, a function to call when its .grad has changed

  std::string quoted_name() const { return name.empty() ? std::string() : "'" + name + "' "; }
};
struct Hooks : std::vector<Hook> {};

// Makes a node with room for its edges, saved data, results and attributes, in one block of memory. The nodes
// of a graph are numbered in the order in which they were made.
Node* raw_node(const Op& op, std::span<const OutputMeta> outputs, size_t edges, size_t saved,
               size_t attr_bytes);
uint64_t next_seq();
// Returns a counted reference to a tensor that is only weakly reachable (Node::leaf, Hook::retained); null if
// the tensor has died.
Ref<Impl> lock_weak(Impl* const& weak);
// Called before every in-place write, on any thread, with or without an observer; null: no function.
extern std::atomic<void (*)(const Tensor&)> before_any_write;
// For a leaf that set_data has reshaped since the graph was made: returns g in the new shape. Only dimensions
// of size 1 may differ. Otherwise throws: PyTorch's error if the shapes do not broadcast, else an error
// because .grad would get a wrong shape.
Tensor in_shape_of(const Impl& leaf, const Tensor& g);
[[noreturn, gnu::cold]] void refuse_other_shape(const Dims& a, const Dims& b);
// Calls the hooks of n, which has some, on the gradients of its outputs: grad(nr) is that of output nr, which
// a hook may replace. Then sets the .grad of tensors that retain theirs.
void call_hooks(const Node& n, const std::function<Tensor&(uint16_t)>& grad);
// Throws if a gradient has not the shape and dtype of its output: a hook may hold a gradient that has already
// arrived, and may have changed it with set_data.
void check_unchanged(const Node& n, std::span<const Tensor> grads);
// Moves x's retain hook from its old grad_fn to the new one.
void move_retain_hook(const Tensor& x, Node& to);
// Returns g laid out like the storage of the region's base, so that the region's strides apply to it.
Tensor storage_order(const Tensor& g, const StridedRegion& r);

}  // namespace glassgrad
