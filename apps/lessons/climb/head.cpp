// Sections 5.1 to 5.4: queries, keys and values, the score of a pair, the table of scores, its mask and its
// weights.
#include <cmath>

#include "apps/lesson/dot_products.h"
#include "apps/lesson/lesson.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/climb/climb.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn::climb_parts {
namespace {

constexpr const char* kInputs = "5.1";
constexpr const char* kProjections = "5.2";
constexpr const char* kScores = "5.3";
constexpr const char* kWeights = "5.4";
using nn::kMinusInfinity;

double scale_of(const Settings& s) { return std::pow(double(s.count("--head-size")), -0.5); }

void input_matrix(Narrator& l, const Settings& s, const SingleSelfAttentionHead& head) {
  l.step("input-matrix", kInputs, "The embeddings as a matrix");
  l.formula("X = [x_1; x_2; ...; x_T], one row for each token",
            R"(X = \begin{bmatrix} x_1 \\ x_2 \\ \vdots \\ x_T \end{bmatrix})");
  l.code("X = x[0]\nX.T @ W_q");
  const Tensor X = l.show("X", s.inputs[0]);
  l.say("A token is an embedding by now; {} of them make X, {}.", X.size(0), to_string(X.shape()));
  l.say("The page writes the embeddings side by side, as columns. For X W they have to be rows.");
  try {
    matmul(X.T(), head.W_query.weight.T());
    l.say("Here both fit, as there are as many tokens as numbers in each: the result would be another one.");
  } catch (const Error& error) {
    l.say("As columns they give {}: {}.", error.kind(), error.what());
  }
}

void module(Narrator& l, const Settings& s, const SingleSelfAttentionHead& head) {
  const int64_t tokens = s.inputs.size(1), width = s.inputs.size(2), head_size = s.count("--head-size");
  l.step("head-module", kProjections, "SingleSelfAttentionHead: what it is made of");
  l.code(fmt::format("head = SingleSelfAttentionHead({}, {}, {})\nprint(head)", tokens, width, head_size));
  l.print_line(head.repr());
  l.say("Three Linear layers without bias, {}, and a mask of {} x {} as a buffer.",
        counted(3 * width * head_size, "weight"), tokens, tokens);
  l.say(
      "They are drawn in the order in which they are made: key, query, value. A class that makes the query first gets "
      "other matrices from the same seed.");
  l.say("There is no dropout in this head and no projection behind it.");
}

void pair_score(Narrator& l, const Settings& s, const Projected& p) {
  const int64_t i = asker(s);
  l.step("pair-score", kScores,
         fmt::format("How much should {} look at {}?", s.tokens[size_t(i)], s.tokens[0]));
  l.formula("score(i, j) = q_i . k_j / sqrt(head_size)",
            R"(\mathrm{score}(i, j) = \frac{q_i \cdot k_j}{\sqrt{\mathrm{head\_size}}})");
  l.code(fmt::format("query, key = query_vector[0, {}], key_vector[0, 0]\nproducts = query * key", i));
  l.code("score = products.sum()\nscaled = score * head_size**-0.5");
  const Tensor query = l.show("query", p.queries[0][i]), key = l.show("key", p.keys[0][0]);
  const Tensor products = l.show("products", query * key);
  const Tensor score = l.show("score", sum(products));
  const Tensor scaled = l.show("scaled", score * scale_of(s));
  l.say("The query of {} and the key of {} are multiplied number by number and added: {} = {}.",
        in_quotes(s.tokens[size_t(i)]), in_quotes(s.tokens[0]), joined_digits(products, " + ", 4),
        digits(score));
  l.say("Times head_size**-0.5, which is {} here, the score is {}.", digits(scale_of(s)), digits(scaled));
}

void variance(Narrator& l) {
  constexpr int64_t kSizes[] = {1, 4, 16, 64, 256};
  const DotProductVariances variances = dot_product_variances(kSizes);
  l.step("dot-product-variance", kScores, "Why the score is scaled");
  l.formula(
      "var(q . k) = head_size,  var(q . k / sqrt(head_size)) = 1",
      R"(\mathrm{Var}(q \cdot k) = \mathrm{head\_size}, \qquad \mathrm{Var}\left(\frac{q \cdot k}{\sqrt{\mathrm{head\_size}}}\right) = 1)");
  l.code(
      "q, k = torch.randn(2000, head_size), torch.randn(2000, head_size)\nvariance = (q * k).sum(dim=-1).var()");
  const Tensor variance = l.show("variance", variances.raw);
  const Tensor scaled_variance = l.show("scaled_variance", variances.scaled);
  const Tensor spread = l.show("spread", sqrt(variance[2]));
  l.say(
      "The numbers of the page's example are lost; here are others. All numbers in q and k have variance 1. Over 2000 "
      "pairs the head sizes 1, 4, 16, 64 and 256 give dot products with variance {}.",
      joined_digits(variance, ", "));
  l.say("At 16 it is {}, after scaling {}: every head size then gives about 1.", digits(variance[2]),
        digits(scaled_variance[2]));
  l.say(
      "The text says that the dot product is of the order of the head size. That is its variance; a typical value is "
      "the root of it, {} at 16, and that is why the root is divided by.",
      digits(spread));
}

Tensor all_scores(Narrator& l, const Settings& s) {
  const int64_t i = asker(s);
  l.step("scores", kScores, "The scores of all pairs");
  l.formula("S = Q K^T", R"(S = Q K^\top)");
  l.code("attention_weights = query_vector @ key_vector.transpose(-2, -1)");
  const Tensor raw = l.show_next("attn_scores", "attention_weights");
  l.say(
      "A row for each query, a column for each key: (chunk_size, chunk_size) in each chunk. {} is row {}, column 1 of "
      "the first.",
      digits(raw[0][i][0]), i + 1);
  return raw;
}

Tensor scaled(Narrator& l, const Settings& s, const Tensor& raw) {
  l.step("scaled-scores", kScores, "Scaled, and called weights too early");
  l.formula("S = Q K^T / sqrt(head_size)", R"(S = \frac{Q K^\top}{\sqrt{\mathrm{head\_size}}})");
  l.code("attention_weights = attention_weights * (self.head_size**-0.5)");
  const Tensor scores = l.show_next("scaled_scores", "attention_weights");
  const Tensor row_sums = l.show("row_sums", sum(scores, {-1}));
  const Tensor raw_last = raw[0][s.inputs.size(1) - 1], last = scores[0][s.inputs.size(1) - 1];
  l.say(
      "The text calls the scaled product the attention weight, and so does the code: one name for everything from here "
      "to the softmax. Elsewhere this is a score; a weight is what comes after softmax.");
  l.say("{} of the {} numbers are negative, and the rows of the first chunk add to {}: no shares yet.",
        sum(scores < 0).item<int64_t>(), scores.numel(), joined_digits(row_sums[0], ", ", 4));

  l.step("raw-against-scaled", kScores, "One row through softmax, raw and scaled");
  l.code("torch.stack([torch.softmax(raw[0, -1], dim=-1), torch.softmax(scaled[0, -1], dim=-1)])");
  const Tensor pair = l.show("raw_against_scaled", softmax(stack({raw_last, last}, 0), -1));
  l.say("The scores of {}, the last token, which may look at all: above as they are, below scaled.",
        in_quotes(s.tokens.back()));
  l.say("The largest weight is {} above and {} below. {}", digits(max(pair[0])), digits(max(pair[1])),
        scale_of(s) == 1 ? "With head_size 1 there is nothing to scale."
                         : "Scores that lie closer together give weights that do.");
  return scores;
}

Tensor masked(Narrator& l, const Settings& s, const Tensor& raw, const Tensor& scores) {
  l.step("masked-scores", kWeights, "The future gets -inf");
  l.formula("S_ij = -inf for j > i", R"(S_{ij} = -\infty \text{ for } j > i)");
  l.code(
      "mask = self.causal_mask == 0\nattention_weights = attention_weights.masked_fill(mask, -float('inf'))");
  l.show_next("causal_mask");
  const Tensor mask = l.show_next("mask_bool", "mask");
  const Tensor masked = l.show_next("scaled_scores", "attention_weights");
  l.say(
      "Here the scale comes before the mask. After it would do as well, as -inf times {} is -inf: the two differ by {}.",
      digits(scale_of(s)), largest_difference(masked_fill(raw, mask, kMinusInfinity) * scale_of(s), masked));
  if (s.inputs.size(1) < 2) return masked;

  const Tensor zero_filled = softmax(masked_fill(scores, mask, 0.0), -1);
  l.step("zero-instead-of-inf", kWeights, "The trap: masking scores to 0");
  l.code("zero_filled = F.softmax(scaled.masked_fill(mask, 0.0), dim=-1)");
  l.show("zero_filled", zero_filled);
  l.say(
      "The text says that the upper triangle is masked to 0 and softmax comes after that; the code fills in -inf.");
  l.say("With 0 the first row would be {}: exp(0) is 1, and {} goes to tokens that {} must not see.",
        joined_digits(zero_filled[0][0], ", ", 4), digits(sum(zero_filled[0][0].slice(0, 1, {}))),
        in_quotes(s.tokens[0]));
  l.say("Zeros are right for weights, as in step causal-mask; for scores it takes -inf.");
  return masked;
}

}  // namespace

