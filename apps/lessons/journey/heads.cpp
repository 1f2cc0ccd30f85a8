// Sections 3.5.3 and 3.6: attention for batches, as a module, and with several heads.
#include <cmath>
#include <string>
#include <vector>

#include "apps/lesson/lesson.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/journey/journey.h"
#include "engine/literal.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn::journey_parts {
namespace {

constexpr const char* kCausal = "3.5.3";
constexpr const char* kWrapper = "3.6.1";
constexpr const char* kSplit = "3.6.2";

constexpr const char* kMaskAndScale =
    "attn_scores.masked_fill_(\n    self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)\n"
    "attn_scores / keys.shape[-1]**0.5";

// What the source prints of a module's result.
void print_context(Narrator& l, const Tensor& context_vecs) {
  l.code("print(context_vecs)\nprint(\"context_vecs.shape:\", context_vecs.shape)");
  l.loss("context_vecs", l.print("context_vecs", context_vecs));
  l.print_line("context_vecs.shape: " + size_repr(context_vecs.shape()));
}

// One projection for all heads, cut into pieces.
void split_projections(Narrator& l, const Settings& s) {
  const int64_t d_out = s.count("--d-out"), heads = s.count("--heads");
  l.step("split-projections", kSplit, "MultiHeadAttention: one projection for all heads");
  l.code("keys = self.W_key(x)\nqueries = self.W_query(x)\nvalues = self.W_value(x)");
  show_projections(l, {""});
  l.say(
      "Queries, keys and values take one matrix each for all heads, not one for every head. So d_out = {} is "
      "the width of all heads together here; in the wrapper it was that of each.",
      d_out);

  l.step("split-heads", kSplit, "MultiHeadAttention: cut each row into heads");
  l.code("keys = keys.view(b, num_tokens, self.num_heads, self.head_dim)");
  const Tensor keys = l.show_next("keys");
  for (const char* name : {"queries", "values"}) l.show_next(name);
  l.say("The last dimension, {}, becomes {} of head_dim {}: the shape is {} now. No number moves.", d_out,
        counted(heads, "head"), d_out / heads, to_string(keys.shape()));

  l.step("split-transpose", kSplit, "MultiHeadAttention: heads in front of tokens");
  l.code("keys = keys.transpose(1, 2)");
  const Tensor in_front = l.show_next("keys");
  for (const char* name : {"queries", "values"}) l.show_next(name);
  l.say(
      "The shape is {}: (batch, heads, tokens, head_dim). Matrix products work on the last two dimensions, "
      "so each head is now a product of its own.",
      to_string(in_front.shape()));
  if (heads > 1)
    l.say(
        "A view straight to this shape would mix the tokens: it cuts rows in the order in which they lie in "
        "memory.");
}

void split_weights(Narrator& l, const Settings& s) {
  const int64_t head_dim = s.count("--d-out") / s.count("--heads");
  l.step("split-scores", kSplit, "MultiHeadAttention: scores of every head");
  l.code("attn_scores = queries @ keys.transpose(2, 3)");
  const Tensor attn_scores = l.show_next("attn_scores");
  l.say("The shape is {}: for every sentence and every head a matrix of scores, tokens by tokens.",
        to_string(attn_scores.shape()));

  l.step("split-masked-scores", kSplit, "MultiHeadAttention: mask and scale");
  l.code(
      "mask_bool = self.mask.bool()[:num_tokens, :num_tokens]\nattn_scores.masked_fill_(mask_bool, "
      "-torch.inf)\nattn_scores / keys.shape[-1]**0.5");
  for (const char* name : {"mask", "mask_bool", "attn_scores", "scaled_scores"}) l.show_next(name);
  l.say(
      "There is one mask, and it is broadcast: every matrix of scores, whichever its sentence and head, "
      "gets its -inf in the same places.");
  if (head_dim == 1)
    l.say("Each head is 1 wide here, and the root of 1 is 1: the scaling changes nothing.");
  else
    l.say("The scores are divided by {}, the root of head_dim = {}: what counts is the width of one head.",
          digits(std::sqrt(double(head_dim))), head_dim);

  l.step("split-weights", kSplit, "MultiHeadAttention: weights of every head");
  l.code("attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)");
  const Tensor attn_weights = l.show_next("attn_weights");
  l.say("In every head each row is a softmax of its own. For {}, head 0 gives {} to {}.",
        in_quotes(s.tokens[1]), digits(attn_weights[0][0][1][0]), in_quotes(s.tokens[0]));
}

void split_output(Narrator& l, const Settings& s, const nn::journey::MultiHeadAttention& mha,
                  const Tensor& context_vecs) {
  l.step("split-context", kSplit, "MultiHeadAttention: heads side by side again");
  l.code("attn_weights = self.dropout(attn_weights)\ncontext_vec = (attn_weights @ values).transpose(1, 2)");
  l.show_next("attn_weights");
  l.skip_next("context_vec");
  l.show_next("context_vec");
  l.say(
      "Dropout with rate 0.0 changes nothing, so these are the weights of the step before. The heads' "
      "results go back behind the tokens: (batch, tokens, heads, head_dim).");

  l.step("split-combined", kSplit, "MultiHeadAttention: one row per token");
  l.code("context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)");
  const Tensor combined = l.show_next("context_vec");
  l.say("The shape is {}: each row holds the pieces of all heads, one after the other.",
        to_string(combined.shape()));
  if (s.count("--heads") > 1)
    l.say("contiguous() copies, because view cannot join what transpose has pulled apart in memory.");

  l.step("split-attention", kSplit, "MultiHeadAttention: what comes out");
  l.formula("out = [Z_1 Z_2 ...] W_out^T + b_out",
            R"(\mathrm{out} = [Z_1 \; Z_2 \; \cdots \; Z_h]\, W_{out}^\top + b_{out})");
  l.code("context_vec = self.out_proj(context_vec)");
  l.show_next("out_proj.weight");
  l.show_next("out_proj.bias");
  l.show_next("context_vec");
  const int64_t d_out = mha.out_proj.weight.size(1), heads = s.count("--heads");
  l.say("A last Linear layer, with a bias, {}: {} in, {} out for each token.",
        heads > 1 ? "mixes what the heads have found" : "follows", counted(d_out, "number"),
        context_vecs.size(2));
  if (heads > 1 && s.weights.empty())
    l.say(
        "Seed and shapes are those of heads.0 in the wrapper, and so are the first three matrices; but here "
        "the {} heads share them, and out_proj is new. The wrapper's rows are num_heads * d_out = {} wide, these "
        "d_out = {}.",
        heads, heads * d_out, d_out);
  else if (heads == 1 && s.weights.empty())
    l.say("With one head, all before out_proj is what the wrapper has computed.");
  print_context(l, context_vecs);
}

// Products of 4-d tensors are products of matrices, one for each head.
void batched_product(Narrator& l) {
  l.step("batched-product", kSplit, "What @ does with four dimensions");
  l.code("print(a @ a.transpose(2, 3))");
  const Tensor a = tensor({{{{0.2745, 0.6584, 0.2775, 0.8573},
                             {0.8993, 0.0390, 0.9268, 0.7388},
                             {0.7179, 0.7058, 0.9156, 0.4340}},
                            {{0.0772, 0.3565, 0.1479, 0.5331},
                             {0.4066, 0.2318, 0.4545, 0.9737},
                             {0.4606, 0.5159, 0.4220, 0.5786}}}});
  l.show("a", a);
  const Tensor transposed = l.show("a.transpose", a.transpose(2, 3));
  const Tensor product = l.print("product", matmul(a, transposed));
  l.say(
      "a is {}: 1 sentence, 2 heads, 3 tokens, head_dim 4. The product is taken between the last two "
      "dimensions and repeated for the others.",
      to_string(a.shape()));

  l.step("product-per-head", kSplit, "The same, one head at a time");
  l.code(
      "first_head = a[0, 0, :, :]\nfirst_res = first_head @ first_head.T\nsecond_head = a[0, 1, :, :]\n"
      "second_res = second_head @ second_head.T");
  const Tensor first_head = l.show("first_head", a[0][0]), second_head = l.show("second_head", a[0][1]);
  const Tensor first_res = l.print("first_res", matmul(first_head, first_head.T()), "First head:\n");
  const Tensor second_res = l.print("second_res", matmul(second_head, second_head.T()), "\nSecond head:\n");
  l.say("Each head by itself gives its part of the 4-d product; the largest difference is {}.",
        largest_difference(stack({first_res, second_res}, 0), product));
}

}  // namespace

