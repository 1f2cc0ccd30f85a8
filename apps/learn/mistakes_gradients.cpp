#include <fmt/format.h>

#include <array>

#include "apps/learn/mistakes.h"
#include "apps/learn/phrases.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

// ---- a graph in which one way to a is not all ways
struct Vertex {
  const char* name;
  char op;  // of two vertices before it; 0: a number of its own
  size_t left, right;
};
constexpr Vertex kGraph[] = {{"a", 0, 0, 0},   {"b", 0, 0, 0},   {"c", '+', 0, 1}, {"d", '*', 0, 1},
                             {"e", '+', 2, 3}, {"f", '*', 2, 3}, {"y", '+', 4, 5}};
constexpr size_t kSize = std::size(kGraph), kLast = kSize - 1;
using Values = std::array<Tensor, kSize>;

Values forward(const Tensor& a, const Tensor& b) {
  Values v{a, b};
  for (size_t i = 2; i < kSize; ++i)
    v[i] =
        kGraph[i].op == '+' ? v[kGraph[i].left] + v[kGraph[i].right] : v[kGraph[i].left] * v[kGraph[i].right];
  return v;
}
Tensor constant(double x) { return full({}, x); }

// A backward without an order: each vertex adds to the gradients of its two and goes on to them at once.
class Recursion {
 public:
  // once: to each only the first time.
  Recursion(const Values& values, bool once) : values_(values), once_(once) {
    grads.fill(constant(0));
    grads[kLast] = constant(1);
    visit(kLast);
  }

  Values grads;

 private:
  void visit(size_t i) {
    const Vertex& v = kGraph[i];
    if (v.op == 0 || (once_ && seen_[i])) return;
    seen_[i] = true;
    const bool product = v.op == '*';
    grads[v.left] = grads[v.left] + (product ? grads[i] * values_[v.right] : grads[i]);
    grads[v.right] = grads[v.right] + (product ? grads[i] * values_[v.left] : grads[i]);
    visit(once_ ? v.left : v.right);
    visit(once_ ? v.right : v.left);
  }

  const Values& values_;
  bool once_;
  std::array<bool, kSize> seen_{};
};

constexpr double kA = 2, kB = 3;

void no_topo(Teller& l, const Lab&, bool wrong) {
  l.step("forward", "", "A graph whose c and d are used twice");
  l.code("a, b = torch.tensor(2., requires_grad=True), torch.tensor(3., requires_grad=True)");
  l.code("c = a + b\nd = a * b\ne = c + d\nf = c * d\ny = e + f");
  const Tensor a = constant(kA), b = constant(kB);
  a.requires_grad_(), b.requires_grad_();
  const Values v = forward(a, b);
  for (size_t i = 0; i < kSize; ++i) l.show(kGraph[i].name, v[i]);

  l.step("backward", "", "Gradients, from y back to a");
  l.code(wrong ? "def backward(v):  # y.grad = 1, then backward(y)\n"
                 "    v.add_to_the_gradients_of_its_inputs()\n"
                 "    for input in reversed(v.inputs): backward(input)"
               : "y.backward()  # each node once, when all that use it are done");
  if (!wrong) {
    for (size_t i = 2; i < kSize; ++i) v[i].retain_grad();
    v[kLast].backward();
  }
  const NoGrad off;
  const Values unordered = wrong ? Recursion(v, false).grads : Values{};
  for (const size_t i : {6, 5, 4, 3, 2, 0, 1})
    l.show(fmt::format("{}.grad", kGraph[i].name), wrong ? unordered[i] : v[i].grad());
}

Explanation about_no_topo(const Lab&, const Recording& right, const Recording& wrong) {
  const Values v = forward(constant(kA), constant(kB));
  const double h = 0.001;
  const auto y = [](double a) { return forward(full({}, a, float64), full({}, kB, float64))[kLast].item(); };
  const auto grad = [](const Recording& r, const char* of) { return digits(tensor_of(r, of)); };
  return {
      fmt::format(
          "c and d are reached from e and from f. The recursion passes on what they have when it first "
          "comes by, and when it comes again it passes on the whole sum, the first part a second time: "
          "a.grad is {} instead of {}. Going to each node only once is no help: it gives {}, for c and d "
          "pass on their gradients before all of them have come.",
          grad(wrong, "a.grad"), grad(right, "a.grad"), digits(Recursion(v, true).grads[0])),
      fmt::format(
          "A central difference, (y(a + h) - y(a - h)) / 2h with h = {}: {}. A graph in which every value "
          "is used once cannot show it.",
          h, digits((y(kA + h) - y(kA - h)) / (2 * h)))};
}

// ---- a few steps of training
constexpr double kLearningRate = 0.1;
constexpr int kSteps = 3;

void no_zero_grad(Teller& l, const Lab& lab, bool wrong) {
  const Tensor target = mean(lab.x, {-1});
  const Tensor w = zeros({lab.x.size(1)});
  w.requires_grad_();
  for (int step = 1; step <= kSteps; ++step) {
    const std::string id = fmt::format("step-{}", step);
    l.step(id.c_str(), "", fmt::format("Training step {}", step));
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

constexpr Mistake kRows[] = {
    {"no-topo", "goes back through the graph by recursion, without a topological order", false, no_topo,
     about_no_topo},
    {"no-zero-grad", "never clears the gradients, so that they pile up", true, no_zero_grad,
     about_no_zero_grad},
};

}  // namespace

constinit const std::span<const Mistake> kMistakesOfGradients = kRows;

}  // namespace glassgrad::learn
