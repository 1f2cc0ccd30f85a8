// Sections 3.3 and 4: the classes, and what heads cost.
#include <cmath>

#include "apps/lesson/costs.h"
#include "apps/lesson/lesson.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/cat/cat.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn::cat_parts {
namespace {

constexpr const char* kClass = "3.3";
constexpr const char* kWrapper = "4.1";
constexpr const char* kSplit = "4.2";
constexpr const char* kCost = "4.3";
constexpr int64_t kWidth = 8, kHeads = 8;  // of the last class

void rate_sentence(Narrator& l, const Settings& s) {
  const double p = s.fraction("--dropout");
  if (p == 0)
    l.say("The rate of dropout is {}: the weights stay as they are.", s.text("--dropout"));
  else
    l.say("Dropout with rate {} sets {}.", s.text("--dropout"),
          p == 1 ? "all weights to 0" : "weights to 0 and enlarges the others");
}

void split_projections(Narrator& l) {
  l.step("split-projections", kSplit, "MultiHeadAttention: one projection for all heads");
  l.code("queries = self.W_query(x)\nkeys = self.W_key(x)\nvalues = self.W_value(x)");
  show_projections(l, {""});
  l.say("d_out is {} and means all {} heads together; in the wrapper it was the width of each head.", kWidth,
        kHeads);

  l.step("split-heads", kSplit, "MultiHeadAttention: cut the rows");
  l.code("queries = queries.view(batch_size, num_tokens, self.num_heads, self.head_dim)");
  const Tensor queries = l.show_next("queries");
  for (const char* name : {"keys", "values"}) l.show_next(name);
  l.say("{} numbers become {} heads of {}: {}. This reshapes; it moves nothing in memory.", kWidth, kHeads,
        kWidth / kHeads, to_string(queries.shape()));

  l.step("split-transpose", kSplit, "MultiHeadAttention: heads first");
  l.code("queries = queries.transpose(1, 2)");
  const Tensor in_front = l.show_next("queries");
  for (const char* name : {"keys", "values"}) l.show_next(name);
  l.say(
      "The shape is now {}: batch, heads, tokens, head_dim. @ works on the last two, for each head by itself.",
      to_string(in_front.shape()));
}

void split_weights(Narrator& l, const Settings& s) {
  l.step("split-scores", kSplit, "MultiHeadAttention: scores of all heads at once");
  l.code("attn_scores = queries @ keys.transpose(2, 3)");
  const Tensor attn_scores = l.show_next("attn_scores");
  l.say("The shape is {}: one product gives the table of every head in every sentence.",
        to_string(attn_scores.shape()));

  l.step("split-masked-scores", kSplit, "MultiHeadAttention: mask and scale");
  l.code(
      "mask_bool = self.mask.bool()[:num_tokens, :num_tokens]\n"
      "attn_scores.masked_fill_(mask_bool, float('-inf'))");
  for (const char* name : {"mask", "mask_bool", "attn_scores", "scaled_scores"}) l.show_next(name);
  l.say("One mask serves all heads.");
  l.say("A head is {} wide, and the scores are divided by its root, {}{}.", kWidth / kHeads,
        digits(std::sqrt(double(kWidth / kHeads))),
        kWidth == kHeads ? ": with eight heads for eight numbers scaling changes nothing" : "");

  l.step("split-weights", kSplit, "MultiHeadAttention: weights of all heads");
  l.code("attn_weights = torch.softmax(attn_scores / (self.head_dim ** 0.5), dim=-1)");
  const Tensor attn_weights = l.show_next("attn_weights");
  l.say("Heads differ: for {} the first gives {} to {}, the last {}.", in_quotes(s.tokens[1]),
        digits(attn_weights[0][0][1][0]), in_quotes(s.tokens[0]), digits(attn_weights[0][kHeads - 1][1][0]));

  l.step("split-dropout", kSplit, "MultiHeadAttention: dropout on the weights");
  l.code("attn_weights = self.dropout(attn_weights)");
  l.show_next("attn_weights");
  rate_sentence(l, s);
}

void split_context(Narrator& l) {
  l.step("split-context", kSplit, "MultiHeadAttention: a context for each head");
  l.code("context = attn_weights @ values");
  const Tensor context = l.show_next("context_vec", "context");
  l.say("The shape is {}: every head has its own sum of its own values.", to_string(context.shape()));

  l.step("split-behind", kSplit, "MultiHeadAttention: heads go back behind the tokens");
  l.code("context.transpose(1, 2)");
  const Tensor behind = l.show_next("context_vec", "context");
  l.say("The shape is {}: a token's pieces are together again.", to_string(behind.shape()));

  l.step("split-combined", kSplit, "MultiHeadAttention: one row per token");
  l.code("context = context.transpose(1, 2).contiguous().view(batch_size, num_tokens, self.d_out)");
  const Tensor combined = l.show_next("context_vec", "context");
  l.say(
      "The shape is {}: contiguous() puts the pieces side by side in memory, and view reads them as one row.",
      to_string(combined.shape()));
}

// out_proj out of the way, and the heads' matrices one below the other.
void take_weights(const nn::cat::MultiHeadAttention& split,
                  const nn::cat::MultiHeadAttentionWrapper& wrapper) {
  const NoGrad off;
  std::vector<Tensor> query, key, value;
  for (const auto& head : wrapper.heads) {
    query.push_back(head->W_query.weight);
    key.push_back(head->W_key.weight);
    value.push_back(head->W_value.weight);
  }
  copy_(split.W_query.weight, glassgrad::cat(query, 0));
  copy_(split.W_key.weight, glassgrad::cat(key, 0));
  copy_(split.W_value.weight, glassgrad::cat(value, 0));
  copy_(split.out_proj.weight, eye(kWidth));
  zero_(split.out_proj.bias);
}

}  // namespace

