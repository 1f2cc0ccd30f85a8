// Sections 2.4 to 2.6: softmax, why scores are scaled before it, and the context vectors.
#include <cmath>

#include "apps/lesson/dot_products.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/cat/cat.h"
#include "engine/literal.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn::cat_parts {
namespace {

constexpr const char* kSoftmax = "2.4";
constexpr const char* kScaling = "2.5";
constexpr const char* kContext = "2.6";

void exponentials(Narrator& l) {
  l.step("exponentials", kSoftmax, "exp: positive, and larger gets much larger");
  l.code("torch.exp(torch.tensor([4., 1., -1.]))");
  const Tensor x = l.show("x", tensor({4.0, 1.0, -1.0}));
  const Tensor exps = l.show("exps", exp(x));
  l.say("exp(4) = {}, exp(1) = {}, exp(-1) = {}: a negative number becomes a small positive one.",
        digits(exps[0]), digits(exps[1]), digits(exps[2]));
  l.say(
      "4 is 3 more than 1, and exp(4) is exp(3) = {} times exp(1); 1 is 2 more than -1, and the factor is "
      "exp(2) = {}. Differences become factors.",
      digits(exps[0] / exps[1]), digits(exps[1] / exps[2]));
}

Tensor raw_softmax(Narrator& l, const Settings& s, const Tensor& attn_scores_2) {
  l.step("softmax-raw-2", kSoftmax, "Softmax of one row, in three moves");
  l.formula("a_j = exp(s_j) / (exp(s_1) + exp(s_2) + ...)",
            R"(a_j = \mathrm{softmax}(s)_j = \frac{e^{s_j}}{\sum_k e^{s_k}})");
  l.code("exps = torch.exp(attn_scores[1])\ntotal = exps.sum()\nraw_weights_2 = exps / total");
  l.show("attn_scores_2", attn_scores_2);
  const Tensor exps = l.show("exps", exp(attn_scores_2));
  const Tensor total = l.show("total", sum(exps));
  const Tensor raw_weights_2 = l.show("raw_weights_2", exps / total);
  l.say("Every score of {} goes through exp; the sum of all {} is {}; one division each.",
        in_quotes(s.tokens[1]), s.inputs.size(0), digits(total));
  const size_t best = position_of_largest(raw_weights_2);
  l.say("All lie between 0 and 1 and together make {}; {} gets {} of it.", digits(sum(raw_weights_2)),
        in_quotes(s.tokens[best]), digits(raw_weights_2[int64_t(best)]));
  return raw_weights_2;
}

void peaked_softmax(Narrator& l, const Settings& s, const Tensor& attn_scores_2) {
  constexpr int kFactors[] = {0, 1, 2, 4, 8};
  std::vector<Tensor> rows;
  for (const int factor : kFactors) rows.push_back(softmax(attn_scores_2 * factor, -1));
  l.step("peaked-softmax", kScaling, "Larger scores make softmax peaked");
  l.code("torch.stack([torch.softmax(attn_scores[1] * f, dim=-1) for f in (0, 1, 2, 4, 8)])");
  const Tensor peaked = l.show("peaked", stack(rows, 0));
  const Tensor slopes = l.show("slopes", sum(peaked * (1 - peaked), {-1}));
  l.say("The same scores of {}, multiplied by 0, 1, 2, 4 and 8, a row each. The largest weight goes {}.",
        in_quotes(s.tokens[1]), joined_digits(amax(peaked, {-1}), ", "));

  l.say(
      "That makes training hard: a weight w moves with its own score by w(1 - w), and the sum of these in a row "
      "goes from {} to {}.",
      digits(slopes[0]), digits(slopes[4]));
}

void dot_product_variance(Narrator& l) {
  constexpr int64_t kWidths[] = {1, 4, 16, 64, 256};
  const DotProductVariances variances = dot_product_variances(kWidths);
  l.step("dot-product-variance", kScaling, "Dot products grow with the width");
  l.formula("var(q . k) = d,  var(q . k / sqrt(d)) = 1",
            R"(\mathrm{Var}(q \cdot k) = d, \qquad \mathrm{Var}\left(\frac{q \cdot k}{\sqrt{d}}\right) = 1)");
  l.code("(torch.randn(2000, d) * torch.randn(2000, d)).sum(-1).var()");
  const Tensor variance = l.show("variance", variances.raw);
  const Tensor scaled_variance = l.show("scaled_variance", variances.scaled);
  l.say(
      "Random vectors of width 1, 4, 16, 64 and 256: the variance of their dot product is about the width, {}.",
      joined_digits(variance, ", "));
  l.say("Divided by the root of the width it stays near 1: {}.", joined_digits(scaled_variance, ", "));
}

void raw_against_scaled(Narrator& l, const Settings& s, const Tensor& attn_scores_2,
                        const Tensor& raw_weights_2, double root) {
  l.step("raw-against-scaled", kScaling, "One row, raw and scaled");
  l.code(
      "torch.stack([torch.softmax(attn_scores[1], dim=-1),\n             torch.softmax(attn_scores[1] / dim_k ** 0.5, dim=-1)])");
  const Tensor scaled_weights_2 = softmax(attn_scores_2 / root, -1);
  l.show("raw_against_scaled", stack({raw_weights_2, scaled_weights_2}, 0));
  l.say("Both rows are softmax of the scores of {}: above as they are, below divided by the root of d_k, {}.",
        in_quotes(s.tokens[1]), digits(root));
  if (root == 1)
    l.say("That root is 1 here, so nothing changes.");
  else
    l.say(
        "The largest weight goes from {} to {}, the smallest from {} to {}: the order stays, the row is flatter.",
        digits(max(raw_weights_2)), digits(max(scaled_weights_2)), digits(min(raw_weights_2)),
        digits(min(scaled_weights_2)));
}

Tensor all_weights(Narrator& l, const Tensor& attn_scores, int64_t dim_k, double root) {
  l.step("weights", kScaling, "All weights: scale, then softmax");
  l.formula("A = softmax(Q K^T / sqrt(d_k))",
            R"(A = \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right))");
  l.code(
      "dim_k = keys.shape[-1]\nattn_weights = torch.softmax(attn_scores / (dim_k ** 0.5), dim=-1)\n"
      "print(attn_weights)");
  const Tensor scaled_scores = l.show("scaled_scores", attn_scores / root);
  const Tensor attn_weights = l.print("attn_weights", softmax(scaled_scores, -1));
  const Tensor row_sums = l.show("row_sums", sum(attn_weights, {-1}));
  l.say(
      "dim_k, the width of a key, is {}; the scores are divided by its root and each row goes through softmax.",
      dim_k);
  l.say("The rows add to 1, but for rounding: the sum furthest from it is off by {:.1e}.",
        max(abs(row_sums - 1)).item());
  return attn_weights;
}

Tensor contexts(Narrator& l, const Settings& s, const Projected& p, const Tensor& attn_weights) {
  l.step("context-2", kContext, "One context vector: a weighted sum of values");
  l.code("weighted_values = attn_weights[1][:, None] * values\ncontext_2 = weighted_values.sum(dim=0)");
  const Tensor weighted_values = l.show("weighted_values", attn_weights[1].unsqueeze(1) * p.values);
  l.show("context_2", sum(weighted_values, {0}));
  const Tensor of_inputs = l.show("weighted_inputs", matmul(attn_weights[1], s.inputs));
  l.say("Row j is the value of token j times the weight that {} gives it; the rows are added.",
        in_quotes(s.tokens[1]));
  l.say(
      "Early on the text says that context vectors are weighted sums of the input embeddings. That would be "
      "{}: other numbers, and later it says values, as the code does.",
      joined_digits(of_inputs, ", "));

  l.step("context", kContext, "All context vectors");
  l.formula("Z = softmax(Q K^T / sqrt(d_k)) V",
            R"(Z = \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V)");
  l.code("context_vec = attn_weights @ values\nprint(context_vec)");
  const Tensor context_vec = l.print("context_vec", matmul(attn_weights, p.values));
  l.say("One row for each token, {} in all, each with something of every value.", s.inputs.size(0));
  l.say(
      "The page then asks for context_vec_2, a variable that its code has not made: NameError: name 'context_vec_2' is not defined. "
      "What it means is context_vec.");
  return context_vec;
}

}  // namespace

Attended weights(Narrator& l, const Settings& s, const Projected& p, const Tensor& attn_scores) {
  const int64_t dim_k = p.keys.size(-1);
  const double root = std::pow(double(dim_k), 0.5);
  exponentials(l);
  const Tensor raw_weights_2 = raw_softmax(l, s, attn_scores[1]);
  peaked_softmax(l, s, attn_scores[1]);
  dot_product_variance(l);
  raw_against_scaled(l, s, attn_scores[1], raw_weights_2, root);
  const Tensor attn_weights = all_weights(l, attn_scores, dim_k, root);
  return {attn_scores, attn_weights, contexts(l, s, p, attn_weights)};
}

}  // namespace glassgrad::learn::cat_parts
