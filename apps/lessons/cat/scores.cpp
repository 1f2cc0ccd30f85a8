// Sections 2.1 to 2.3: queries, keys and values, and the scores they give.
#include <cmath>

#include "apps/lesson/phrases.h"
#include "apps/lessons/cat/cat.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn::cat_parts {
namespace {

constexpr const char* kInputs = "2.1";
constexpr const char* kProjections = "2.2";
constexpr const char* kScores = "2.3";

void tokens_as_rows(Narrator& l, const Settings& s) {
  l.step("inputs", kInputs, "A sentence as rows of numbers");
  l.code("inputs = torch.tensor([...])");
  l.show("inputs", s.inputs);
  l.say("{} words, {}, one token each: a row of {} numbers for every one.", s.inputs.size(0),
        joined(s.tokens, ", "), s.inputs.size(1));
  l.say("\"The\" and \"the\" are different tokens with rows of their own.");
  l.say("On the page the code has lost its line ends, and a comment swallows the closing bracket.");
}

void draw_weights(Narrator& l, const Settings& s, Projected& p) {
  const int64_t d_in = s.inputs.size(1), d_out = s.count("--d-out");
  l.step("projection-weights", kProjections, "Three matrices, drawn at random");
  l.code(set_seed(s, "--seed"));
  l.code(
      "W_query = torch.nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)\n"
      "W_key = torch.nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)\n"
      "W_value = torch.nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)\n"
      "print(f\"Query weight matrix shape: {W_query}\")");
  manual_seed(s.seed("--seed"));
  p.W_query = nn::Parameter(rand({d_in, d_out}), false);
  p.W_key = nn::Parameter(rand({d_in, d_out}), false);
  p.W_value = nn::Parameter(rand({d_in, d_out}), false);
  l.own("W_query", p.W_query);
  l.own("W_key", p.W_key);
  l.own("W_value", p.W_value);
  l.print("W_query", p.W_query, "Query weight matrix shape:");
  l.print("W_key", p.W_key, "Key weight matrix shape:");
  l.print("W_value", p.W_value, "Value weight matrix shape:");
  l.say("Each matrix turns a token's {} numbers into {}; training would adjust them.", d_in, d_out);
  l.say("The labels promise a shape, but the code prints the matrix; the shape is {}.",
        to_string(p.W_query.shape()));
  const Tensor all = stack({p.W_query, p.W_key, p.W_value}, 0);
  l.say(
      "The text calls them small random values. torch.rand draws between 0 and 1: the smallest number here is "
      "{}, the largest {}{}.",
      digits(min(all)), digits(max(all)), any(all < 0).is_true() ? "" : ", none is negative");
}

void project(Narrator& l, const Settings& s, Projected& p) {
  l.step("queries-keys-values", kProjections, "Every token asks, is asked, and gives");
  l.formula("Q = X W_query,  K = X W_key,  V = X W_value",
            R"(Q = X W_q, \qquad K = X W_k, \qquad V = X W_v)");
  l.code(
      "queries = inputs @ W_query\nkeys = inputs @ W_key\nvalues = inputs @ W_value\n"
      "print(f\"Queries shape: {queries}\")");
  p.queries = l.print("queries", matmul(s.inputs, p.W_query), "Queries shape:");
  p.keys = l.print("keys", matmul(s.inputs, p.W_key), "Keys shape:");
  p.values = l.print("values", matmul(s.inputs, p.W_value), "Values shape:");
  l.say(
      "The query says what a token looks for, the key what it "
      "offers, the value what it hands over.");
  l.say("Again the labels say \"shape\" and numbers follow; each of the three is {}.",
        to_string(p.queries.shape()));
}

Tensor scores_of_one(Narrator& l, const Settings& s, const Projected& p) {
  l.step("products-2", kScores, "One query against every key, number by number");
  l.code("query_2 = queries[1]\nproducts = keys * query_2");
  const Tensor query_2 = l.show("query_2", p.queries[1]);
  const Tensor products = l.show("products", p.keys * query_2);
  l.say(
      "A dot product multiplies two vectors number by number and adds: row i holds the products of the query "
      "of {} with the key of token i.",
      in_quotes(s.tokens[1]));
  l.say("For {} itself: {} = {}.", in_quotes(s.tokens[1]), joined_digits(products[1], " + ", 4),
        digits(sum(products[1])));

  l.step("scores-2", kScores, "The scores of one query");
  l.code("attn_scores_2 = queries[1] @ keys.T");
  const Tensor attn_scores_2 = l.show("attn_scores_2", matmul(query_2, p.keys.T()));
  const size_t best = position_of_largest(attn_scores_2);
  const Tensor last = attn_scores_2[s.inputs.size(0) - 1];
  l.say("{} scores {} the highest, with {}: long vectors that point the same way score high.",
        in_quotes(s.tokens[1]), in_quotes(s.tokens[best]), digits(attn_scores_2[int64_t(best)]));
  l.say(
      "The text supposes that {} finds {} relevant. With these random weights that score, {}, is number {} of "
      "{}: only training would make it large.",
      in_quotes(s.tokens[1]), in_quotes(s.tokens.back()), digits(last),
      1 + sum(attn_scores_2 > last).item<int64_t>(), s.inputs.size(0));
  return attn_scores_2;
}

void reversed(Narrator& l, const Settings& s, const Projected& p, const Tensor& attn_scores_2) {
  l.step("scores-reversed", kScores, "The other way round: one key against every query");
  l.code("reversed_2 = queries @ keys[1]");
  const Tensor key_2 = l.show("key_2", p.keys[1]);
  const Tensor reversed_2 = l.show("reversed_2", matmul(p.queries, key_2));
  l.show("attn_scores_2", attn_scores_2);
  l.say(
      "The text takes the key of {0} with all queries and calls that how much {0} attends. It is how much the "
      "others attend to {0}.",
      in_quotes(s.tokens[1]));
  l.say(
      "The two differ by up to {}; only the second number, {} with itself, is shared. The formula that "
      "follows in the text, queries[1] with keys, is right.",
      digits(max(abs(reversed_2 - attn_scores_2))), in_quotes(s.tokens[1]));
}

void signed_scores(Narrator& l, const Settings& s, const Projected& p, const Tensor& attn_scores) {
  const auto negative = [](const Tensor& x) { return sum(x < 0).item<int64_t>(); };
  l.step("signed-scores", kScores, "Could a score be negative?");
  l.code("signed_scores = (inputs @ (W_query - 0.5)) @ (inputs @ (W_key - 0.5)).T");
  const Tensor queries = matmul(s.inputs, p.W_query - 0.5), keys = matmul(s.inputs, p.W_key - 0.5);
  const Tensor signed_scores = l.show("signed_scores", matmul(queries, keys.T()));
  l.say("The text speaks of positive and negative scores. {} of the {} in attn_scores are negative{}.",
        negative(attn_scores), attn_scores.numel(),
        negative(s.inputs) ? "" : ": inputs and weights have no minus sign to begin with");
  l.say("With 0.5 taken off every weight, so that both signs occur, {} of them are.",
        negative(signed_scores));
}

}  // namespace

Projected projections(Narrator& l, const Settings& s) {
  Projected p;
  tokens_as_rows(l, s);
  draw_weights(l, s, p);
  project(l, s, p);
  return p;
}

Tensor scores(Narrator& l, const Settings& s, const Projected& p) {
  const Tensor attn_scores_2 = scores_of_one(l, s, p);
  reversed(l, s, p, attn_scores_2);

  l.step("scores", kScores, "All scores: queries times keys transposed");
  l.formula("S = Q K^T", R"(S = Q K^\top)");
  l.code("attn_scores = queries @ keys.T\nprint(attn_scores)");
  const Tensor attn_scores = l.print("attn_scores", matmul(p.queries, p.keys.T()));
  l.say("Row i belongs to the query of token i, column j to the key of token j.");
  l.say(
      "Row 2 is what {} asks of the others, column 2 what the others ask of it; the matrix differs from its "
      "transpose by up to {}.",
      in_quotes(s.tokens[1]), digits(max(abs(attn_scores - attn_scores.T()))));
  signed_scores(l, s, p, attn_scores);
  return attn_scores;
}

}  // namespace glassgrad::learn::cat_parts
