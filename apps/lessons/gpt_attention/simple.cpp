// Sections 2.1 to 2.4: attention without weights to learn, the two formulas, three Linear layers, a class.
#include <cmath>

#include "apps/lesson/lesson.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/gpt_attention/gpt_attention.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn::gpt_attention_parts {
namespace {

constexpr const char* kSimple = "2.1";
constexpr const char* kFormulas = "2.2";
constexpr const char* kTrainable = "2.3";
constexpr const char* kSelfAttention = "2.4";

constexpr const char* kWeights = "A = softmax(S), row by row";
constexpr const char* kWeightsLatex = R"(A_{ij} = \frac{\exp(S_{ij})}{\exp(S_{i1}) + \dots + \exp(S_{iT})})";

int64_t rows_won_by_another(const Tensor& scores) {
  int64_t rows = 0;
  for (int64_t i = 0; i < scores.size(0); ++i) rows += max(scores[i]).item() > scores[i][i].item();
  return rows;
}

Tensor plain_scores(Narrator& l, const Settings& s) {
  const Tensor& x = s.inputs;
  l.step("scores", kSimple, "Every token against every token");
  l.code("attn_scores = inputs @ inputs.T\nprint(attn_scores)");
  l.formula("S = X X^T", R"(S = X X^\top)");
  l.show("inputs", x);
  const Tensor products = l.show("products", x[0] * x[1]);
  const Tensor attn_scores = l.print("attn_scores", matmul(x, x.T()));
  l.say("{} tokens, a row of {} each: {}.", x.size(0), counted(x.size(1), "number"), joined(s.tokens, ", "));
  l.say("attn_scores[i][j] is the dot product of tokens i and j. For {} and {}: {} = {}.",
        in_quotes(s.tokens[0]), in_quotes(s.tokens[1]), joined_digits(products, " + ", 4),
        digits(attn_scores[0][1]));
  l.say(
      "The text calls it a measure of similarity. It also grows with the length of a vector: {} of the {} "
      "tokens score some other token higher than themselves.",
      rows_won_by_another(attn_scores), x.size(0));
  return attn_scores;
}

Tensor plain_weights(Narrator& l, const Settings& s, const Tensor& attn_scores) {
  l.step("weights", kSimple, "Scores become weights");
  l.code("attn_weights = torch.softmax(attn_scores, dim=-1)\nprint(attn_weights)");
  l.formula(kWeights, kWeightsLatex);
  const Tensor attn_weights = l.print("attn_weights", softmax(attn_scores, -1));
  l.say(
      "exp of every score, divided by the sum of its row. attn_weights[i][j] says how much i attends to j.");
  if (all_finite(attn_weights))
    l.say("Each row adds to 1, but for rounding: the sum furthest from it is off by {:.1e}.",
          max(abs(sum(attn_weights, {-1}) - 1)).item());
  l.say(
      "The score of {0} with {1} is that of {1} with {0}. The weights are {2} and {3}: each row has its own "
      "sum.",
      in_quotes(s.tokens[0]), in_quotes(s.tokens[1]), digits(attn_weights[0][1]), digits(attn_weights[1][0]));
  return attn_weights;
}

Tensor plain_context(Narrator& l, const Settings& s, const Tensor& attn_weights) {
  l.step("context", kSimple, "A weighted sum of all tokens");
  l.code("context_vecs = attn_weights @ inputs\nprint(context_vecs)");
  l.formula("Z = A X", "Z = A X");
  const Tensor context_vecs = l.print("context_vecs", matmul(attn_weights, s.inputs));
  l.say("The new vector of {} has {} of the tokens' vectors, in this order.", in_quotes(s.tokens[1]),
        joined_digits(attn_weights[1], ", "));
  l.say(
      "In its first number all tokens lay between {} and {}; the new vectors lie between {} and {}. Nothing "
      "here can be trained: that is what the rest adds.",
      digits(min(s.inputs.slice(1, 0, 1))), digits(max(s.inputs.slice(1, 0, 1))),
      digits(min(context_vecs.slice(1, 0, 1))), digits(max(context_vecs.slice(1, 0, 1))));
  return context_vecs;
}

void projection_formula(Narrator& l, const Settings& s) {
  const int64_t d_in = s.inputs.size(1), d_out = s.count("--d-out");
  l.step("projection-formula", kFormulas, "The first formula that the page has lost");
  l.formula("q_i = x_i W_q,  k_i = x_i W_k,  v_i = x_i W_v",
            R"(q_i = x_i W_q, \quad k_i = x_i W_k, \quad v_i = x_i W_v)");
  l.formula("Q = X W_q,  K = X W_k,  V = X W_v", R"(Q = X W_q, \quad K = X W_k, \quad V = X W_v)");
  l.code("W_q = torch.eye(d_in, d_out)\nq_2 = inputs[1] @ W_q\nQ = inputs @ W_q");
  const Tensor W_q = l.show("W_q", eye(d_in, d_out));
  l.show("q_2", matmul(s.inputs[1], W_q));
  const Tensor Q = l.show("Q", matmul(s.inputs, W_q));
  std::vector<Tensor> rows;
  for (const Tensor& row : s.inputs.split(1)) rows.push_back(matmul(row, W_q));
  l.say(
      "A sentence ends with \"resulting in:\", and nothing follows. What belongs there: every token gives three "
      "vectors, a query, a key and a value, each by a matrix of its own.");
  l.say(
      "Row by row, or all rows at once as the second line has it, is the same; the largest difference is {}.",
      largest_difference(cat(rows, 0), Q));
  l.say("The W_q here is the simplest that there is: it hands on the first {} of {}. Training finds others.",
        counted(std::min(d_in, d_out), "number"), d_in);
}

void attention_formula(Narrator& l, const Settings& s, const Tensor& plain) {
  const int64_t d_in = s.inputs.size(1);
  l.step("attention-formula", kFormulas, "The second: attention as one expression");
  l.formula("Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V",
            R"(\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V)");
  l.code(
      "Q = K = V = inputs @ torch.eye(d_in)\ncontext_vecs = torch.softmax(Q @ K.T, dim=-1) @ V\n"
      "scaled_context = torch.softmax(Q @ K.T / d_in**0.5, dim=-1) @ V");
  const Tensor Q = matmul(s.inputs, eye(d_in)), scores = matmul(Q, Q.T());
  const Tensor context_vecs = l.show("context_vecs", matmul(softmax(scores, -1), Q));
  const Tensor scaled =
      l.show("scaled_context", matmul(softmax(scores / std::pow(double(d_in), 0.5), -1), Q));
  l.say(
      "\"Is given by:\", and again nothing. The formula: queries against keys, divided by the root of the width "
      "d_k of a key, softmax, times the values.");
  l.say(
      "The attention of the last three steps is in it: with W_q = W_k = W_v = 1 on the diagonal and without the "
      "root, the result differs from theirs by {}.",
      largest_difference(context_vecs, plain));
  l.say("With the root of d_k = {}, {}, it moves by up to {}.", d_in, digits(std::sqrt(double(d_in))),
        largest_difference(scaled, context_vecs));
}

struct Layers {
  nn::Linear W_query, W_key, W_value;
};

void linear_layers(Narrator& l, const Settings& s, const Layers& layers) {
  const int64_t d_in = s.inputs.size(1), d_out = s.count("--d-out");
  l.step("linear-layers", kTrainable, "Three matrices to be trained");
  l.code(set_seed(s, "--seed"));
  l.code(
      "W_query = nn.Linear(d_in, d_out)\nW_key = nn.Linear(d_in, d_out)\nW_value = nn.Linear(d_in, d_out)\n"
      "print(W_query)\nprint(W_query.weight)\nprint(W_query.bias)");
  l.print_line(layers.W_query.repr());
  const Tensor weight = l.print("W_query.weight", layers.W_query.weight);
  l.print("W_query.bias", layers.W_query.bias);
  l.show("W_key.weight", layers.W_key.weight);
  l.show("W_key.bias", layers.W_key.bias);
  l.show("W_value.weight", layers.W_value.weight);
  l.show("W_value.bias", layers.W_value.bias);
  l.say(
      "The page sets no seed here, so nobody can get its numbers again. Here the seed is {}, for all that is drawn "
      "until a new one is set.",
      s.text("--seed"));
  l.say(
      "Linear({}, {}) keeps its matrix the other way round, (out, in) = {}, and adds a bias, which the formula "
      "does not have. It draws all its numbers between -1 / sqrt(d_in) and 1 / sqrt(d_in): {} and {}.",
      d_in, d_out, to_string(weight.shape()), digits(-1 / std::sqrt(double(d_in))),
      digits(1 / std::sqrt(double(d_in))));
}

Trained scaled_scores(Narrator& l, const Settings& s, const Layers& layers) {
  l.step("queries-keys-values", kTrainable, "Queries, keys and values");
  l.code(
      "queries = W_query(inputs)\nkeys = W_key(inputs)\nvalues = W_value(inputs)\n"
      "print(queries)\nprint(keys)\nprint(values)");
  l.formula("Q = X W_query^T + b_query", R"(Q = X W_\mathrm{query}^\top + b_\mathrm{query})");
  const Tensor queries = l.print("queries", layers.W_query(s.inputs));
  const Tensor keys = l.print("keys", layers.W_key(s.inputs));
  const Tensor values = l.print("values", layers.W_value(s.inputs));
  const nn::Linear& layer = layers.W_query;
  const Tensor by_hand = (matmul(s.inputs, layer.weight.T()) + layer.bias).detach();
  l.say(
      "inputs @ W_query.weight.T + W_query.bias gives what W_query(inputs) gives; the largest difference is {}.",
      largest_difference(by_hand, queries.detach()));
  l.say(
      "PyTorch does the product and the sum in one operation, addmm; grad_fn names it, because the results "
      "can pass gradients back to the layers.");

  const double root = std::pow(double(keys.size(-1)), 0.5);
  l.step("scaled-scores", kTrainable, "Scores, divided by a root");
  l.code("attn_scores = queries @ keys.T / keys.shape[-1]**0.5\nprint(attn_scores)");
  l.formula("S = Q K^T / sqrt(d_k)", R"(S = \frac{Q K^\top}{\sqrt{d_k}})");
  const Tensor unscaled = l.show("unscaled", matmul(queries, keys.T()));
  const Tensor attn_scores = l.print("attn_scores", unscaled / root);
  l.say("keys.shape[-1] is {}, its root {}: {} / {} = {} for {} with itself.", keys.size(-1), digits(root),
        digits(unscaled[0][0]), digits(root), digits(attn_scores[0][0]), in_quotes(s.tokens[0]));
  l.say("Keep in mind that the name attn_scores stands for scaled scores from here on.");
  return {attn_scores, values};
}

void small_gradients(Narrator& l, const Settings& s, const Tensor& attn_scores) {
  constexpr double kFactors[] = {1, 10, 100, 1000};
  const Tensor row = attn_scores[1].detach();
  const int64_t best = int64_t(position_of_largest(row));
  std::vector<Tensor> weights, gradients;
  for (const double factor : kFactors) {
    const Tensor scores = (row * factor).requires_grad_();
    const Tensor w = softmax(scores, -1);
    w[best].backward();
    weights.push_back(w.detach());
    gradients.push_back(scores.grad());
  }
  l.step("small-gradients", kTrainable, "Why the root: large scores stop the gradient");
  l.code(
      "for factor in (1, 10, 100, 1000):\n    scores = (attn_scores[1] * factor).detach().requires_grad_()\n"
      "    torch.softmax(scores, dim=-1)[scores.argmax()].backward()");
  l.show("weights", stack(weights, 0));
  const Tensor slopes = l.show("gradients", stack(gradients, 0));
  if (!all_finite(slopes)) return l.say("nan and inf among the scores leave no gradient to look at.");
  l.say(
      "The text says that large dot products lead to very small gradients. Here are the scores of {}, 1, 10, "
      "100 and 1000 times as large: their softmax, a row each, and the gradient of its largest weight, {}'s.",
      in_quotes(s.tokens[1]), in_quotes(s.tokens[size_t(best)]));
  l.say("The largest number of each gradient: {}.", joined_digits(amax(abs(slopes), {-1}), ", "));
  if (max(weights[3]).item() > 0.99 && max(abs(slopes[3])).item() < max(abs(slopes[0])).item())
    l.say(
        "Once one weight has taken nearly everything, no score moves it any more: there is little to learn from.");
  l.say(
      "Between random vectors the spread of a dot product grows with the root of their width; the division takes "
      "that out.");
}

void trainable_context(Narrator& l, const Trained& trained) {
  l.step("trainable-context", kTrainable, "The rest stays as it was");
  l.code("attn_weights = torch.softmax(attn_scores, dim=-1)\ncontext_vecs = attn_weights @ values");
  const Tensor attn_weights = l.show("attn_weights", softmax(trained.attn_scores, -1));
  const Tensor context_vecs = l.show("context_vecs", matmul(attn_weights, trained.values));
  l.say("Softmax of each row, then a weighted sum; of values now, no longer of the inputs.");
  l.say("Nothing is trained yet: the weights lie between {} and {}; an equal share would be 1 / {} = {}.",
        digits(min(attn_weights)), digits(max(attn_weights)), attn_weights.size(1),
        digits(1 / double(attn_weights.size(1))));
}

}  // namespace

