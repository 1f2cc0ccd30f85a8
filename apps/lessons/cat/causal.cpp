// Section 3: no token looks ahead, and some weights are dropped.
#include <cmath>

#include "apps/lesson/phrases.h"
#include "apps/lessons/cat/cat.h"
#include "engine/ops.h"

namespace glassgrad::learn::cat_parts {
namespace {

constexpr const char* kCausal = "3.1";
constexpr const char* kDropout = "3.2";
using nn::kMinusInfinity;

Tensor masked_table(Narrator& l, const Settings& s, const Attended& a, double root) {
  const int64_t tokens = s.inputs.size(0);
  l.step("causal-table", kCausal, "Who sees whom");
  l.formula(
      "A = softmax(M / sqrt(d_k)),  M_ij = S_ij where j <= i, -inf where j > i",
      R"(A = \mathrm{softmax}\left(\frac{M}{\sqrt{d_k}}\right), \qquad M_{ij} = \begin{cases} S_{ij} & j \le i \\ -\infty & j > i \end{cases})");
  l.code(
      "mask = torch.triu(torch.ones(context_length, context_length), diagonal=1)\n"
      "masked_scores = attn_scores.masked_fill(mask.bool(), float('-inf'))\n"
      "causal_weights = torch.softmax(masked_scores / (dim_k ** 0.5), dim=-1)");
  l.show("mask", nn::causal_mask(tokens));
  const Tensor masked_scores =
      l.show("masked_scores", masked_fill(a.scores, nn::future_mask(tokens), kMinusInfinity));
  const Tensor causal_weights = l.show("causal_weights", softmax(masked_scores / root, -1));
  l.say("A score of -inf becomes a weight of exp(-inf) = 0: what comes later is not seen.");
  l.say("{} sees only itself, with weight {}; {} sees {} and itself, with {}.", in_quotes(s.tokens[0]),
        digits(causal_weights[0][0]), in_quotes(s.tokens[1]), in_quotes(s.tokens[0]),
        joined_digits(causal_weights[1].slice(0, 0, 2), " and "));
  l.say("Without the mask {} gave {} to itself; what the future had is shared out in the same proportions.",
        in_quotes(s.tokens[1]), digits(a.weights[1][1]));
  return causal_weights;
}

void zero_then_divide(Narrator& l, const Settings& s, const Attended& a, const Tensor& causal_weights) {
  const int64_t tokens = s.inputs.size(0);
  l.step("zero-then-renormalise", kCausal, "The text's way: zero the weights, then divide");
  l.code(
      "zeroed = attn_weights * torch.tril(torch.ones(context_length, context_length))\n"
      "renormalised = zeroed / zeroed.sum(dim=-1, keepdim=True)");
  const Tensor zeroed = l.show("zeroed", a.weights * tril(ones({tokens, tokens})));
  const Tensor row_sums = l.show("row_sums", sum(zeroed, {-1}, true));
  const Tensor renormalised = l.show("renormalised", zeroed / row_sums);
  l.say(
      "The text sets later weights to 0 and makes each row add to 1 again; its code puts -inf before the "
      "softmax.");
  l.say("Both lead to the same table; the largest difference is {}.",
        largest_difference(renormalised, causal_weights));
  const Tensor wrong = softmax(masked_fill(a.scores, nn::future_mask(tokens), 0.0), -1);
  l.say("A 0 among the scores would be no mask: exp(0) is 1, and {} would keep only {} for itself.",
        in_quotes(s.tokens[0]), digits(wrong[0][0]));
}

Tensor causal_context(Narrator& l, const Settings& s, const Projected& p, const Attended& a,
                      const Tensor& causal_weights) {
  l.step("causal-context", kCausal, "Context from the past alone");
  l.code("causal_context = causal_weights @ values");
  const Tensor causal_context = l.show("causal_context", matmul(causal_weights, p.values));
  const int64_t last = s.inputs.size(0) - 1;
  l.say(
      "The row of {} is its own value. The last token, {}, saw everything before as well: its row has changed "
      "by {}.",
      in_quotes(s.tokens[0]), in_quotes(s.tokens.back()),
      largest_difference(causal_context[last], a.context[last]));
  return causal_context;
}

void no_leak(Narrator& l, const Settings& s, const Projected& p, const Attended& a,
             const Tensor& causal_context, double root) {
  const int64_t tokens = s.inputs.size(0);
  l.step("no-leak", kCausal, "Proof: change the last word");
  l.code(
      "changed = inputs.clone()\nchanged[-1] += 1\nleak = (context(changed) - context(inputs)).abs().amax(dim=-1)");
  const Tensor changed = clone(s.inputs);
  copy_(changed[tokens - 1], changed[tokens - 1] + 1);
  const Tensor queries = matmul(changed, p.W_query), keys = matmul(changed, p.W_key);
  const Tensor attn_scores = matmul(queries, keys.T()), values = matmul(changed, p.W_value);
  const Tensor open = matmul(softmax(attn_scores / root, -1), values);
  const Tensor masked =
      matmul(softmax(masked_fill(attn_scores, nn::future_mask(tokens), kMinusInfinity) / root, -1), values);
  const Tensor leak = l.show("leak", amax(abs(open - a.context), {-1}));
  const Tensor causal_leak = l.show("causal_leak", amax(abs(masked - causal_context), {-1}));
  l.say("1 is added to all numbers of {}. Without the mask every context vector moves, that of {} by {}.",
        in_quotes(s.tokens.back()), in_quotes(s.tokens[0]), digits(leak[0]));
  l.say("With it the {} tokens before move by {} at most: a model that guesses the next word cannot peek.",
        tokens - 1,
        largest_difference(masked.slice(0, 0, tokens - 1), causal_context.slice(0, 0, tokens - 1)));
}

}  // namespace

Tensor causal_table(Narrator& l, const Settings& s, const Projected& p, const Attended& a) {
  const double root = std::pow(double(p.keys.size(-1)), 0.5);
  const Tensor causal_weights = masked_table(l, s, a, root);
  zero_then_divide(l, s, a, causal_weights);
  const Tensor context = causal_context(l, s, p, a, causal_weights);
  no_leak(l, s, p, a, context, root);
  return causal_weights;
}

void dropout_table(Narrator& l, const Settings& s, const Tensor& attn_weights) {
  constexpr int64_t kDraws = 1000;
  const double given = s.fraction("--dropout"), p = given > 0 ? given : 0.5;
  const std::string rate = given > 0 ? s.text("--dropout") : "0.5";
  l.step("dropout-table", kDropout, "Some weights are dropped");
  l.formula("y = a m / (1 - p),  m is 0 with probability p, else 1",
            R"(y = \frac{a\, m}{1 - p}, \qquad m \sim \mathrm{Bernoulli}(1 - p))");
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format("dropout = nn.Dropout({})\ndropped = dropout(causal_weights)", rate));
  manual_seed(s.seed("--seed"));
  nn::Dropout dropout(p);
  l.show("causal_weights", attn_weights);
  const Tensor dropped = l.show("dropped", dropout(attn_weights));
  const Tensor row_sums = l.show("row_sums", sum(dropped, {-1}));
  l.say("Each weight becomes 0 with probability {}{}.", rate,
        given > 0 ? "" : "; the classes of this lesson drop nothing by default, so the table takes one half");
  if (p < 1)
    l.say("What stays is multiplied by 1 / (1 - {}) = {}. The rows add to {}, no longer to 1.", rate,
          digits(1 / (1 - p)), joined_digits(row_sums, ", "));
  const std::vector<std::string> empty = empty_rows(s, dropped);
  if (!empty.empty())
    l.say("Nothing is left for {}: such a context vector is all zeros.", joined(empty, ", "));

  l.step("dropout-expectation", kDropout, "The sum stays the same on average");
  l.code(fmt::format("sums = dropout(causal_weights[-1].expand({}, -1)).sum(dim=-1)", kDraws));
  const Tensor last = attn_weights[attn_weights.size(0) - 1];
  const Tensor sums = sum(dropout(last.expand({kDraws, -1})), {-1});
  const Tensor mean_sum = l.show("mean_sum", mean(sums)), spread = l.show("spread", std(sums));
  if (p < 1)
    l.say(
        "The text says \"in expectation\", and that is the word: over {} draws the last row's sum is {} on "
        "average, but a single one is off by about {}.",
        kDraws, digits(mean_sum), digits(spread));
  else
    l.say("With rate 1 nothing is ever left, and no factor can make up for it.");
  dropout.eval();
  const Tensor kept = l.show("kept", dropout(attn_weights));
  l.say("After eval() nothing is dropped; the largest difference is {}.",
        largest_difference(kept, attn_weights));
}

}  // namespace glassgrad::learn::cat_parts