void causal_class(Narrator& l, const Settings& s, const Tensor& batch) {
  l.step("batch", kCausal, "Two sentences at once");
  l.code("batch = torch.stack((inputs, inputs), dim=0)\nprint(batch.shape)");
  l.show("batch", batch);
  l.print_line(size_repr(batch.shape()));
  l.say("The same sentence twice stands for a batch; the shape says (batch, tokens, features).");

  manual_seed(s.seed("--seed"));
  const nn::journey::CausalAttention ca(batch.size(2), s.count("--d-out"), batch.size(1), 0.0);
  l.own("ca", ca);
  const Tensor context_vecs = l.call([&] { return ca(batch); });

  l.step("causal-projections", kCausal, "CausalAttention: the projections");
  l.code("keys = self.W_key(x)\nqueries = self.W_query(x)\nvalues = self.W_value(x)");
  show_projections(l, {""});
  l.say(
      "One set of weights serves all sentences. The two sentences are the same here, so all that is made from "
      "them appears twice.");

  l.step("causal-scores", kCausal, "CausalAttention: the scores");
  l.code("attn_scores = queries @ keys.transpose(1, 2)");
  l.show_next("attn_scores");
  l.say(
      "transpose(1, 2) swaps tokens and features and leaves the batch in front; .T would have reversed all "
      "three.");

  l.step("causal-masked-scores", kCausal, "CausalAttention: mask and scale");
  l.code(kMaskAndScale);
  for (const char* name : {"mask", "mask_bool", "attn_scores", "scaled_scores"}) l.show_next(name);
  l.say(
      "The underscore says: in place. The scores of the step before are overwritten, which is safe because "
      "the product that made them does not need them to pass its gradient back.");
  l.say(
      "The mask is cut to the number of tokens: shorter sentences than context_length = {} work, longer ones "
      "do not.",
      batch.size(1));

  l.step("causal-weights", kCausal, "CausalAttention: the weights");
  l.code("attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)");
  l.show_next("attn_weights");
  l.say("The last token, {}, may see every token: the mask has taken nothing from its row.",
        in_quotes(s.tokens.back()));

  l.step("causal-attention", kCausal, "CausalAttention: what comes out");
  l.code("attn_weights = self.dropout(attn_weights)\ncontext_vec = attn_weights @ values");
  l.show_next("attn_weights");
  l.show_next("context_vec");
  l.say("Dropout with rate 0.0 changes nothing.");
  l.say(
      "PyTorch multiplies 3-d tensors as a stack of matrices and gives the result its shape at the end; "
      "grad_fn names that last op.");
  print_context(l, context_vecs);
}

