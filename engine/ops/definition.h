// A fused op computes at once what its definition says in ops, on the CPU in the same bits. Whoever wants to
// see steps gets those of the definition; a gradient that is to be differentiated again is the definition's;
// and the tests hold the kernel equal to it.
#pragma once
#include <span>

#include "../autograd.h"
#include "../glass/composition.h"
#include "../ops.h"

namespace glassgrad {

// Of inputs and attributes.
template <class A>
using Definition = Tensor (*)(std::span<const Tensor>, const A&);

// The explanation of the op's cells …
template <class A, Definition<A> definition>
Expr why_defined(const Cell& c) {
  const NoGrad no_graph;
  return why_in_ops(c, [&](std::span<const Tensor> in) { return definition(in, c.attr<A>()); });
}
// … and of its gradient's, an op whose inputs are g and those of the op, and whose results are the gradients
// of the first of these.
template <class A, Definition<A> definition>
Expr why_defined_grad(const Cell& c) {
  return why_in_ops(c, [&](std::span<const Tensor> all) {
    const GradMode on(true);
    std::vector<Tensor> in(all.begin() + 1, all.end());
    in[c.out] = in[c.out].detach().requires_grad_();
    return grad({definition(in, c.attr<A>())}, {in[c.out]}, {all[0]})[0];
  });
}

// The definition's result alone, for an op that has no kernel.
template <class A>
Tensor computed_by(std::type_identity_t<Definition<A>> definition, std::span<const Tensor> in, const A& a) {
  const Quietly quietly;
  return shallow_copy(definition(in, a));
}

// The gradients of definition(in), given that of its result: of the inputs that b needs, of which the node
// has saved `inputs` as its first data. They can be differentiated again if grad mode is on.
template <class A>
void grad_of_definition(Back& b, const A& a, size_t inputs, Definition<A> definition) {
  const bool again = grad_mode;
  std::vector<Tensor> in, wanted;
  for (size_t i = 0; i < inputs; ++i) in.push_back(b.saved(int(i)));
  const GradMode on(true);
  for (size_t i = 0; i < inputs; ++i)
    if (b.needs(int(i))) {  // each a tensor of its own, since one may be two inputs
      in[i] = again ? in[i].view(in[i].shape()) : in[i].detach().requires_grad_();
      wanted.push_back(in[i]);
    }
  const std::vector<Tensor> grads = grad({definition(in, a)}, wanted, {b.g}, again, again, true);
  for (size_t i = 0, next = 0; i < inputs; ++i)
    if (b.needs(int(i))) b[int(i)] = grads[next++];
}

// The products of (…, m, k) and (…, k, n), or with `transposed` (…, n, k), of which each element is one chain
// of fma over k whatever the sizes, as in a kernel that is made of several products (matmul.cpp).
Tensor chained_bmm(const Tensor& a, const Tensor& b, bool transposed = false);

}  // namespace glassgrad
