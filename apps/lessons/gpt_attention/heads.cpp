// Sections 4.1 and 4.2: MultiHeadAttention, small enough to be read, and the order of its arguments.
#include <cmath>

#include "apps/lesson/lesson.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/gpt_attention/gpt_attention.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn::gpt_attention_parts {
namespace {

constexpr const char* kHeads = "4.1";
constexpr const char* kArguments = "4.2";
constexpr int64_t kSmallWidth = 4, kSmallHeads = 2;

using nn::gpt_attention::MultiHeadAttention;

void made_of(Narrator& l, const Settings& s, const MultiHeadAttention& small) {
  const int64_t d_in = s.inputs.size(1), head_dim = kSmallWidth / kSmallHeads;
  l.step("heads-module", kHeads, "MultiHeadAttention: split what?");
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format(
      "small = MultiHeadAttention(d_in, d_out={}, num_heads={}, context_length=batch.shape[1], dropout=0.0)",
      kSmallWidth, kSmallHeads));
  show_parts(
      l, {""},
      {"W_query.weight", "W_query.bias", "W_key.weight", "W_key.bias", "W_value.weight", "W_value.bias"});
  const Tensor keys = l.show_next("keys"), queries = l.show_next("queries");
  l.show_next("values");
  const Tensor rows = small.W_query.weight.slice(0, 0, head_dim);
  const Tensor one_head =
      l.show("one_head", (matmul(s.inputs, rows.T()) + small.W_query.bias.slice(0, 0, head_dim)).detach());
  l.say(
      "The source runs this class only in GPT-2's size; here it is with {} heads for {} numbers, so that one can "
      "look inside.",
      kSmallHeads, kSmallWidth);
  l.say(
      "The text says that the input embeddings are split among the heads. The code splits the projections: "
      "every head reads all {} of a token. Head 0 owns the first {} rows of W_query, {}; what they give, one_head, "
      "differs from the first {} columns of queries by {}.",
      counted(d_in, "number"), head_dim, to_string(rows.shape()), head_dim,
      largest_difference(one_head, queries[0].slice(1, 0, head_dim)));
  if (d_in % kSmallHeads != 0)
    l.say("Embeddings of {} could not even be split in {}.", counted(d_in, "number"), kSmallHeads);
  l.say("keys, queries and values are {}, and every layer has a bias, unlike in CausalAttention.",
        to_string(keys.shape()));
}

void cut(Narrator& l) {
  l.step("heads-cut", kHeads, "MultiHeadAttention: cut each row into heads");
  l.code("keys = keys.view(batch_size, num_tokens, self.num_heads, self.head_dim)");
  const Tensor keys = l.show_next("keys");
  for (const char* name : {"queries", "values"}) l.show_next(name);
  l.say("{} numbers become {} heads of head_dim = {} // {} = {}: {}. Nothing moves in memory.", kSmallWidth,
        kSmallHeads, kSmallWidth, kSmallHeads, keys.size(3), to_string(keys.shape()));

  l.step("heads-in-front", kHeads, "MultiHeadAttention: heads in front of tokens");
  l.code("keys = keys.transpose(1, 2)");
  const Tensor in_front = l.show_next("keys");
  for (const char* name : {"queries", "values"}) l.show_next(name);
  l.say("Now {}: (batch, heads, tokens, head_dim). @ works on the last two, so each head is on its own.",
        to_string(in_front.shape()));
}

void weights(Narrator& l, const Settings& s) {
  l.step("heads-weights", kHeads, "MultiHeadAttention: weights of all heads at once");
  l.code(
      "attn_scores = queries @ keys.transpose(2, 3)\nmask_bool = self.mask.bool()[:num_tokens, :num_tokens]\n"
      "attn_scores.masked_fill_(mask_bool, -torch.inf)\n"
      "attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)\n"
      "attn_weights = self.dropout(attn_weights)");
  l.formula(
      "A_h = softmax(mask(Q_h K_h^T) / sqrt(head_dim))",
      R"(A_h = \mathrm{softmax}\left(\frac{\mathrm{mask}(Q_h K_h^\top)}{\sqrt{d_\mathrm{head}}}\right))");
  const Tensor attn_scores = l.show_next("attn_scores");
  for (const char* name : {"mask", "mask_bool"}) l.show_next(name);
  l.show_next("attn_scores", "masked_scores");
  l.show_next("scaled_scores");
  const Tensor attn_weights = l.show_next("attn_weights");
  l.skip_next("attn_weights");
  l.say("{}: one product gives a table for each head of each sentence, and one mask serves them all.",
        to_string(attn_scores.shape()));
  l.say("The divisor is the root of head_dim = {}, {}: what counts is the width of one head.",
        kSmallWidth / kSmallHeads, digits(std::sqrt(double(kSmallWidth / kSmallHeads))));
  l.say(
      "For {} head 0 gives {} to {}, head 1 gives {}: heads can look at different things. Dropout with rate 0.0 "
      "leaves the weights alone.",
      in_quotes(s.tokens[1]), digits(attn_weights[0][0][1][0]), in_quotes(s.tokens[0]),
      digits(attn_weights[0][1][1][0]));
}

