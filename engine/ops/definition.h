// A fused op computes at once what its definition composes of ops, on the CPU with the same bits. Observers
// that want steps see the definition's; a gradient that must be differentiable is the definition's; and the
// tests compare the kernel with it.
#pragma once
#include <span>

#include "../autograd.h"
#include "../glass/composition.h"
#include "../ops.h"

namespace glassgrad {

// A function of the op's inputs and attributes.
template <class A>
using Definition = Tensor (*)(std::span<const Tensor>, const A&);

// Explains a cell of the op …
template <class A, Definition<A> definition>
Expr why_defined(const Cell& c) {
  const NoGrad no_graph;
  return why_in_ops(c, [&](std::span<const Tensor> in) { return definition(in, c.attr<A>()); });
}
// … and a cell of its gradient, an op whose inputs are g and the op's inputs, and whose results are the
// gradients of the first of the op's inputs.
template <class A, Definition<A> definition>
Expr why_defined_grad(const Cell& c) {
  return why_in_ops(c, [&](std::span<const Tensor> all) {
    const GradMode on(true);
    std::vector<Tensor> in(all.begin() + 1, all.end());
    in[c.out] = in[c.out].detach().requires_grad_();
    return grad({definition(in, c.attr<A>())}, {in[c.out]}, {all[0]})[0];
  });
}

// The definition's result without its steps, for an op that has no kernel.
template <class A>
Tensor computed_by(std::type_identity_t<Definition<A>> definition, std::span<const Tensor> in, const A& a) {
  const NoRecording no_recording;
  return shallow_copy(definition(in, a));
}

// The gradients of definition(in), given that of its result: for the inputs that b needs. The node has saved
// `inputs` inputs as its first data. In grad mode the gradients can be differentiated again.
template <class A>
void grad_of_definition(BackwardContext& b, const A& a, size_t inputs, Definition<A> definition) {
  const bool again = grad_mode;
  std::vector<Tensor> in, wanted;
  for (size_t i = 0; i < inputs; ++i) in.push_back(b.saved(int(i)));
  const GradMode on(true);
  for (size_t i = 0; i < inputs; ++i)
    if (b.needs(int(i))) {  // each a tensor of its own: the same tensor may be two inputs
      in[i] = again ? in[i].view(in[i].shape()) : in[i].detach().requires_grad_();
      wanted.push_back(in[i]);
    }
  const std::vector<Tensor> grads = grad({definition(in, a)}, wanted, {b.g}, again, again, true);
  for (size_t i = 0, next = 0; i < inputs; ++i)
    if (b.needs(int(i))) b[int(i)] = grads[next++];
}

// The products of (…, m, k) and (…, k, n), or with `transposed` (…, n, k). Each element is one chain of fma
// over k whatever the sizes, as in a kernel that is made of several products (matmul.cpp).
Tensor chained_bmm(const Tensor& a, const Tensor& b, bool transposed = false);

}  // namespace glassgrad