void causal_class(Narrator& l, const Settings& s, const Tensor& batch) {
  l.step("batch", kClass, "Two sentences at once");
  l.code("batch = torch.stack((inputs, inputs), dim=0)\nprint(batch.shape)");
  l.show("batch", batch);
  l.print_line(size_repr(batch.shape()));
  l.say("The classes take a batch: (sentences, tokens, numbers). Here it is the same sentence twice.");

  manual_seed(s.seed("--seed"));
  const nn::cat::CausalAttention ca(batch.size(2), s.count("--d-out"), batch.size(1),
                                    s.fraction("--dropout"));
  l.own("ca", ca);
  const Tensor context_vec = l.call([&] { return ca(batch); });

  l.step("causal-module", kClass, "CausalAttention: what it is made of");
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format("ca = CausalAttention(d_in, d_out, batch.shape[1], {})\nprint(ca)",
                     python_float(s.fraction("--dropout"))));
  l.print_line(ca.repr());
  l.say(
      "Three Linear layers and dropout. The mask is a buffer: it moves with the module, is not trained, and is "
      "not printed.");

  l.step("causal-projections", kClass, "CausalAttention: the projections");
  l.code("queries = self.W_query(x)\nkeys = self.W_key(x)\nvalues = self.W_value(x)");
  show_projections(l, {""});
  l.say("Linear draws on both sides of 0, up to 1 / sqrt(d_in) = {}: scores can be negative now.",
        digits(1 / std::sqrt(double(batch.size(2)))));

  l.step("causal-scores", kClass, "CausalAttention: the scores");
  l.code("attn_scores = queries @ keys.transpose(1, 2)");
  const Tensor attn_scores = l.show_next("attn_scores");
  l.say("With weights of both signs a score can be negative: {} of the {} are.",
        sum(attn_scores < 0).item<int64_t>(), attn_scores.numel());

  l.step("causal-masked-scores", kClass, "CausalAttention: mask and scale");
  l.code("attn_scores.masked_fill_(\n    self.mask.bool()[:num_tokens, :num_tokens],\n    float('-inf')\n)");
  for (const char* name : {"mask", "mask_bool", "attn_scores", "scaled_scores"}) l.show_next(name);
  l.say("masked_fill_ writes over the scores in place, and the mask is cut to the number of tokens.");

  l.step("causal-weights", kClass, "CausalAttention: the weights");
  l.code("attn_weights = torch.softmax(attn_scores / (keys.shape[-1] ** 0.5), dim=-1)");
  const Tensor attn_weights = l.show_next("attn_weights");
  l.say("The weights of {}: {}. Scores near each other give weights near each other.", in_quotes(s.tokens[1]),
        joined_digits(attn_weights[0][1], ", "));

  l.step("causal-attention", kClass, "CausalAttention: what comes out");
  l.code("attn_weights = self.dropout(attn_weights)\ncontext_vec = attn_weights @ values\nprint(ca(batch))");
  l.show_next("attn_weights");
  l.skip_next("context_vec");
  l.loss("context_vec", l.print("context_vec", context_vec));
  rate_sentence(l, s);
}