void combined(Narrator& l, const Settings& s, const Tensor& context_vecs) {
  const int64_t d_in = s.inputs.size(1);
  l.step("heads-context", kHeads, "MultiHeadAttention: a context for each head");
  l.code("context_vec = attn_weights @ values");
  const Tensor per_head = l.show_next("context_vec");
  l.say("{}: each head sums its own values with its own weights.", to_string(per_head.shape()));

  l.step("heads-combined", kHeads, "MultiHeadAttention: heads side by side");
  l.code(
      "transposed = context_vec.transpose(1, 2)\n"
      "context_vec = transposed.contiguous().view(batch_size, num_tokens, -1)");
  const Tensor behind = l.show_next("context_vec", "transposed");
  const Tensor row = l.show_next("context_vec");
  l.say("Back behind the tokens, {}, and joined: {}. The -1 lets view work out the width.",
        to_string(behind.shape()), to_string(row.shape()));
  l.say(
      "The text says that this width is that of the input embeddings. It is d_out = {}; the inputs have d_in = "
      "{}{}.",
      row.size(2), d_in, d_in == row.size(2) ? ", which happens to be the same here" : "");

  l.step("heads-output", kHeads, "MultiHeadAttention: mix the heads");
  l.code("context_vec = self.out_proj(context_vec)");
  l.formula("Z = [A_1 V_1, ..., A_h V_h] W_out^T + b_out",
            R"(Z = [A_1 V_1, \dots, A_h V_h]\, W_\mathrm{out}^\top + b_\mathrm{out})");
  l.show_next("out_proj.weight");
  l.show_next("out_proj.bias");
  l.skip_next("context_vec");
  l.show("context_vecs", context_vecs);
  l.say("Up to here each head kept to its own columns. out_proj takes all {} and gives {} new ones.",
        row.size(2), context_vecs.size(2));
}

// What becomes of MultiHeadAttention(d_out, d_out, first, second, rate) when it gets `tokens` tokens.
std::string outcome(int64_t d_out, int64_t first, int64_t second, int64_t tokens, double rate = 0) {
  try {
    const NoGrad off;
    const MultiHeadAttention mha(d_out, d_out, first, second, rate);
    const Tensor y = mha(rand({1, tokens, d_out}));
    return fmt::format("no error: {} heads, a mask of {}, a result of {}", first, to_string(mha.mask.shape()),
                       to_string(y.shape()));
  } catch (const Error& e) {
    return fmt::format("{}: {}", e.kind(), e.what());
  }
}

// The same layers on the same tokens.
Tensor attended(const Settings& s, int64_t num_heads, int64_t context_length, const Tensor& x) {
  const NoGrad off;
  manual_seed(s.seed("--seed"));
  const MultiHeadAttention mha(x.size(2), x.size(2), num_heads, context_length, 0.0);
  return mha(x);
}

}  // namespace

void multi_head_class(Narrator& l, const Settings& s, const Tensor& batch) {
  manual_seed(s.seed("--seed"));
  const MultiHeadAttention small(batch.size(2), kSmallWidth, kSmallHeads, batch.size(1), 0.0);
  l.own("small", small);
  const Tensor context_vecs = l.call([&] { return small(batch); });
  made_of(l, s, small);
  cut(l);
  weights(l, s);
  combined(l, s, context_vecs);
}

void argument_order(Narrator& l, const Settings& s) {
  const int64_t width = s.count("--width"), heads = s.count("--heads"), context = s.count("--context");
  l.step("argument-order", kArguments, "MultiHeadAttention: whose order of arguments?");
  l.code(
      "MultiHeadAttention(d_in, d_out, num_heads, context_length, dropout)  # this source\n"
      "MultiHeadAttention(d_in, d_out, context_length, dropout, num_heads)  # others");
  manual_seed(s.seed("--seed"));
  const Tensor x = rand({1, 2, 8});
  const Tensor y_right = l.show("y_right", attended(s, 4, 2, x));
  const Tensor y_swapped = l.show("y_swapped", attended(s, 2, 4, x));
  l.say(
      "Other sources have the same class with another order. Called by position, numbers land in the wrong "
      "place. What happens then, tried here:");
  const std::string others = outcome(8, 4, 0, 4, 2);
  l.say(
      "The others' call for 4 tokens, (8, 8, 4, 0.0, 2), ends in a {}: 2 heads have become a rate of dropout.",
      others.substr(0, others.find(':')));
  l.say("num_heads and context_length swapped, for 2 heads and 4 tokens, (8, 8, 4, 2, 0.0): {}.",
        outcome(8, 4, 2, 4));
  l.say("The same for 4 heads and 2 tokens, (8, 8, 2, 4, 0.0): {}.", outcome(8, 2, 4, 2));
  l.say(
      "The last one is the worst: the shape is right, the numbers are not. y_right and y_swapped have the same "
      "layers and tokens and differ by up to {}.",
      largest_difference(y_right, y_swapped));
  if (width % context != 0)
    l.say("In the size of the next steps, ({0}, {0}, {1}, {2}, 0.0), the check saves you: {3}.", width,
          context, heads, outcome(width, context, heads, context));
  l.say("Write the names: MultiHeadAttention(..., num_heads={}, context_length={}, dropout=0.0).", heads,
        context);
}

}  // namespace glassgrad::learn::gpt_attention_parts
