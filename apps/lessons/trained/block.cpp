// Sections 2 and 3 of a trained model: the first block part by part, the others at a glance.
#include <fmt/format.h>

#include <cmath>

#include "apps/lesson/gpt_parts.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/trained/climb_model.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn::climb_parts {
namespace {

constexpr const char* kAttention = "2.1";
constexpr const char* kHeads = "2.2";
constexpr const char* kFeedForward = "2.3";
constexpr const char* kFurther = "3.1";

void norm_of(Narrator& l, const Reading& r, const char* name, const Tensor& x, BlockParts& block) {
  l.formula("normed = (x - mean) / sqrt(variance + eps) * weight + bias",
            R"(\mathrm{normed} = \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} \odot w + b)");
  l.code(fmt::format("normed = block.{}(x)", name));
  const Tensor average = l.show("mean", mean(x, {-1})), variance = l.show("variance", var(x, {-1}, 0));
  block.norm();
  l.say(
      "Each token's row is moved to mean 0 and stretched to variance 1; weight and bias, which are learned, then give "
      "every column a size and a place of its own.");
  l.say("The row of {} had mean {} and variance {}.", r.last(), digits(r.last_row(average)),
        digits(r.last_row(variance)));
}

BlockParts::Heads projections(Narrator& l, const Reading& r, BlockParts& block) {
  const int64_t heads = r.config().heads, width = r.config().width;
  l.step("projections", kHeads, "Queries, keys and values, for each head");
  l.formula("Q = X W^Q,  K = X W^K,  V = X W^V", R"(Q = X W^Q, \qquad K = X W^K, \qquad V = X W^V)");
  l.code(
      "queries, keys, values = block.att.W_query(normed), block.att.W_key(normed), block.att.W_value(normed)\n"
      "queries = queries.view(b, num_tokens, num_heads, head_dim).transpose(1, 2)  # and so the others");
  const BlockParts::Heads parts = block.heads();
  l.say("Every token asks with its query, is found by its key, and hands over its value.");
  if (heads > 1)
    l.say("The {} numbers of a row are cut into {} pieces of {}, one for each head: they work side by side.",
          width, heads, width / heads);
  else
    l.say("The model has one head, which takes all {}.", counted(width, "number"));
  return parts;
}

Tensor scores(Narrator& l, const Reading& r, BlockParts& block, const BlockParts::Heads& parts) {
  l.step("scores", kHeads, "How well does each query meet each key?");
  l.formula("S = Q K^T", R"(S = Q K^\top)");
  l.code("attn_scores = queries @ keys.transpose(2, 3)");
  const Tensor scores = block.scores();
  const Tensor products = parts.queries[0][0].select(0, -1) * parts.keys[0][0][0];
  l.say("A table for each head: a row for each token that asks, a column for each that is asked.");
  l.say("In head 0 the query of {} times the key of {} is {} = {}.", r.last(), in_quotes(r.names[0]),
        joined_digits(products, " + ", 4), digits(scores[0][0].select(0, -1)[0]));
  return scores;
}

void masked_and_scaled(Narrator& l, const Reading& r, BlockParts& block, const Tensor& scores) {
  const int64_t tokens = std::ssize(r.names), head_dim = r.config().width / r.config().heads;
  const double root = std::pow(double(head_dim), 0.5);
  l.step("masked-scores", kHeads, "No token sees a later one");
  l.formula("S_ij = -inf for j > i", R"(S_{ij} = -\infty \text{ for } j > i)");
  l.code("attn_scores = attn_scores.masked_fill(mask_bool, -torch.inf)");
  const Tensor masked = block.masked_scores();
  l.say(
      "The model must guess the next token, so it must not look ahead: {} of the {} scores of a head become -inf.",
      tokens * (tokens - 1) / 2, tokens * tokens);

  l.step("scaled-scores", kHeads, "Divided by the root of head_dim");
  l.formula("S / sqrt(head_dim)", R"(\frac{S}{\sqrt{\mathrm{head\_dim}}})");
  l.code("scaled_scores = attn_scores * (1 / keys.shape[-1]**0.5)");
  const Tensor scaled = block.scaled_scores();
  l.say("The more numbers a query has, the larger its products grow; the root of {}, {}, takes that back.",
        head_dim, digits(root));
  l.say("-inf stays -inf: to scale first and mask afterwards gives the same, the largest difference is {}.",
        largest_difference(masked_fill(scores * (1 / root), isinf(masked), nn::kMinusInfinity), scaled));
}

Tensor weights(Narrator& l, const Reading& r, BlockParts& block) {
  l.step("weights", kHeads, "What each token looks at");
  l.formula("A = softmax(S), row by row", R"(A_{ij} = \frac{e^{S_{ij}}}{\sum_{k \le i} e^{S_{ik}}})");
  l.code("attn_weights = torch.softmax(scaled_scores, dim=-1)");
  const Tensor a = block.weights();
  l.say("Softmax makes shares of each row; nobody has written these down: the training has found them.");
  l.say("What {} looks at most: {}.", r.last(), looks_of_last(r, a));
  l.say("That row of head 0 adds to {}.", digits(sum(a[0][0].select(0, -1))));
  return a;
}

// Gives what attention adds to x.
Tensor context(Narrator& l, const Reading& r, BlockParts& block, const Tensor& a, const Tensor& values) {
  l.step("context", kHeads, "The values, weighed and added");
  l.formula("C = A V", R"(C = A V)");
  l.code("context_vec = attn_weights @ values");
  const Tensor c = block.context();
  const Tensor shares = a[0][0].select(0, -1) * values[0][0].select(1, 0);
  l.say("In head 0 the first number of {} is the sum of weight times value over the tokens: {} = {}.",
        r.last(), joined_digits(shares, " + ", 4), digits(c[0][0].select(0, -1)[0]));

  l.step("combined", kHeads, "The heads side by side, and mixed");
  l.code(
      "combined = context_vec.transpose(1, 2).reshape(b, num_tokens, width)\nattended = block.att.out_proj(combined)");
  block.combined();
  const Tensor attended = block.attended();
  l.say("The pieces of {} make rows of {} again; out_proj lets each of its numbers draw on all of them.",
        counted(r.config().heads, "head"), r.config().width);
  return attended;
}

// x, and what a part adds to it.
void residual(Narrator& l, const Reading& r, const Tensor& x, const Tensor& added, const Tensor& sum) {
  l.say("The row of {} has the length {}; what is added has {}, the sum {}.", r.last(),
        digits(norm(r.last_row(x))), digits(norm(r.last_row(added))), digits(norm(r.last_row(sum))));
}

void feed_forward(Narrator& l, const Reading& r, BlockParts& block, const Tensor& x) {
  l.step("norm-again", kFeedForward, "Normalised once more");
  norm_of(l, r, "norm2", x, block);

  l.step("hidden", kFeedForward, "Each token by itself, four times as wide");
  l.code("hidden = block.ff.layers[0](normed)");
  const Tensor hidden = block.hidden();
  l.say("From here on no token looks at another. {} numbers become {}.", r.config().width, hidden.size(-1));

  const bool tanh_gelu = r.config().tanh_gelu;
  l.step("gelu", kFeedForward, "GELU: a bend in the line");
  if (tanh_gelu)
    l.formula(
        "GELU(x) = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))",
        R"(\mathrm{GELU}(x) = \tfrac{x}{2} \left(1 + \tanh\left(\sqrt{2/\pi}\,(x + 0.044715\,x^3)\right)\right))");
  else
    l.formula("GELU(x) = x/2 (1 + erf(x / sqrt(2)))",
              R"(\mathrm{GELU}(x) = \tfrac{x}{2} \left(1 + \mathrm{erf}(x / \sqrt{2})\right))");
  l.code(fmt::format("activated = torch.nn.functional.gelu(hidden{})",
                     tanh_gelu ? ", approximate=\"tanh\"" : ""));
  const Tensor activated = block.activated();
  const Tensor before = r.last_row(hidden), after = r.last_row(activated);
  const auto most = int64_t(position_of_largest(before)), least = int64_t(position_of_largest(before * -1));
  l.say(
      "Without it two matrices in a row would be no more than one. In the row of {}, {} of {} numbers are below 0.",
      r.last(), sum(before < 0).item<int64_t>(), before.numel());
  l.say("The largest, {}, becomes {}; the smallest, {}, becomes {}.", digits(before[most]),
        digits(after[most]), digits(before[least]), digits(after[least]));

  l.step("feed-forward", kFeedForward, "Back to the width, and added");
  l.code("fed = block.ff.layers[2](activated)\nx = x + fed");
  const Tensor fed = block.fed(), out = block.out();
  residual(l, r, x, fed, out);
  l.say("That is what the block gives: a row for each token, as it was given.");
}

}  // namespace