void wrapper_class(Narrator& l, const Settings& s, const Tensor& batch) {
  const int64_t d_out = s.count("--d-out"), heads = s.count("--heads"), tokens = batch.size(1);
  Parts parts;
  for (int64_t h = 0; h < heads; ++h) parts.push_back(fmt::format("heads.{}.", h));
  manual_seed(s.seed("--seed"));
  const nn::cat::MultiHeadAttentionWrapper mha(batch.size(2), d_out, tokens, s.fraction("--dropout"), heads);
  l.own("wrapper", mha);
  const Tensor out = l.call([&] { return mha(batch); });

  l.step("wrapper-module", kWrapper, "MultiHeadAttentionWrapper: what it is made of");
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format(
      "mha = MultiHeadAttentionWrapper(d_in, d_out, batch.shape[1], {}, num_heads={})\nprint(mha)",
      python_float(s.fraction("--dropout")), heads));
  l.print_line(mha.repr());
  l.say("A list with {} CausalAttention, each with its own three matrices and its own mask of {} numbers.",
        heads, tokens * tokens);

  l.step("wrapper-projections", kWrapper, "MultiHeadAttentionWrapper: the projections of each head");
  l.code("queries = self.W_query(x)\nkeys = self.W_key(x)\nvalues = self.W_value(x)");
  show_projections(l, parts);
  l.say("The seed is set once: head 0 draws the numbers that CausalAttention drew, the others draw on.");

  l.step("wrapper-scores", kWrapper, "MultiHeadAttentionWrapper: the scores of each head");
  l.code("attn_scores = queries @ keys.transpose(1, 2)");
  show_parts(l, parts, {"attn_scores"});
  l.say("Other matrices, other scores: every head can look for something of its own.");

  l.step("wrapper-masked-scores", kWrapper, "MultiHeadAttentionWrapper: mask and scale, head by head");
  l.code("attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], float('-inf'))");
  show_parts(l, parts, {"mask", "mask_bool", "attn_scores", "scaled_scores"});
  l.say("{} equal masks for {} heads.", heads, heads);

  l.step("wrapper-weights", kWrapper, "MultiHeadAttentionWrapper: the weights of each head");
  l.code("attn_weights = torch.softmax(attn_scores / (keys.shape[-1] ** 0.5), dim=-1)");
  show_parts(l, parts, {"attn_weights"});
  l.say("One causal table for each head and sentence.");

  l.step("wrapper", kWrapper, "MultiHeadAttentionWrapper: side by side");
  l.formula("out = [Z_1 Z_2 ...], one Z_h for each head", R"(\mathrm{out} = [Z_1 \; Z_2 \; \cdots \; Z_h])");
  l.code("head_outputs = [head(x) for head in self.heads]\nreturn torch.cat(head_outputs, dim=-1)");
  l.code("print(out)\nprint(out.shape)");
  show_parts(l, parts, {"attn_weights", "context_vec"});
  l.loss("out", l.print("out", out));
  l.print_line(size_repr(out.shape()));
  l.say("Each head gives {} numbers per token, so a row has {} x {} = {}: the text never says that it grows.",
        d_out, heads, d_out, out.size(-1));
}