void multi_head(Narrator& l, const Settings& s, const Tensor& batch) {
  const int64_t d_in = batch.size(2), context_length = batch.size(1);
  const int64_t d_out = s.count("--d-out"), heads = s.count("--heads");
  Parts parts;
  for (int64_t h = 0; h < heads; ++h) parts.push_back(fmt::format("heads.{}.", h));
  {
    manual_seed(s.seed("--seed"));
    const nn::journey::MultiHeadAttentionWrapper mha(d_in, d_out, context_length, 0.0, heads);
    l.own("wrapper", mha);
    const Tensor context_vecs = l.call([&] { return mha(batch); });

    l.step("wrapper-projections", kWrapper, "MultiHeadAttentionWrapper: weights for each head");
    l.code("self.heads = nn.ModuleList([CausalAttention(...) for _ in range(num_heads)])");
    show_projections(l, parts);
    l.say(
        "num_heads = {}: {}. The seed is set once, before all heads, so heads.0 draws what "
        "CausalAttention alone has drawn{}.",
        heads, heads > 1 ? "as many CausalAttention modules side by side" : "a single CausalAttention module",
        heads > 1 ? " and the others draw on from there" : "");

    l.step("wrapper-scores", kWrapper, "MultiHeadAttentionWrapper: the scores of each head");
    l.code("attn_scores = queries @ keys.transpose(1, 2)");
    show_parts(l, parts, {"attn_scores"});
    if (heads > 1)
      l.say("Every head has its own weights and so its own scores: each can look for something else.");
    else
      l.say("A single head has the scores that one CausalAttention has.");

    l.step("wrapper-masked-scores", kWrapper, "MultiHeadAttentionWrapper: masked and scaled");
    l.code(kMaskAndScale);
    show_parts(l, parts, {"mask", "mask_bool", "attn_scores", "scaled_scores"});
    l.say("Every head keeps a mask of its own, {0} x {0} numbers{1}.", context_length,
          heads > 1 ? ", though all masks are the same" : "");

    l.step("wrapper-weights", kWrapper, "MultiHeadAttentionWrapper: the weights of each head");
    l.code("attn_weights = torch.softmax(attn_scores / keys.shape[-1]**0.5, dim=-1)");
    show_parts(l, parts, {"attn_weights"});
    l.say("One matrix of weights for each head and sentence.");

    l.step("wrapper", kWrapper, "MultiHeadAttentionWrapper: heads joined");
    l.formula("Z = [Z_1 Z_2 ...], one Z_h for each head", R"(Z = [Z_1 \; Z_2 \; \cdots \; Z_h])");
    l.code("return torch.cat([head(x) for head in self.heads], dim=-1)");
    show_parts(l, parts, {"attn_weights", "context_vec"});
    l.say(
        "d_out = {0} is the width of one head here, so a token's row has num_heads * d_out = {1} * {0} = "
        "{2}.",
        d_out, heads, counted(heads * d_out, "number"));
    print_context(l, context_vecs);
  }
  manual_seed(s.seed("--seed"));
  const nn::journey::MultiHeadAttention mha(d_in, d_out, context_length, 0.0, heads);
  l.own("mha", mha);
  const Tensor context_vecs = l.call([&] { return mha(batch); });
  split_projections(l, s);
  split_weights(l, s);
  split_output(l, s, mha, context_vecs);
  batched_product(l);
}

}  // namespace glassgrad::learn::journey_parts
