// Sections 3.1 and 3.2: the mask, the scale that the page takes twice, and dropout.
#include <cmath>

#include "apps/lesson/phrases.h"
#include "apps/lessons/gpt_attention/gpt_attention.h"
#include "engine/ops.h"

namespace glassgrad::learn::gpt_attention_parts {
namespace {

constexpr const char* kMask = "3.1";
constexpr const char* kDropout = "3.2";
using nn::kMinusInfinity;

Tensor masks(Narrator& l, const Settings& s, const Tensor& attn_scores) {
  const int64_t tokens = attn_scores.size(0);
  l.step("mask", kMask, "Who must not see whom");
  l.code(
      "def create_mask(context_length):\n"
      "    mask = torch.triu(torch.ones(context_length, context_length), diagonal=1)\n"
      "    return mask.bool()\n"
      "mask = create_mask(attn_scores.shape[0])\nprint(mask)");
  const Tensor mask = l.print("mask", nn::gpt_attention::create_mask(tokens));
  l.say(
      "GPT writes token by token and knows only what stands there already. While it learns, it must not see more: "
      "it would copy the next word and guess nothing.");
  l.say("True is hidden: row i, the query of token i, must not see columns after i. {} places of {} are.",
        sum(mask).item<int64_t>(), mask.numel());
  l.say(
      "The text says that only tokens that appear before the current one are considered. diagonal=1 leaves the "
      "diagonal itself visible: {} sees itself too.",
      in_quotes(s.tokens[0]));

  l.step("diagonal", kMask, "What the text's words would do");
  l.code(
      "strict_mask = torch.triu(torch.ones(context_length, context_length), diagonal=0).bool()\n"
      "strict_weights = torch.softmax(attn_scores.masked_fill(strict_mask, -torch.inf), dim=-1)");
  const Tensor strict_mask = l.show("strict_mask", to(triu(ones({tokens, tokens}), 0), boolean));
  const Tensor strict_weights =
      l.show("strict_weights", softmax(masked_fill(attn_scores, strict_mask, kMinusInfinity), -1));
  l.say(
      "Only tokens before it: then {} has nothing to look at. A row of nothing but -inf becomes {}, and so would "
      "its context vector.",
      in_quotes(s.tokens[0]), digits(strict_weights[0][0]));
  return mask;
}

// The scores come scaled; the page's line divides them again.
struct Weights {
  Tensor masked_scores, as_run;
};

Weights masked_weights(Narrator& l, const Settings& s, const Trained& trained, const Tensor& mask,
                       double root) {
  const auto& [attn_scores, values] = trained;
  l.step("masked-scores", kMask, "The future's scores become -inf");
  l.code("attn_scores = attn_scores.masked_fill(mask, -torch.inf)\nprint(attn_scores)");
  l.formula("M_ij = S_ij where j <= i, else -inf",
            R"(M_{ij} = \begin{cases} S_{ij} & j \le i \\ -\infty & j > i \end{cases})");
  const Tensor masked_scores = l.print("attn_scores", masked_fill(attn_scores, mask, kMinusInfinity));
  l.say("What was visible keeps its score; exp(-inf) is 0, so the rest will get no weight.");
  l.say(
      "masked_fill makes a new matrix, which takes over the name. The class further on uses masked_fill_, with "
      "an underscore: in place.");

  l.step("masked-weights", kMask, "Causal weights, as the page computes them");
  l.code(
      "attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=1)\nprint(attn_weights)\n"
      "context_vecs = attn_weights @ values");
  const Tensor as_run = l.print("attn_weights", softmax(masked_scores / root, 1));
  l.show("context_vecs", matmul(as_run, values));
  l.say("{} sees only itself, with weight {}; {} shares its attention: {}.", in_quotes(s.tokens[0]),
        digits(as_run[0][0]), in_quotes(s.tokens[1]), joined_digits(as_run[1].slice(0, 0, 2), " and "));
  l.say("But look at the line of code again before you go on: two things in it are not what they seem.");
  return {masked_scores, as_run};
}

void double_scaling(Narrator& l, const Settings& s, const Weights& weights, double root) {
  const int64_t last = weights.as_run.size(0) - 1;
  l.step("double-scaling", kMask, "The root has been taken out twice");
  l.code(
      "right = torch.softmax(attn_scores, dim=-1)\ndifference = (attn_weights - right).abs()\n"
      "last_row = torch.stack((attn_weights[-1], right[-1]))");
  l.formula("as the page runs it: softmax(Q K^T / (sqrt(d_k) sqrt(d_k)))",
            R"(\mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d_k} \sqrt{d_k}}\right))");
  const Tensor as_run = l.show("as_run", weights.as_run.detach());
  const Tensor right = l.show("right", softmax(weights.masked_scores.detach(), -1));
  const Tensor difference = l.show("difference", abs(as_run - right));
  l.show("last_row", stack({as_run[last], right[last]}, 0));
  l.say("attn_scores were divided by the root of d_k when they were made, and here they are again.");
  if (root == 1)
    l.say("With d_k = 1 that is no harm: the largest difference is {}.", largest_difference(as_run, right));
  else
    l.say(
        "By {} in all, not by {}. The largest difference is {}. For {} the page gets {}; right is {}: too large a "
        "divisor pulls the weights towards each other.",
        digits(root * root), digits(root), digits(max(difference)), in_quotes(s.tokens[size_t(last)]),
        joined_digits(as_run[last], ", "), joined_digits(right[last], ", "));
  l.say("The classes of this source divide once.");
}

void softmax_dim(Narrator& l, const Weights& weights, double root) {
  const Tensor scores = weights.masked_scores.detach() / root;
  l.step("softmax-dim", kMask, "dim=1 is the last dimension by luck");
  l.code(
      "batch = torch.stack((attn_scores, attn_scores)) / keys.shape[-1]**0.5\n"
      "dim_1 = torch.softmax(batch, dim=1)[0]\nrow_sums = dim_1.sum(dim=-1)\ncolumn_sums = dim_1.sum(dim=0)");
  const Tensor dim_1 = l.show("dim_1", softmax(stack({scores, scores}, 0), 1)[0]);
  const Tensor row_sums = l.show("row_sums", sum(dim_1, {-1}));
  const Tensor column_sums = l.show("column_sums", sum(dim_1, {0}));
  l.say(
      "A matrix has dimensions 0 and 1, so dim=1 and dim=-1 are the same here; the largest difference is {}.",
      largest_difference(softmax(scores, 1), softmax(scores, -1)));
  l.say(
      "With a batch in front dimension 1 counts the queries. Columns then add to {}, rows to {}: not what "
      "attention means, and no error says so.",
      joined_digits(column_sums, ", "), joined_digits(row_sums, ", "));
  l.say("dim=-1, as in the classes, is right for any number of dimensions.");
}

void dropped_weights(Narrator& l, const Settings& s, const Tensor& attn_weights) {
  const double p = s.fraction("--dropout");
  const std::string& rate = s.text("--dropout");
  const nn::Dropout dropout(p);
  l.step("dropout", kDropout, "Some weights are dropped");
  l.code(fmt::format(
      "dropout = nn.Dropout(p={})\nattn_weights = dropout(attn_weights)\nprint(dropout)\nprint(attn_weights)",
      rate));
  l.formula("kept: w / (1 - p); dropped: 0", R"(\text{kept: } \frac{w}{1 - p}; \text{ dropped: } 0)");
  l.print_line(dropout.repr());
  const Tensor dropped = l.print("attn_weights", dropout(attn_weights));
  l.show("row_sums", sum(dropped.detach(), {-1}));
  const auto left = [](const Tensor& x) { return sum(x != 0).item<int64_t>(); };
  l.say(
      "A model that must do without some of its weights cannot lean on a single token, nor learn texts by heart.");
  l.say("Each weight is set to 0 with probability {}: {} of the {} that were not 0 have been, this time.",
        rate, left(attn_weights) - left(dropped), left(attn_weights));
  if (p < 1) {
    const int64_t kept = int64_t(position_of_largest(dropped.reshape({-1})));
    const Tensor before = attn_weights.reshape({-1})[kept], after = dropped.reshape({-1})[kept];
    l.say("The text has the others grow by the rate, {:g} %. They are multiplied by 1 / (1 - {}) = {}{}.",
          100 * p, rate, digits(1 / (1 - p)),
          p > 0 ? fmt::format(", {:.4g} % more", 100 * (1 / (1 - p) - 1)) : "");
    if (left(dropped) > 0 && all_finite(dropped))
      l.say("The largest that is left was {} and is {} now.", digits(before), digits(after));
  }
  l.say("The rows add to {}{}.", joined_digits(sum(dropped, {-1}), ", "),
        p > 0 ? "; dropout does not make them add to 1 again" : "");
  const std::vector<std::string> empty = empty_rows(s, dropped);
  if (!empty.empty())
    l.say("Nothing is left for {}: such a context vector is all zeros.", joined(empty, ", "));
}

void dropout_growth(Narrator& l) {
  constexpr double kRates[] = {0.1, 0.2, 0.5};
  std::vector<double> rows;
  for (const double p : kRates)
    rows.insert(rows.end(), {1 + p, 1 / (1 - p), (1 - p) * (1 + p), (1 - p) / (1 - p)});
  l.step("dropout-growth", kDropout, "Growing by the rate is not enough");
  l.code("[[1 + p, 1 / (1 - p), (1 - p) * (1 + p), (1 - p) / (1 - p)] for p in (0.1, 0.2, 0.5)]");
  l.show("rates", from_values(std::vector<double>(std::begin(kRates), std::end(kRates)), {3}));
  const Tensor growth = l.show("growth", from_values(rows, {3, 4}));
  l.say(
      "A row for each rate: the factor in the text's words, the factor that PyTorch uses, and what then is left "
      "of a sum on average with either.");
  l.say(
      "By the text's rule a sum would shrink to {} on average; divided by 1 - p it stays {}. At rate 0.5 that is "
      "{}, not {}.",
      joined_digits(growth.slice(1, 2, 3).reshape({-1}), ", "), digits(growth[0][3]), digits(growth[2][1]),
      digits(growth[2][0]));
}

}  // namespace

Tensor causal_mask(Narrator& l, const Settings& s, const Trained& trained) {
  const double root = std::pow(double(trained.values.size(-1)), 0.5);
  const Tensor mask = masks(l, s, trained.attn_scores);
  const Weights weights = masked_weights(l, s, trained, mask, root);
  double_scaling(l, s, weights, root);
  softmax_dim(l, weights, root);
  return weights.as_run;
}

void dropout(Narrator& l, const Settings& s, const Tensor& attn_weights) {
  dropped_weights(l, s, attn_weights);
  dropout_growth(l);
}

}  // namespace glassgrad::learn::gpt_attention_parts
