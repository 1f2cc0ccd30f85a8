#include <fmt/format.h>

#include "apps/lesson/phrases.h"
#include "apps/lessons/mistakes/mistakes.h"
#include "apps/lessons/mistakes/two_paths.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

// ---- a graph with two paths
void no_topo(Narrator& l, const Lab& lab, bool wrong) {
  const TwoPaths graph(lab.a, lab.b);
  l.step("forward", "A graph whose c and d are used twice");
  l.code(fmt::format("a, b = torch.tensor({}., requires_grad=True), torch.tensor({}., requires_grad=True)",
                     whole(lab.a), whole(lab.b)));
  l.code("c = a + b\nd = a * b\ne = c + d\nf = c * d\ny = e + f");
  for (size_t i = 0; i < TwoPaths::kSize; ++i) l.show(TwoPaths::kNames[i], graph.tensors[i]);

  l.step("backward", "Gradients, from y back to a");
  l.code(wrong ? "def backward(v):  # y.grad = 1, then backward(y)\n"
                 "    v.add_to_the_gradients_of_its_inputs()\n"
                 "    for input in reversed(v.inputs): backward(input)"
               : "y.backward()  # each node once, when all that use it are done");
  NaiveEngine engine(graph);
  if (wrong)
    engine.recurse(false);
  else
    engine.in_topological_order(true);
  const Tensor grads = engine.grads();
  for (const int64_t i : {6, 5, 4, 3, 2, 0, 1})
    l.show(fmt::format("{}.grad", TwoPaths::kNames[size_t(i)]), grads[i]);
}

Explanation about_no_topo(const Lab& lab, const Recording& right, const Recording& wrong) {
  const TwoPaths graph(lab.a, lab.b);
  NaiveEngine once(graph);
  once.visit_once(true);
  const auto y = [&](double a) {
    const double c = a + lab.b, d = a * lab.b;
    return (c + d) + c * d;
  };
  const double h = 0.001;
  return {
      fmt::format(
          "c and d are reached from e and from f. The recursion passes on what they have when it first "
          "comes by, and when it comes again it passes on the whole sum, the first part a second time: "
          "a.grad is {} instead of {}. Going to each node only once is no help: it gives {}, for c and d "
          "pass on their gradients before all of them have come.",
          whole(tensor_of(wrong, "a.grad")), whole(tensor_of(right, "a.grad")), whole(once.grad(0))),
      fmt::format(
          "A central difference, (y(a + h) - y(a - h)) / 2h with h = {}: {}. A graph in which every value "
          "is used once cannot show it. The lesson autograd.order goes through it step by step.",
          h, digits((y(lab.a + h) - y(lab.a - h)) / (2 * h)))};
}

// ---- a few steps of training
constexpr double kLearningRate = 0.1;
constexpr int kSteps = 3;

void no_zero_grad(Narrator& l, const Lab& lab, bool wrong) {
  const Tensor target = mean(lab.x, {-1});
  const Tensor w = zeros({lab.x.size(1)});
  w.requires_grad_();
  for (int step = 1; step <= kSteps; ++step) {
    const std::string id = fmt::format("step-{}", step);
    l.step(id.c_str(), fmt::format("Training step {}", step));
    if (step == 1) {
      l.code(fmt::format("w = torch.zeros({}, requires_grad=True)", lab.x.size(1)));
      l.code("target = inputs.mean(dim=-1)");
    } else {
      l.code(wrong ? "# w.grad stays" : "w.grad = None");
    }
    l.code("loss = ((inputs @ w - target)**2).mean()\nloss.backward()");
    l.code(fmt::format("with torch.no_grad(): w -= {} * w.grad", kLearningRate));
    if (!wrong) w.set_grad({});
    l.show("w", w);
    const Tensor loss = mse_loss(matmul(lab.x, w), target);
    loss.backward();
    l.show("loss", loss);
    const NoGrad off;
    const Tensor grad = l.show("grad", clone(w.grad()));
    sub_(w, grad * Tensor(kLearningRate));
  }
}

Explanation about_no_zero_grad(const Lab&, const Recording& right, const Recording& wrong) {
  const auto first = [](const Recording& r, const char* of) { return digits(tensor_of(r, of)[0]); };
  const std::string last = fmt::format("step-{}:loss", kSteps);
  return {
      fmt::format(
          "backward adds to w.grad, and nobody has cleared it: in step 2 the first number is {} = {} from "
          "step 1 + {} from step 2. Every step repeats all before it; the loss of step {} is {} instead "
          "of {}.",
          first(wrong, "step-2:grad"), first(wrong, "step-1:grad"), first(right, "step-2:grad"), kSteps,
          digits(tensor_of(wrong, last)), digits(tensor_of(right, last))),
      "Print w.grad in the second step beside torch.autograd.grad(loss, w), which adds to nothing; call "
      "optimizer.zero_grad() before each backward."};
}

constexpr Mistake kGradientRows[] = {
    {"no-topo", "goes back through the graph by recursion, without a topological order", false, no_topo,
     about_no_topo},
    {"no-zero-grad", "never clears the gradients, so that they pile up", true, no_zero_grad,
     about_no_zero_grad},
};

}  // namespace

constinit const std::span<const Mistake> kMistakesOfGradients = kGradientRows;

}  // namespace glassgrad::learn
