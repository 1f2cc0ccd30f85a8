// Section 3.4: queries, keys and values through weight matrices, by hand and as modules.
#include <cmath>

#include "apps/lesson/phrases.h"
#include "apps/lessons/journey/journey.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn::journey_parts {
namespace {

constexpr const char* kStepByStep = "3.4.1";
constexpr const char* kClasses = "3.4.2";

struct Weights {
  nn::Parameter query, key, value;
};

Weights draw_weights(Narrator& l, const Settings& s) {
  const int64_t d_in = s.inputs.size(1), d_out = s.count("--d-out");
  l.step("projection-weights", kStepByStep, "Three matrices to learn");
  l.code(fmt::format("x_2 = inputs[1]\nd_in = inputs.shape[1]\nd_out = {}", d_out));
  l.code(set_seed(s, "--seed"));
  l.code(
      "W_query = torch.nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)\n"
      "W_key   = torch.nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)\n"
      "W_value = torch.nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)");
  manual_seed(s.seed("--seed"));
  Weights w;
  w.query = nn::Parameter(rand({d_in, d_out}), false);
  w.key = nn::Parameter(rand({d_in, d_out}), false);
  w.value = nn::Parameter(rand({d_in, d_out}), false);
  l.own("W_query", w.query);
  l.own("W_key", w.key);
  l.own("W_value", w.value);
  l.show("x_2", s.inputs[1]);
  l.show("W_query", w.query);
  l.show("W_key", w.key);
  l.show("W_value", w.value);
  l.say(
      "Multiplied by one of these matrices, a token of {} becomes a vector of {}. Training would change the "
      "matrices; here they stay as drawn.",
      counted(d_in, "number"), d_out);
  l.say(
      "The numbers come from torch.rand with seed {}, in this order: query, key, value. Another order would "
      "give other matrices.",
      s.text("--seed"));
  return w;
}

// One query against all keys: scores, scaled scores, weights, context.
void one_query(Narrator& l, const Settings& s, const Tensor& query_2, const Tensor& keys,
               const Tensor& values) {
  l.step("score-22", kStepByStep, "One score from a query and a key");
  l.code("keys_2 = keys[1]\nattn_score_22 = query_2.dot(keys_2)");
  const Tensor keys_2 = l.show("keys_2", keys[1]);
  const Tensor attn_score_22 = l.print("attn_score_22", dot(query_2, keys_2));
  l.say(
      "The score of {0} for itself is now the dot product of its query with its key, {1}: two different "
      "vectors made from one token.",
      in_quotes(s.tokens[1]), digits(attn_score_22));

  l.step("trainable-scores-2", kStepByStep, "The query against all keys");
  l.code("attn_scores_2 = query_2 @ keys.T");
  const Tensor attn_scores_2 = l.print("attn_scores_2", matmul(query_2, keys.T()));
  l.say("One score for each of the {} tokens; the second is the one of the step before.", s.inputs.size(0));

  l.step("trainable-weights-2", kStepByStep, "Scale by the square root of d_k, then softmax");
  l.formula("a = softmax(q K^T / sqrt(d_k))",
            R"(a = \mathrm{softmax}\left(\frac{q K^\top}{\sqrt{d_k}}\right))");
  l.code("d_k = keys.shape[1]\nattn_weights_2 = torch.softmax(attn_scores_2 / d_k**0.5, dim=-1)");
  const int64_t d_k = keys.size(1);
  const double root = std::pow(double(d_k), 0.5);
  const Tensor scaled_scores_2 = l.show("scaled_scores_2", attn_scores_2 / root);
  const Tensor attn_weights_2 = l.print("attn_weights_2", softmax(scaled_scores_2, -1));
  const Tensor unscaled = softmax(attn_scores_2, -1);
  l.say(
      "d_k is the width of a key, {}; its root is {}. Wider vectors tend to have larger dot products, and "
      "scores far apart make softmax put nearly all weight on one token.",
      d_k, digits(root));
  if (d_k == 1)
    l.say("To divide by 1 changes nothing: the largest weight is {}.", digits(amax(attn_weights_2, {0})));
  else
    l.say("The largest weight is {}; without the division it would be {}.", digits(amax(attn_weights_2, {0})),
          digits(amax(unscaled, {0})));

  l.step("trainable-context-2", kStepByStep, "The context vector, from the values");
  l.formula("z = a V", R"(z = a V)");
  l.code("context_vec_2 = attn_weights_2 @ values");
  l.print("context_vec_2", matmul(attn_weights_2, values));
  l.say(
      "The weights now add up values, not the inputs themselves: what a token is asked for (key) and what "
      "it gives (value) are learned apart.");
}

void class_v1(Narrator& l, const Settings& s) {
  const int64_t d_in = s.inputs.size(1), d_out = s.count("--d-out");
  manual_seed(s.seed("--seed"));
  const nn::journey::SelfAttention_v1 sa_v1(d_in, d_out);
  for (const auto& [name, parameter] : sa_v1.named_parameters()) l.own(name, parameter);
  const Tensor context_vec = l.call([&] { return sa_v1(s.inputs); });

  l.step("v1-projections", kClasses, "SelfAttention_v1: the projections");
  l.code(
      "self.W_query = nn.Parameter(torch.rand(d_in, d_out))  # and so W_key, W_value\n"
      "keys = x @ self.W_key\nqueries = x @ self.W_query\nvalues = x @ self.W_value");
  for (const char* name : {"W_query", "W_key", "W_value", "keys", "queries", "values"}) l.show_next(name);
  l.say(
      "The same steps as a module, for all tokens at once. With the seed set again, the three matrices are "
      "those of before.");
  l.say(
      "But this time they require gradients, as Parameters do unless told otherwise: every tensor made from "
      "them carries a grad_fn, the name of the op that will pass a gradient back.");

  l.step("v1-weights", kClasses, "SelfAttention_v1: scores and weights");
  l.code(
      "attn_scores = queries @ keys.T\nattn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, "
      "dim=-1)");
  for (const char* name : {"attn_scores", "scaled_scores", "attn_weights"}) l.show_next(name);
  l.say("Row 2 holds what the steps for the one query {} have shown.", in_quotes(s.tokens[1]));

  l.step("self-attention-v1", kClasses, "SelfAttention_v1: what comes out");
  l.formula("Z = softmax(Q K^T / sqrt(d_k)) V",
            R"(Z = \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V)");
  l.code(set_seed(s, "--seed"));
  l.code("sa_v1 = SelfAttention_v1(d_in, d_out)\nprint(sa_v1(inputs))");
  l.skip_next("context_vec");
  l.loss("context_vec", l.print("context_vec", context_vec));
  l.say(
      "One row of {} for each token. The last op was the product of weights and values (mm, of two "
      "matrices), hence the name in grad_fn.",
      counted(d_out, "number"));
}

void class_v2(Narrator& l, const Settings& s, const nn::journey::SelfAttention_v2& sa_v2) {
  const Tensor context_vec = l.call([&] { return sa_v2(s.inputs); });

  l.step("v2-projections", kClasses, "SelfAttention_v2: Linear layers");
  l.code("self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)\nkeys = self.W_key(x)");
  for (const char* name : {"W_query.weight", "W_key.weight", "W_value.weight", "keys", "queries", "values"})
    l.show_next(name);
  const double bound = 1 / std::sqrt(double(s.inputs.size(1)));
  l.say(
      "A Linear layer without bias is a matrix product, but it draws its numbers from -{0} to {0}, one over "
      "the root of d_in, instead of from 0 to 1: both signs occur.",
      digits(bound));

  l.step("v2-layout", kClasses, "A Linear layer stores its matrix transposed");
  l.code("inputs @ sa_v2.W_query.weight.T");
  const Tensor transposed = l.show("W_query.weight.T", sa_v2.W_query.weight.T());
  const Tensor queries = l.show("queries", matmul(s.inputs, transposed));
  l.say(
      "W_query.weight has the shape (d_out, d_in) = {}; v1 keeps (d_in, d_out). Transposed, it does what "
      "v1's matrix does: the largest difference to the layer's queries is {}.",
      to_string(sa_v2.W_query.weight.shape()), largest_difference(queries, sa_v2.W_query(s.inputs)));

  l.step("v2-weights", kClasses, "SelfAttention_v2: scores and weights");
  l.code(
      "attn_scores = queries @ keys.T\nattn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, "
      "dim=-1)");
  for (const char* name : {"attn_scores", "scaled_scores"}) l.show_next(name);
  l.say("The same computation as in v1, line by line.");
  const Tensor attn_weights = l.show_next("attn_weights");
  l.say("The weights of row 2 lie between {} and {}; if all were equal, each would be {}.",
        digits(amin(attn_weights[1], {0})), digits(amax(attn_weights[1], {0})),
        digits(1 / double(s.inputs.size(0))));

  l.step("self-attention-v2", kClasses, "SelfAttention_v2: what comes out");
  l.code(set_seed(s, "--seed-v2"));
  l.code("sa_v2 = SelfAttention_v2(d_in, d_out)\nprint(sa_v2(inputs))");
  l.skip_next("context_vec");
  l.loss("context_vec", l.print("context_vec", context_vec));
  l.say(
      "The computation is that of v1. The numbers differ because the weights do: they were drawn with seed {}.",
      s.text("--seed-v2"));
}

}  // namespace

