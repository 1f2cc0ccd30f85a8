// Section 2: the class SingleHeadAttention.
#include <algorithm>
#include <cmath>

#include "apps/lesson/costs.h"
#include "apps/lesson/lesson.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/single_and_multi/single_and_multi.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn::single_and_multi_parts {
namespace {

constexpr const char* kSingleClass = "2.1";
constexpr const char* kSingleForward = "2.2";
using nn::kMinusInfinity;

// What the run hands to the steps that look at it once more.
struct Scores {
  Tensor product, mask, weights;
  double scale = 1;
};

void module(Narrator& l, const SingleHeadAttention& single, int64_t d_model) {
  l.step("single-module", kSingleClass, "SingleHeadAttention: what it is made of");
  l.code(
      "self.query = nn.Linear(d_model, d_model)\nself.key = nn.Linear(d_model, d_model)\n"
      "self.value = nn.Linear(d_model, d_model)\nself.scale = 1.0 / math.sqrt(d_model)");
  l.code(fmt::format("single = SingleHeadAttention({})\nprint(single)", d_model));
  l.print_line(single.repr());
  l.say(
      "Three Linear layers, {0} numbers in and {0} out, each with a bias: 3 * ({0} * {0} + {0}) = {1} numbers "
      "to learn. Linear draws them between -{2} and {2}, which is 1 / sqrt({0}).",
      d_model, numbers_in(single.named_parameters()), digits(1 / std::sqrt(double(d_model))));
  l.say("scale, 1 / sqrt({}) = {}, is an ordinary number: nobody trains it and print does not show it.",
        d_model, digits(1 / std::sqrt(double(d_model))));
}

Tensor projections(Narrator& l) {
  l.step("single-projections", kSingleForward, "SingleHeadAttention: queries, keys and values");
  l.code("seq_length = x.size(1)\nQ = self.query(x)\nK = self.key(x)\nV = self.value(x)");
  l.formula("Q = x W_Q^T + b_Q,  K = x W_K^T + b_K,  V = x W_V^T + b_V",
            R"(Q = x W_Q^\top + b_Q,\quad K = x W_K^\top + b_K,\quad V = x W_V^\top + b_V)");
  show_parts(l, {"query.", "key.", "value."}, {"weight", "bias"});
  const Tensor Q = l.show_next("queries", "Q");
  l.show_next("keys", "K");
  const Tensor V = l.show_next("values", "V");
  l.say("Q, K and V are {}, as x is: every token has a row in each of them.", to_string(Q.shape()));
  l.say("A token's row of Q is what it asks, its row of K what it answers to, its row of V what it gives.");
  return V;
}

Tensor scores(Narrator& l, const Settings& s, double scale) {
  l.step("single-scores", kSingleForward, "SingleHeadAttention: scores, scaled at once");
  l.code("attention_scores = torch.matmul(Q, K.transpose(-2, -1)) * self.scale");
  l.formula("S = Q K^T / sqrt(d_model)", R"(S = \frac{Q K^\top}{\sqrt{d_\mathrm{model}}})");
  const Tensor product = l.show_next("attn_scores", "product");
  const Tensor scaled = l.show_next("scaled_scores", "attention_scores");
  l.say("transpose(-2, -1) turns each sentence's K by itself, so that the product is {}: (B, T, T).",
        to_string(product.shape()));
  l.say("Row {0}, column {1}: the query of {0} times the key of {1} is {2}, and times {3} it is {4}.",
        in_quotes(s.tokens[1]), in_quotes(s.tokens[0]), digits(product[0][1][0]), digits(scale),
        digits(scaled[0][1][0]));
  return product;
}

Tensor masked(Narrator& l) {
  l.step("single-mask", kSingleForward, "SingleHeadAttention: hide what comes later");
  l.code(
      "mask = torch.triu(torch.ones(seq_length, seq_length), diagonal=1).bool().to(x.device)\n"
      "attention_scores = attention_scores.masked_fill(mask, float('-inf'))");
  const Tensor mask = l.show_next("mask");
  const Tensor hidden = l.show_next("scaled_scores", "attention_scores");
  l.say(
      "True means hidden: the key's token comes after the query's. diagonal=1 starts right of the diagonal,"
      " so each token still sees itself.");
  l.say("One {} mask serves all sentences: {} of {} scores are -inf now.", to_string(mask.shape()),
        sum(mask).item<int64_t>() * hidden.size(0), hidden.numel());
  l.say(
      "masked_fill has no underscore at its end: it makes a new tensor. The scores of the step before are "
      "unchanged; the name attention_scores has moved on. to(x.device) takes the mask to where x is.");
  return mask;
}

Tensor weights(Narrator& l, const Settings& s) {
  l.step("single-weights", kSingleForward, "SingleHeadAttention: from scores to weights");
  l.code("attention_weights = torch.softmax(attention_scores, dim=-1)");
  l.formula("W_ij = exp(S_ij) / sum_k exp(S_ik)", R"(W_{ij} = \frac{e^{S_{ij}}}{\sum_k e^{S_{ik}}})");
  const Tensor weights = l.show_next("attn_weights", "attention_weights");
  if (all_finite(weights))
    l.say("exp(-inf) is 0: what was hidden gets weight 0, and what is left of each row still adds to 1.");
  l.say("dim=-1 is the key's dimension. {} has only itself to look at, with weight {}; {} shares out {}.",
        in_quotes(s.tokens[0]), digits(weights[0][0][0]), in_quotes(s.tokens[1]),
        joined_digits(weights[0][1].slice(0, 0, 2), " and "));
  return weights;
}

// Elements that differ; nan differs from nothing.
int64_t different(const Tensor& a, const Tensor& b) {
  return sum((a != b) & (a == a) & (b == b)).item<int64_t>();
}

void other_order(Narrator& l, const Scores& scores) {
  const double root = 1 / scores.scale;
  const double d_model = std::round(root * root);
  l.step("scale-before-mask", kSingleForward, "Scale and mask in the other order");
  l.code(
      "divided_scores = product.masked_fill(mask, float('-inf')) / math.sqrt(d_model)\n"
      "divided_weights = torch.softmax(divided_scores, dim=-1)");
  const Tensor divided_scores =
      l.show("divided_scores", masked_fill(scores.product, scores.mask, kMinusInfinity) / std::sqrt(d_model));
  const Tensor divided_weights = l.show("divided_weights", softmax(divided_scores, -1));
  l.say(
      "Here the scale comes before the mask, as a multiplication by a reciprocal. Others mask first and divide "
      "afterwards: -inf divided by {} is still -inf.",
      digits(std::sqrt(d_model)));
  l.say("The weights differ by {} at most.", largest_difference(divided_weights, scores.weights));
  const auto rounded_otherwise = [&](double width) {
    const double r = std::sqrt(width);
    return different(scores.product * (1.0 / r), scores.product / r);
  };
  l.say(
      "A reciprocal is rounded once more, so a last digit may change: multiplied and divided, {} of {} scores "
      "differ with the root of {:.0f}, and {} would with the root of 10.",
      rounded_otherwise(d_model), scores.product.numel(), d_model, rounded_otherwise(10));
}

void output(Narrator& l, const Settings& s, const Tensor& V, const Tensor& attention_output) {
  l.step("single-output", kSingleForward, "SingleHeadAttention: what comes out");
  l.code("attention_output = torch.matmul(attention_weights, V)\nprint(single(x))");
  l.formula("attention(x) = softmax(mask(Q K^T / sqrt(d_model))) V",
            R"(\mathrm{attention}(x) = \mathrm{softmax}\!\left(\mathrm{mask}\!\left()"
            R"(\frac{Q K^\top}{\sqrt{d_\mathrm{model}}}\right)\right) V)");
  l.skip_next("attention_output");
  l.loss("attention_output", l.print("attention_output", attention_output));
  l.say("Each row is a sum of rows of V, weighted. It is {} again, so that layers can follow each other.",
        to_string(attention_output.shape()));
  l.say("{} saw only itself: its output is its own row of V, with a largest difference of {}.",
        in_quotes(s.tokens[0]), largest_difference(attention_output.slice(1, 0, 1), V.slice(1, 0, 1)));
}

void any_length(Narrator& l, const SingleHeadAttention& single, const Tensor& x, const Tensor& output) {
  const int64_t tokens = x.size(1);
  l.step("any-length", kSingleForward, "A new mask for every length");
  l.code(
      "x_7 = x[:, torch.arange(7) % x.size(1)]\nx_3 = x_7[:, :3]\n"
      "output_3, output_7 = single(x_3), single(x_7)");
  const Tensor x_7 = index_select(x, 1, arange(7) % Tensor(tokens));
  const Tensor x_3 = x_7.slice(1, 0, 3);
  l.show("mask_3", to(nn::causal_mask(3), boolean));
  const Tensor output_3 = l.show("output_3", single(x_3));
  l.show("mask_7", to(nn::causal_mask(7), boolean));
  const Tensor output_7 = l.show("output_7", single(x_7));
  l.say(
      "The class knows no context_length: each call reads T from x and makes its mask, {} numbers for T = 7. A "
      "class that keeps one mask of a fixed size stops at that size.",
      7 * 7);
  l.say("The tokens of x, taken in turn, give {} and {}.", to_string(output_3.shape()),
        to_string(output_7.shape()));
  const int64_t in_3 = std::min<int64_t>(3, tokens), in_7 = std::min<int64_t>(7, tokens);
  l.say(
      "No row looks ahead, so the rows that they share with the output for T = {} are the same, but for rounding: the "
      "largest differences are {} and {}.",
      tokens, largest_difference(output_3.slice(1, 0, in_3), output.slice(1, 0, in_3)),
      largest_difference(output_7.slice(1, 0, in_7), output.slice(1, 0, in_7)));
}

}  // namespace

void single_head(Narrator& l, const Settings& s, const SingleHeadAttention& single, const Tensor& x) {
  const Tensor attention_output = l.call([&] { return single(x); });
  Scores found;
  found.scale = 1.0 / std::sqrt(double(x.size(-1)));
  module(l, single, x.size(-1));
  const Tensor V = projections(l);
  found.product = scores(l, s, found.scale);
  found.mask = masked(l);
  found.weights = weights(l, s);
  other_order(l, found);
  output(l, s, V, attention_output);
  any_length(l, single, x, attention_output);
}

}  // namespace glassgrad::learn::single_and_multi_parts
