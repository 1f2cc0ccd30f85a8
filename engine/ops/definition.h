// A fused op has a kernel and a definition: a function that composes the same result of other ops. On the CPU
// both give the same bits, and the tests compare them. The definition runs instead of the kernel if an
// observer wants steps, or if the gradient must be differentiable.
#pragma once
#include <span>

#include "../autograd.h"
#include "../glass/why.h"
#include "../ops.h"

namespace glassgrad {

// Computes an op's result from its inputs and attributes, using other ops.
template <class A>
using Definition = Tensor (*)(std::span<const Tensor>, const A&);

// Explains a cell of the op's result …
template <class A, Definition<A> definition>
Expr why_defined(const Cell& c) {
  const NoGrad no_graph;
  return why_in_ops(c, [&](std::span<const Tensor> in) { return definition(in, c.attr<A>()); });
}
// … and a cell of its gradient. The gradient is an op too: its inputs are g and the op's inputs, result k is
// the gradient of the op's input k.
template <class A, Definition<A> definition>
Expr why_defined_grad(const Cell& c) {
  return why_in_ops(c, [&](std::span<const Tensor> all) {
    const GradMode on(true);
    std::vector<Tensor> in(all.begin() + 1, all.end());
    in[c.out] = in[c.out].detach().requires_grad_();
    return grad({definition(in, c.attr<A>())}, {in[c.out]}, {all[0]})[0];
  });
}

// Runs the definition unrecorded, for an op that has no kernel for these operands.
template <class A>
Tensor computed_by(std::type_identity_t<Definition<A>> definition, std::span<const Tensor> in, const A& a) {
  const NoRecording no_recording;
  return shallow_copy(definition(in, a));
}

// Writes to b the gradients of definition(in) for the inputs that b needs. The first `inputs` tensors that
// the node has saved are the op's inputs. In grad mode the gradients can be differentiated again.
template <class A>
void grad_of_definition(BackwardContext& b, const A& a, size_t inputs, Definition<A> definition) {
  const bool again = grad_mode;
  std::vector<Tensor> in, wanted;
  for (size_t i = 0; i < inputs; ++i) in.push_back(b.saved(int(i)));
  const GradMode on(true);
  for (size_t i = 0; i < inputs; ++i)
    if (b.needs(int(i))) {  // a new tensor for each, because one tensor may be two inputs
      in[i] = again ? in[i].view(in[i].shape()) : in[i].detach().requires_grad_();
      wanted.push_back(in[i]);
    }
  const std::vector<Tensor> grads = grad({definition(in, a)}, wanted, {b.g}, again, again, true);
  for (size_t i = 0, next = 0; i < inputs; ++i)
    if (b.needs(int(i))) b[int(i)] = grads[next++];
}

// Returns the products of (…, m, k) and (…, k, n), or (…, n, k) if `transposed`. Whatever the sizes, each
// element is one chain of fma over k, as in the kernels of fused ops (matmul.cpp).
Tensor chained_bmm(const Tensor& a, const Tensor& b, bool transposed = false);

}  // namespace glassgrad