void trainable_attention(Narrator& l, const Settings& s) {
  const Weights w = draw_weights(l, s);

  l.step("query-2", kStepByStep, "Query, key and value of one token");
  l.formula("q = x W_query,  k = x W_key,  v = x W_value",
            R"(q = x W_q, \qquad k = x W_k, \qquad v = x W_v)");
  l.code("query_2 = x_2 @ W_query\nkey_2 = x_2 @ W_key\nvalue_2 = x_2 @ W_value");
  const Tensor x_2 = s.inputs[1];
  l.show("key_2", matmul(x_2, w.key));
  l.show("value_2", matmul(x_2, w.value));
  const Tensor query_2 = l.print("query_2", matmul(x_2, w.query));
  l.say("One token, {}, plays three parts: it asks (query), it is asked (key), it gives (value).",
        in_quotes(s.tokens[1]));

  l.step("keys-values", kStepByStep, "Queries, keys and values of all tokens");
  l.code("keys = inputs @ W_key\nvalues = inputs @ W_value");
  l.show("queries", matmul(s.inputs, w.query));
  const Tensor keys = l.show("keys", matmul(s.inputs, w.key));
  const Tensor values = l.show("values", matmul(s.inputs, w.value));
  l.print_line("keys.shape: " + size_repr(keys.shape()));
  l.print_line("values.shape: " + size_repr(values.shape()));
  l.say("Each of the {} tokens, {} wide, has given three rows of {}. The second row of queries is query_2.",
        s.inputs.size(0), counted(s.inputs.size(1), "number"), keys.size(1));
  one_query(l, s, query_2, keys, values);
}

void attention_classes(Narrator& l, const Settings& s, const nn::journey::SelfAttention_v2& sa_v2) {
  class_v1(l, s);
  class_v2(l, s, sa_v2);
}

}  // namespace glassgrad::learn::journey_parts