void simple_attention(Narrator& l, const Settings& s) {
  const Tensor attn_scores = plain_scores(l, s);
  const Tensor attn_weights = plain_weights(l, s, attn_scores);
  plain_context(l, s, attn_weights);
}

void formulas(Narrator& l, const Settings& s) {
  projection_formula(l, s);
  attention_formula(l, s, matmul(softmax(matmul(s.inputs, s.inputs.T()), -1), s.inputs));
}

Trained trainable_attention(Narrator& l, const Settings& s) {
  const int64_t d_in = s.inputs.size(1), d_out = s.count("--d-out");
  manual_seed(s.seed("--seed"));
  const Layers layers{{d_in, d_out}, {d_in, d_out}, {d_in, d_out}};
  l.own("W_query", layers.W_query);
  l.own("W_key", layers.W_key);
  l.own("W_value", layers.W_value);
  linear_layers(l, s, layers);
  const Trained trained = scaled_scores(l, s, layers);
  small_gradients(l, s, trained.attn_scores);
  trainable_context(l, trained);
  return trained;
}

void self_attention(Narrator& l, const Settings& s) {
  const nn::gpt_attention::SelfAttention sa(s.inputs.size(1), s.count("--d-out"));
  l.own("sa", sa);
  const Tensor context_vecs = l.call([&] { return sa(s.inputs); });

  l.step("self-attention-module", kSelfAttention, "SelfAttention: the steps as a class");
  l.code("sa = SelfAttention(d_in, d_out)\nprint(sa)");
  l.print_line(sa.repr());
  show_parts(
      l, {""},
      {"W_query.weight", "W_query.bias", "W_key.weight", "W_key.bias", "W_value.weight", "W_value.bias"});
  l.say(
      "The class makes three layers of its own. No seed is set in between, so they draw on from where "
      "W_value stopped.");

  l.step("self-attention-inside", kSelfAttention, "SelfAttention: what happens inside");
  l.code(
      "queries = self.W_query(x)\nkeys = self.W_key(x)\nvalues = self.W_value(x)\n"
      "attn_scores = queries @ keys.T\n"
      "attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)");
  show_parts(l, {""}, {"queries", "keys", "values", "attn_scores", "scaled_scores", "attn_weights"});
  l.say("The class keeps attn_scores as they are and divides on the way into the softmax: once.");

  l.step("self-attention", kSelfAttention, "SelfAttention: what comes out");
  l.code("context_vecs = attn_weights @ values\nprint(sa(inputs))");
  l.skip_next("context_vecs");
  l.loss("context_vecs", l.print("context_vecs", context_vecs));
  const Tensor queries = sa.W_query(s.inputs), keys = sa.W_key(s.inputs);
  const Tensor attn_scores = matmul(queries, keys.T()) / std::pow(double(keys.size(-1)), 0.5);
  const Tensor by_hand = l.show("by_hand", matmul(softmax(attn_scores, -1), sa.W_value(s.inputs)));
  l.say("The steps of section 2.3, taken with the layers of sa, give the same; the largest difference is {}.",
        largest_difference(by_hand, context_vecs));
}

}  // namespace glassgrad::learn::gpt_attention_parts