Projected projections(Narrator& l, const Settings& s, const SingleSelfAttentionHead& head) {
  input_matrix(l, s, head);
  module(l, s, head);
  l.step("projections", kProjections, "Every token asks, is asked, and gives");
  l.formula("Q = X W^Q,  K = X W^K,  V = X W^V", R"(Q = X W^Q, \qquad K = X W^K, \qquad V = X W^V)");
  l.code("key_vector = self.key(x)\nquery_vector = self.query(x)\nvalue_vector = self.value(x)");
  show_parts(l, {""}, {"key.weight", "query.weight", "value.weight"});
  Projected p;
  p.keys = l.show_next("keys", "key_vector");
  p.queries = l.show_next("queries", "query_vector");
  p.values = l.show_next("values", "value_vector");
  l.say("Query: what a token looks for. Key: what it can be found by. Value: what it hands over.");
  l.say("head_size is the length of all three: {} become {} for each token. The rows of one chunk are {}.",
        counted(s.inputs.size(2), "number"), s.count("--head-size"), to_string(p.keys[0].shape()));
  l.say("Linear keeps its matrix turned round, (head_size, token_emb_dim), and computes x W^T.");
  l.say("The class makes the values after the softmax; it makes no difference to the numbers.");
  return p;
}

Tensor scores(Narrator& l, const Settings& s, const Projected& p) {
  pair_score(l, s, p);
  variance(l);
  const Tensor raw = all_scores(l, s);
  const Tensor scores = scaled(l, s, raw);
  masked(l, s, raw, scores);
  return scores;
}

