// What softmax does to a gradient.
#include "apps/lesson/phrases.h"
#include "apps/lessons/questions/questions.h"
#include "engine/ops.h"
#include "engine/print.h"
#include "nn/attention.h"
#include "nn/functional.h"

namespace glassgrad::learn {
namespace {

using Kind = Parameter::Kind;
constexpr Parameter kParameters[] = {
    {"--seed", Kind::Seed, "123", "Seed of all random numbers"},
    {"--size", Kind::Count, "4", "Scores in the row", 16},
};
constexpr Axes kAxes[] = {
    {"scores x.grad g by_jacobian by_rule column_sums row_sums", "score"},
    {"weights raised_weights shifted_weights masked_weights", "score", kRowSums},
    {"jacobian masked_jacobian", "weight score"},
    {"sharpness", "factor number"},
    {"logits logits.grad", "score"},
    {"one_hot probabilities", "score"},
};
using nn::kMinusInfinity;

Tensor diag_minus_outer(const Tensor& w) { return eye(w.size(0)) * w - outer(w, w); }

Tensor question(Narrator& l, const Settings& s) {
  const int64_t n = s.count("--size");
  manual_seed(s.seed("--seed"));
  const Tensor scores = randn({n});
  l.step("question", "A score goes up. What happens to the other weights?");
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format("scores = torch.randn({})\nweights = torch.softmax(scores, dim=-1)\nprint(weights)", n));
  l.code("raised = scores.clone()\nraised[0] += 1\nraised_weights = torch.softmax(raised, dim=-1)");
  l.show("scores", scores);
  const Tensor weights = l.print("weights", softmax(scores, -1));
  const Tensor raised = clone(scores);
  const Tensor first = raised[0];
  add_(first, 1);
  const Tensor raised_weights = l.show("raised_weights", softmax(raised, -1));
  l.say("Only score 0 was raised, by 1. Its weight goes from {} to {}{}.", digits(weights[0]),
        digits(raised_weights[0]),
        n > 1 ? ", and every other weight falls" : ": alone in its row it always has all");
  l.say(
      "The weights of a row share one whole: what one gets the others lose. So a gradient for one score "
      "depends on the whole row.");
  return scores;
}

void jacobian(Narrator& l, const Tensor& scores) {
  const Tensor w = softmax(scores, -1);
  l.step("jacobian", "How each weight moves with each score");
  l.formula(
      "J_ij = dw_i/dx_j = w_i (1 - w_i) where i = j, -w_i w_j elsewhere",
      R"(J_{ij} = \frac{\partial w_i}{\partial x_j} = \begin{cases} w_i (1 - w_i) & i = j \\ -w_i w_j & i \ne j \end{cases})");
  l.code("jacobian = torch.diag(weights) - torch.outer(weights, weights)\nprint(jacobian)");
  l.show("weights", w);
  const Tensor J = l.print("jacobian", diag_minus_outer(w));
  l.say(
      "Row i belongs to weight i, column j to score j. On the diagonal stands a weight's own way up: {} = "
      "{} * (1 - {}).",
      digits(J[0][0]), digits(w[0]), digits(w[0]));
  if (scores.size(0) > 1)
    l.say("Beside it stands what it loses when another score rises: {} = -{} * {}.", digits(J[0][1]),
          digits(w[0]), digits(w[1]));
}

void sums(Narrator& l, const Tensor& scores) {
  const Tensor J = diag_minus_outer(softmax(scores, -1));
  l.step("rows-sum-to-zero", "Its rows and columns sum to 0");
  l.code("row_sums, column_sums = jacobian.sum(dim=1), jacobian.sum(dim=0)");
  const Tensor rows = l.show("row_sums", sum(J, {1})), columns = l.show("column_sums", sum(J, {0}));
  l.say(
      "A column: raise score j. What weight j gains the others lose, for they add to 1 before and after. "
      "The largest sum is {}.",
      digits(max(abs(columns))));
  l.say("A row: raise all scores alike. No weight moves. The largest sum is {}; what is not 0 is rounding.",
        digits(max(abs(rows))));
}

void shifted(Narrator& l, const Tensor& scores) {
  l.step("shifted", "Why it cannot push everything up");
  l.code("shifted_weights = torch.softmax(scores + 10, dim=-1)");
  const Tensor weights = l.show("weights", softmax(scores, -1));
  const Tensor moved = l.show("shifted_weights", softmax(scores + 10, -1));
  l.say("10 is added to every score; the weights differ by {} at most.", largest_difference(weights, moved));
  l.say(
      "Softmax sees only the differences of scores. There is no way to give all tokens more weight, and "
      "none to look nowhere: the row adds to 1.");
}

void backward_rule(Narrator& l, const Tensor& scores) {
  const Tensor x = clone(scores).requires_grad_();
  const Tensor g = randn({scores.size(0)});
  const Tensor weights = softmax(x, -1);
  weights.backward(g);
  const Tensor w = weights.detach(), mean_g = dot(g, w);
  l.step("backward-rule", "Backward without the matrix");
  l.formula("dL/dx = J^T g = w * (g - sum(w * g))",
            R"(\frac{\partial L}{\partial x} = J^\top g = w \odot \left(g - \sum_j w_j g_j\right))");
  l.code(fmt::format(
      "x = scores.requires_grad_()\ng = torch.randn({})\ntorch.softmax(x, dim=-1).backward(g)\nprint(x.grad)",
      scores.size(0)));
  l.code("by_jacobian = jacobian.T @ g\nby_rule = weights * (g - (weights * g).sum())");
  l.show("g", g);
  const Tensor grad = l.print("x.grad", x.grad());
  const Tensor by_jacobian = l.show("by_jacobian", matmul(diag_minus_outer(w).T(), g));
  const Tensor by_rule = l.show("by_rule", w * (g - mean_g));
  l.say(
      "The matrix is never built: sum(w * g) = {} is the row's mean gradient, weighted by w. A score gets "
      "its weight times how far its g lies above that mean.",
      digits(mean_g));
  l.say("Both ways agree with the engine up to {} and {}.", largest_difference(grad, by_jacobian),
        largest_difference(grad, by_rule));
  l.say("The gradients of a row's scores add to {}: {}.", digits(sum(grad)),
        scores.size(0) > 1 ? "some are pushed up, others down" : "there is one, and nothing pushes it");
}

void masked(Narrator& l, const Tensor& scores) {
  const int64_t n = scores.size(0);
  if (n < 2) return;
  const Tensor x = clone(scores);
  const Tensor last = x[n - 1];
  fill_(last, kMinusInfinity);
  x.requires_grad_();
  const Tensor g = randn({n});
  const Tensor weights = softmax(x, -1);
  weights.backward(g);
  l.step("masked", "A masked score");
  l.code(
      fmt::format("masked = scores.detach().clone()\nmasked[-1] = -torch.inf\nmasked.requires_grad_()\n"
                  "g = torch.randn({})\ntorch.softmax(masked, dim=-1).backward(g)\nprint(masked.grad)",
                  n));
  l.show("masked_weights", weights.detach());
  l.show("masked_jacobian", diag_minus_outer(weights.detach()));
  l.print("x.grad", x.grad());
  l.say(
      "The last score is -inf, its weight {}. Every entry of J in its row and column has that weight as a "
      "factor: it moves nothing, and its gradient is {}.",
      digits(weights.detach()[n - 1]), digits(x.grad()[n - 1] + 0.0));
  l.say("That is why a causal mask is enough for training too: from the future no gradient comes back.");
}

void sharp(Narrator& l, const Tensor& scores) {
  constexpr int kFactors[] = {1, 2, 5, 10, 50};
  std::vector<Tensor> rows;
  for (const int factor : kFactors) {
    const Tensor w = softmax(scores * factor, -1);
    rows.push_back(stack({max(w), max(abs(diag_minus_outer(w)))}, 0));
  }
  l.step("sharp", "A sharp row has next to no gradient");
  l.code(
      "w = torch.softmax(factor * scores, dim=-1)  # factor 1, 2, 5, 10, 50\n"
      "sharpness = w.max(), (torch.diag(w) - torch.outer(w, w)).abs().max()");
  const Tensor sharpness = l.show("sharpness", stack(rows, 0));
  l.say("A row for each factor: the largest weight, and the largest number in J.");
  l.say("Times 1 they are {} and {}; times 50, {} and {}.", digits(sharpness[0][0]), digits(sharpness[0][1]),
        digits(sharpness[4][0]), digits(sharpness[4][1]));
  l.say(
      "With one weight near 1 and the others near 0 every product w_i (1 - w_i) and w_i w_j is near 0: the "
      "scores get no gradient, whatever comes from above. The lesson scale.why goes on from here.");
}

void with_loss(Narrator& l, const Tensor& scores) {
  const Tensor logits = clone(scores).requires_grad_();
  const int64_t n = scores.size(0);
  const Tensor target = from_values(std::vector<int64_t>{n - 1}, {1});
  const Tensor one_hot = eye(n)[n - 1], p = softmax(scores, -1);
  l.step("with-loss", "Together with the loss it becomes simple");
  const Tensor loss = nn::functional::cross_entropy(logits.unsqueeze(0), target);
  l.given("logits", l.show("logits", logits));
  l.loss("loss", l.show("loss", loss));
  loss.backward();
  l.formula("dL/dx = p - one_hot(target)", R"(\frac{\partial L}{\partial x} = p - \mathrm{onehot}(t))");
  l.code(
      "logits = scores.detach().clone().requires_grad_()\n"
      "loss = F.cross_entropy(logits[None], torch.tensor([len(scores) - 1]))\nloss.backward()\n"
      "print(logits.grad)");
  l.show("probabilities", p);
  l.show("one_hot", one_hot);
  const Tensor grad = l.print("logits.grad", logits.grad());
  l.say(
      "Cross-entropy divides by the weight that softmax multiplies with, and both go: what is left is the "
      "probability, minus 1 for the right token. The difference from p - one_hot is {}.",
      largest_difference(grad, p - one_hot));
  l.say(
      "A wrong and certain answer keeps its full gradient here. Inside attention, where no such loss stands "
      "behind softmax, it does not.");
}

void remember(Narrator& l) {
  l.step("remember", "To remember");
  l.say(
      "J = diag(w) - w w^T: rows and columns sum to 0, for weights share one whole and only differences of "
      "scores count.");
  l.say(
      "Backward is w * (g - sum(w * g)): a score is pushed up only if its g is above the row's weighted "
      "mean.");
  l.say("Weight 0 gets no gradient; a row with one weight near 1 passes next to none.");
}

void tell(Narrator& l, const Settings& s) {
  const Tensor scores = question(l, s);
  jacobian(l, scores);
  sums(l, scores);
  shifted(l, scores);
  backward_rule(l, scores);
  masked(l, scores);
  sharp(l, scores);
  with_loss(l, scores);
  remember(l);
}

}  // namespace

const Lesson autograd_softmax = {
    .id = "autograd.softmax",
    .group = Group::Autograd,
    .source = "What does softmax do to a gradient?",
    .understand = "how scores compete for one whole, and why softmax cannot push everything up",
    .minutes = 8,
    .parameters = kParameters,
    .axes = kAxes,
    .tokens = {},
    .inputs = nullptr,
    .plan = nullptr,
    .tell = tell,
};

}  // namespace glassgrad::learn