void split_class(Narrator& l, const Settings& s, const Tensor& batch) {
  manual_seed(s.seed("--seed"));
  const nn::cat::MultiHeadAttention mha(batch.size(2), kWidth, batch.size(1), s.fraction("--dropout"));
  l.own("mha", mha);
  const Tensor out = l.call([&] { return mha(batch); });

  l.step("split-module", kSplit, "MultiHeadAttention: what it is made of");
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format("mha = MultiHeadAttention(d_in, {}, batch.shape[1], {})\nprint(mha)", kWidth,
                     python_float(s.fraction("--dropout"))));
  l.print_line(mha.repr());
  l.say("No list any more: three wider matrices for all {} heads, and out_proj to mix them.", kHeads);
  split_projections(l);
  split_weights(l, s);
  split_context(l);

  l.step("split-attention", kSplit, "MultiHeadAttention: what comes out");
  l.formula("out = [Z_1 Z_2 ...] W_out^T + b_out",
            R"(\mathrm{out} = [Z_1 \; Z_2 \; \cdots \; Z_h]\, W_{out}^\top + b_{out})");
  l.code("context = self.out_proj(context)\nprint(out)");
  l.show_next("out_proj.weight");
  l.show_next("out_proj.bias");
  l.skip_next("context_vec");
  l.loss("out", l.print("out", out));
  l.say(
      "The last Linear layer has a bias, unlike the other three. {} numbers a token, where {} heads of the "
      "wrapper gave {}.",
      out.size(-1), s.count("--heads"), s.count("--heads") * s.count("--d-out"));

  l.step("gradients", kSplit, "What the weights would learn from");
  l.code("out.sum().backward()\nprint(mha.W_query.weight.grad)\nprint(mha.out_proj.weight.grad)");
  sum(out).backward();
  const Tensor by_query = l.print("W_query.weight.grad", mha.W_query.weight.grad());
  const Tensor by_out = l.print("out_proj.weight.grad", mha.out_proj.weight.grad());
  l.say(
      "The sum of all outputs goes backward. Every output counts once, so all rows of out_proj's gradient are "
      "the same: the largest difference is {}.",
      largest_difference(by_out, by_out[0].expand(by_out.shape())));
  l.say(
      "The query's gradient has come through a softmax: its largest number is {:.1e}, that of out_proj {:.1e}.",
      max(abs(by_query)).item(), max(abs(by_out)).item());
}

void wrapper_against_split(Narrator& l, const Tensor& batch) {
  const int64_t d_in = batch.size(2), tokens = batch.size(1);
  const nn::cat::MultiHeadAttentionWrapper wrapper(d_in, kWidth / kHeads, tokens, 0.0, kHeads);
  const nn::cat::MultiHeadAttention split(d_in, kWidth, tokens, 0.0, kHeads);
  take_weights(split, wrapper);

  l.step("same-computation", kCost, "Wrapper and split heads: the same computation");
  l.code("split.W_query.weight.copy_(torch.cat([h.W_query.weight for h in wrapper.heads]))");
  const Tensor one_by_one = l.show("wrapper", wrapper(batch)), at_once = l.show("split", split(batch));
  l.say(
      "A wrapper of {} heads, {} wide each, gives its matrices to the split class, stacked; out_proj is set to "
      "change nothing.",
      kHeads, kWidth / kHeads);
  l.say("The results differ by {}: one class is the other, arranged anew.",
        largest_difference(one_by_one, at_once));

  l.step("wrapper-against-split", kCost, "Wrapper and split heads: what they cost");
  const Costs a = costs_of([&] { wrapper(batch); }), b = costs_of([&] { split(batch); });
  const int64_t mask_a = numbers_in(wrapper.named_buffers()) * item_size(float32);
  const int64_t mask_b = numbers_in(split.named_buffers()) * item_size(float32);
  const int64_t out_proj = batch.size(0) * tokens * kWidth * kWidth;
  const auto pair = [&](const char* name, int64_t x, int64_t y) {
    l.show(name, from_values(std::vector<int64_t>{x, y}, {2}));
  };
  pair("products", a.products, b.products);
  pair("multiplications", a.multiplications, b.multiplications);
  pair("bytes", a.bytes, b.bytes);
  pair("mask_bytes", mask_a, mask_b);
  pair("parameters", numbers_in(wrapper.named_parameters()), numbers_in(split.named_parameters()));
  l.say("Counted while both run, the wrapper first, the split class second, both {} wide with {} heads.",
        kWidth, kHeads);
  l.say(
      "The wrapper computes {} products of matrices, the split class {}, which are larger: there is no loop over heads. {} bytes of new "
      "tensors against {}, {} bytes of masks against {}.",
      a.products, b.products, a.bytes, b.bytes, mask_a, mask_b);
  l.say(
      "Masks grow with the square of the length: 12 heads of 1024 tokens keep {} MB of them in a wrapper, {} MB in "
      "the split class.",
      12 * 1024 * 1024 * item_size(float32) / 1000000, 1024 * 1024 * item_size(float32) / 1000000);
  l.say(
      "The text calls the split class cheaper to compute. In multiplications it is not: {} against {}, and the "
      "{} more are all out_proj's.",
      a.multiplications, b.multiplications, out_proj);
}

}  // namespace glassgrad::learn::cat_parts