void weights(Narrator& l, const Settings& s, const Tensor& scaled_scores) {
  const int64_t i = asker(s);
  l.step("weights", kWeights, "Scores become weights");
  l.formula("A = softmax(S), row by row", R"(A_{ij} = \frac{e^{S_{ij}}}{\sum_{k \le i} e^{S_{ik}}})");
  l.code("attention_weights = F.softmax(attention_weights, dim=-1)");
  const Tensor a = l.show_next("attn_weights", "attention_weights");
  const Tensor row_sums = l.show("row_sums", sum(a, {-1}));
  const Tensor row = a[0][i];
  const bool finite = all_finite(a);
  l.say("These are attention weights in everybody's sense{}.",
        finite ? ": none is negative, and the future gets 0" : "");
  l.say("How much {} takes from {}: its score was {}, its weight is {}.", in_quotes(s.tokens[size_t(i)]),
        in_quotes(s.tokens[0]), digits(scaled_scores[0][i][0]), digits(row[0]));
  if (finite)
    l.say("{} has only itself, with weight {}, whatever the score.", in_quotes(s.tokens[0]),
          digits(a[0][0][0]));
  l.say("The last token, {}, gives {}; the average gave {} to each.", in_quotes(s.tokens.back()),
        joined_digits(a[0][s.inputs.size(1) - 1], ", ", 4), digits(1 / double(s.inputs.size(1))));
  if (finite)
    l.say("Every row adds to 1, but for rounding: the sum furthest from it is off by {}.",
          largest_difference(row_sums, ones(row_sums.shape())));
}

}  // namespace glassgrad::learn::climb_parts
