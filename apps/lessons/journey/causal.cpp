// Sections 3.5.1 and 3.5.2: hiding the future, and dropout, step by step.
#include <cmath>

#include "apps/lesson/phrases.h"
#include "apps/lessons/journey/journey.h"
#include "engine/ops.h"

namespace glassgrad::learn::journey_parts {
namespace {

constexpr const char* kMasks = "3.5.1";
constexpr const char* kDropout = "3.5.2";

double root_of_width(const nn::journey::SelfAttention_v2& sa_v2) {
  return std::pow(double(sa_v2.W_key.weight.size(0)), 0.5);
}

// Multiply the weights by a mask, then divide by what is left of each row.
Tensor mask_after_softmax(Narrator& l, const Settings& s, const Tensor& attn_weights) {
  const int64_t tokens = attn_weights.size(0);
  l.step("mask-simple", kMasks, "A mask of ones and zeros");
  l.code(
      "context_length = attn_scores.shape[0]\nmask_simple = torch.tril(torch.ones(context_length, "
      "context_length))");
  const Tensor mask_simple = l.print("mask_simple", tril(ones({tokens, tokens})));
  l.say("Row i has ones up to column i: a token may look at itself and at what came before it.");

  l.step("masked-weights", kMasks, "Weights times mask");
  l.code("masked_simple = attn_weights*mask_simple");
  const Tensor masked_simple = l.print("masked_simple", attn_weights * mask_simple);
  l.say(
      "What stood above the diagonal is multiplied by 0. The source says that this zeroes attention scores; "
      "what it zeroes are the weights, after softmax.");
  l.say("Rows that lose something no longer add to 1: what is left to {} adds to {}.", in_quotes(s.tokens[0]),
        digits(sum(masked_simple[0])));

  l.step("renormalised", kMasks, "Divide each row by what is left of it");
  l.code("row_sums = masked_simple.sum(dim=-1, keepdim=True)\nmasked_simple_norm = masked_simple / row_sums");
  const Tensor row_sums = l.show("row_sums", sum(masked_simple, {-1}, true));
  const Tensor masked_simple_norm = l.print("masked_simple_norm", masked_simple / row_sums);
  l.say("keepdim=True keeps row_sums a column, {}, so that every row is divided by its own sum.",
        to_string(row_sums.shape()));
  if (all_finite(masked_simple_norm))
    l.say("{} sees only itself: its weight is {}.", in_quotes(s.tokens[0]), digits(masked_simple_norm[0][0]));
  else
    l.say("Where the mask has left nothing of a row, that divides 0 by 0, which is nan.");
  return masked_simple_norm;
}

// Put -inf where the future is, before the softmax.
Tensor mask_before_softmax(Narrator& l, const Settings& s, const Tensor& attn_scores,
                           const Tensor& masked_simple_norm, const nn::journey::SelfAttention_v2& sa_v2) {
  const int64_t tokens = attn_scores.size(0);
  l.step("masked-scores", kMasks, "Scores of the future become -inf");
  l.formula("M_ij = S_ij where j <= i,  -inf where j > i",
            R"(M_{ij} = \begin{cases} S_{ij} & j \le i \\ -\infty & j > i \end{cases})");
  l.code(
      "mask = torch.triu(torch.ones(context_length, context_length), diagonal=1)\n"
      "masked = attn_scores.masked_fill(mask.bool(), -torch.inf)");
  const Tensor mask = l.show("mask", nn::causal_mask(tokens));
  const Tensor mask_bool = l.show("mask_bool", to(mask, boolean));
  const Tensor masked = l.print("masked", masked_fill(attn_scores, mask_bool, nn::kMinusInfinity));
  l.say(
      "This mask is true above the diagonal (diagonal=1 leaves the diagonal itself out), and there the "
      "scores, not the weights, are replaced.");
  l.say(
      "exp(-inf) is exactly 0, so softmax will give these places no weight and share it all among the "
      "others.");

  l.step("masked-softmax", kMasks, "Softmax of the masked scores");
  l.formula("A = softmax(M / sqrt(d_k))", R"(A = \mathrm{softmax}\left(\frac{M}{\sqrt{d_k}}\right))");
  l.code(
      "attn_weights = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)\n"
      "context_vecs = attn_weights @ sa_v2.W_value(inputs)");
  const Tensor scaled = l.show("scaled_scores", masked / root_of_width(sa_v2));
  const Tensor exps = l.show("exps", exp(scaled));
  const Tensor row_sums = l.show("row_sums", sum(exps, {-1}, true));
  const Tensor attn_weights = l.print("attn_weights", softmax(scaled, -1));
  l.say("Each weight is its exp over the sum of its row; -inf divided by the root of d_k is still -inf.");
  if (!all_finite(row_sums))
    l.say("Some exps are too large for float32 here; softmax subtracts the row's largest score first.");
  if (all_finite(masked_simple_norm))
    l.say("The result is that of masking and dividing afterwards, in one step; the largest difference is {}.",
          largest_difference(attn_weights, masked_simple_norm));
  else if (all_finite(attn_weights))
    l.say("Masking and dividing afterwards has led to nan; this way each row adds to 1.");
  const Tensor values = sa_v2.W_value(s.inputs);
  const Tensor context_vecs = l.show("context_vecs", matmul(attn_weights, values));
  l.loss("context_vecs", context_vecs);
  if (equal(context_vecs[0], values[0]))
    l.say("What they gather holds nothing of later tokens: the context vector of {} is its own value, {}.",
          in_quotes(s.tokens[0]), joined_digits(context_vecs[0], ", "));
  return attn_weights;
}

}  // namespace

Tensor causal_masks(Narrator& l, const Settings& s, const nn::journey::SelfAttention_v2& sa_v2) {
  l.step("unmasked-weights", kMasks, "Weights that look ahead");
  l.code(
      "queries = sa_v2.W_query(inputs)\nkeys = sa_v2.W_key(inputs)\nattn_scores = queries @ keys.T\n"
      "attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)");
  const Tensor queries = l.show("queries", sa_v2.W_query(s.inputs));
  const Tensor keys = l.show("keys", sa_v2.W_key(s.inputs));
  const Tensor attn_scores = l.show("attn_scores", matmul(queries, keys.T()));
  const Tensor scaled = l.show("scaled_scores", attn_scores / root_of_width(sa_v2));
  const Tensor attn_weights = l.print("attn_weights", softmax(scaled, -1));
  l.say(
      "{} gives {} of its attention to the tokens after it. A model that has to guess the next word must not "
      "see it.",
      in_quotes(s.tokens[0]), digits(sum(attn_weights[0].slice(0, 1, {}))));
  const Tensor masked_simple_norm = mask_after_softmax(l, s, attn_weights);
  return mask_before_softmax(l, s, attn_scores, masked_simple_norm, sa_v2);
}

void dropout(Narrator& l, const Settings& s, const Tensor& attn_weights) {
  const double p = s.fraction("--dropout");
  const nn::Dropout dropout(p);
  l.step("dropout-ones", kDropout, "Dropout on a matrix of ones");
  l.formula("y = x m / (1 - p),  m is 0 with probability p, else 1",
            R"(y = \frac{x\, m}{1 - p}, \qquad m \sim \mathrm{Bernoulli}(1 - p))");
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format("dropout = torch.nn.Dropout({})\nexample = torch.ones(6, 6)\nprint(dropout(example))",
                     s.text("--dropout")));
  manual_seed(s.seed("--seed"));
  const Tensor example = l.show("example", ones({6, 6}));
  const Tensor dropped_example = l.print("dropped_example", dropout(example));
  const int64_t zeros = sum(dropped_example == 0).item<int64_t>();
  l.say("Each number is dropped with probability {}: {} of the {} are, this time.", s.text("--dropout"),
        zeros, example.numel());
  if (p < 1)
    l.say("The others are multiplied by 1 / (1 - {}) = {}, so that a sum stays what it was on average.",
          s.text("--dropout"), digits(1 / (1 - p)));