std::string looks_of_last(const Reading& r, const Tensor& weights) {
  std::vector<std::string> looks;
  for (int64_t head = 0; head < weights.size(1); ++head) {
    const Tensor row = weights[0][head].select(0, -1);
    const size_t most = position_of_largest(row);
    looks.push_back(fmt::format("{}{}, {}", weights.size(1) > 1 ? fmt::format("in head {} ", head) : "",
                                in_quotes(r.names[most]), digits(row[int64_t(most)])));
  }
  return joined(looks, "; ");
}

Tensor first_block(Narrator& l, const Reading& r) {
  BlockParts block(l, 0);
  const Tensor x = r.model.embed(r.ids);
  l.step("norm", kAttention, "The first block: every row on the same scale");
  norm_of(l, r, "norm1", x, block);
  const BlockParts::Heads parts = projections(l, r, block);
  const Tensor raw = scores(l, r, block, parts);
  masked_and_scaled(l, r, block, raw);
  const Tensor a = weights(l, r, block);
  const Tensor attended = context(l, r, block, a, parts.values);

  l.step("residual", kHeads, "Added to what was there");
  l.code("x = x + attended");
  const Tensor between = block.between();
  l.say("What the heads have read does not replace a token's row, it is added to it.");
  residual(l, r, x, attended, between);
  feed_forward(l, r, block, between);
  return a;
}

void further_blocks(Narrator& l, const Reading& r) {
  for (int64_t i = 1; i < r.config().layers; ++i) {
    l.step(fmt::format("block-{}", i).c_str(), kFurther,
           fmt::format("Block {}: the same again, with its own weights", i));
    l.code(fmt::format("x = model.trf_blocks[{}](x)", i));
    const auto [weights, out] = BlockParts(l, i).summary();
    l.say("It reads what block {} has given; the first block is number 0. What {} looks at most: {}.", i - 1,
          r.last(), looks_of_last(r, weights));
    l.say("The row of {} now has the length {}.", r.last(), digits(norm(r.last_row(out))));
  }
}

}  // namespace glassgrad::learn::climb_parts