  l.step("dropout-weights", kDropout, "Dropout on the causal weights");
  l.code(set_seed(s, "--seed"));
  l.code("print(dropout(attn_weights))");
  manual_seed(s.seed("--seed"));
  const Tensor dropped = dropout(attn_weights);
  l.show("row_sums", sum(dropped, {-1}));
  l.print("dropped_weights", dropped);
  const std::string row_sums = joined_digits(sum(dropped, {-1}), ", ");
  if (p == 0) {
    l.say("Nothing is dropped at rate 0: the rows add to {} as before.", row_sums);
  } else {
    l.say("The rows now add to {}: dropout does not make each of them add to 1 again.", row_sums);
    const std::vector<std::string> empty = empty_rows(s, dropped);
    if (!empty.empty())
      l.say("No weight is left for {}: a context vector made from such a row is all zeros.",
            joined(empty, ", "));
  }
  if (p > 0 && p < 1)
    l.say(
        "Places above the diagonal, 0 already, have drawn random numbers as well. Other builds of PyTorch "
        "may drop other places for the same seed.");

  l.step("dropout-eval", kDropout, "Dropout is for training only");
  l.code("dropout.eval()\ndropout(attn_weights)");
  nn::Dropout in_use(p);
  in_use.eval();
  const Tensor kept = l.show("attn_weights", in_use(attn_weights));
  l.say(
      "After eval() the module gives back what it gets; the largest difference is {}. The source says so "
      "without showing it.",
      largest_difference(kept, attn_weights));
}

}  // namespace glassgrad::learn::journey_parts
