// Section 3.3: CausalAttention, for batches, and what its order of layers does.
#include <cmath>

#include "apps/lesson/lesson.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/gpt_attention/gpt_attention.h"
#include "engine/ops.h"
#include "engine/print.h"
#include "nn/journey.h"

namespace glassgrad::learn::gpt_attention_parts {
namespace {

constexpr const char* kClass = "3.3";

using nn::gpt_attention::CausalAttention;

void made_of(Narrator& l, const Settings& s, const Tensor& batch, const CausalAttention& ca) {
  l.step("causal-module", kClass, "CausalAttention: what it is made of");
  l.code("batch = torch.stack((inputs, inputs), dim=0)");
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format("ca = CausalAttention(d_in, d_out, batch.shape[1], {})\nprint(ca)\nprint(ca.mask)",
                     s.text("--dropout")));
  l.show("batch", batch);
  l.print_line(ca.repr());
  l.print("mask", ca.mask);
  l.skip_next("mask");
  l.say(
      "The class takes a batch, (sentences, tokens, numbers); here the same sentence twice. The seed is set "
      "again.");
  l.say(
      "The text says that it inherits from SelfAttention; its code says nn.Module. There is little to inherit: "
      "its layers have other names and no bias, and it takes three dimensions, not two.");
  l.say(
      "The mask is a buffer: it moves with the module to another device, and is neither trained nor printed.");
}

void draw_order(Narrator& l, const Settings& s, const Tensor& batch) {
  const int64_t d_in = batch.size(2), d_out = s.count("--d-out"), tokens = batch.size(1);
  const double p = s.fraction("--dropout");
  manual_seed(s.seed("--seed"));
  CausalAttention ca(d_in, d_out, tokens, p);
  manual_seed(s.seed("--seed"));
  nn::journey::CausalAttention other(d_in, d_out, tokens, p);
  ca.eval();
  other.eval();
  l.step("draw-order", kClass, "CausalAttention: which layer is drawn first");
  l.code("self.W_keys = nn.Linear(...)\nself.W_query = nn.Linear(...)\nself.W_value = nn.Linear(...)");
  const Tensor keys = l.show("ca.W_keys.weight", ca.W_key.weight);
  l.show("ca.W_query.weight", ca.W_query.weight);
  const Tensor query = l.show("other.W_query.weight", other.W_query.weight);
  l.say(
      "This class makes W_keys first, then W_query. Other sources begin with W_query, as \"other\" does here.");
  l.say(
      "Random numbers come in order: with the same seed other's W_query has what W_keys has here, the "
      "difference is {}, and the context vectors differ by up to {}.",
      largest_difference(keys, query), largest_difference(ca(batch), other(batch)));
  l.say("To get a source's numbers, make its layers in its order.");
}

void inside(Narrator& l, const Settings& s) {
  l.step("causal-projections", kClass, "CausalAttention: the projections");
  l.code("keys = self.W_keys(x)\nquery = self.W_query(x)\nvalues = self.W_value(x)");
  show_parts(l, {""}, {"W_keys.weight", "W_query.weight", "W_value.weight", "keys"});
  l.show_next("queries", "query");
  l.show_next("values");
  l.say("qkv_bias=False: no bias here, unlike in SelfAttention and MultiHeadAttention.");

  l.step("causal-scores", kClass, "CausalAttention: the scores");
  l.code("att_scores = query @ keys.transpose(1, 2)");
  const Tensor att_scores = l.show_next("attn_scores", "att_scores");
  l.say("{}: a table for each sentence. transpose(1, 2) leaves the batch in front; .T would turn all three.",
        to_string(att_scores.shape()));

  l.step("causal-masked-scores", kClass, "CausalAttention: mask, then scale");
  l.code(
      "att_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)\n"
      "att_scores / keys.shape[-1]**0.5");
  l.show_next("mask_bool");
  l.show_next("attn_scores", "att_scores");
  const Tensor scaled = l.show_next("scaled_scores");
  l.say(
      "The text names masked_fill; the code's masked_fill_ writes over att_scores. The gradient does not mind: "
      "the product before does not need its own result.");
  l.say("The mask is cut to the number of tokens, so that shorter sentences can be taken as well.");
  l.say("The mask comes before the scale here. That makes no difference: -inf divided by {} is {}.",
        digits(std::pow(double(s.count("--d-out")), 0.5)), digits(scaled[0][0][scaled.size(-1) - 1]));

  l.step("causal-weights", kClass, "CausalAttention: the weights");
  l.code("attn_weights = torch.softmax(att_scores / keys.shape[-1]**0.5, dim=-1)");
  l.formula("A = softmax(M / sqrt(d_k))", R"(A = \mathrm{softmax}\left(\frac{M}{\sqrt{d_k}}\right))");
  const Tensor attn_weights = l.show_next("attn_weights");
  l.say("Divided once, and along the last dimension. {} gives {} to {} and itself.", in_quotes(s.tokens[1]),
        joined_digits(attn_weights[0][1].slice(0, 0, 2), " and "), in_quotes(s.tokens[0]));
}

void outcome(Narrator& l, const Settings& s, const Tensor& batch, const Tensor& context_vecs,
             CausalAttention& ca) {
  const double p = s.fraction("--dropout");
  l.step("causal-attention", kClass, "CausalAttention: what comes out");
  l.code(
      "attn_weights = self.dropout(attn_weights)\ncontext_vec = attn_weights @ values\n"
      "context_vecs = ca(batch)\nprint(context_vecs)");
  const Tensor attn_weights = l.show_next("attn_weights");
  l.skip_next("context_vec");
  l.loss("context_vecs", l.print("context_vecs", context_vecs));
  l.say("Dropout with rate {} {}: the two sentences are equal, their results differ by {}.",
        s.text("--dropout"), p > 0 ? "draws for each sentence anew" : "changes nothing",
        largest_difference(context_vecs[0], context_vecs[1]));
  for (int64_t i = 0; i < 2; ++i)
    if (const auto empty = empty_rows(s, attn_weights[i]); p > 0 && !empty.empty())
      l.say("In sentence {} nothing is left to {}: zeros come out.", i, joined(empty, ", "));

  l.step("causal-eval", kClass, "CausalAttention: in use, not in training");
  l.code("ca.eval()\nprint(ca(batch))");
  ca.eval();
  const Tensor in_use = l.print("context_vecs", ca(batch));
  l.say("After eval() nothing is dropped: the two equal sentences differ by {}.",
        largest_difference(in_use[0], in_use[1]));
  if (p > 0)
    l.say(
        "Forget it, and a model answers differently every time: here the numbers have moved by up to {} between "
        "training and use.",
        largest_difference(in_use, context_vecs));
  else
    l.say("At rate {} nothing was dropped before either.", s.text("--dropout"));
}

}  // namespace

void causal_class(Narrator& l, const Settings& s, const Tensor& batch) {
  manual_seed(s.seed("--seed"));
  CausalAttention ca(batch.size(2), s.count("--d-out"), batch.size(1), s.fraction("--dropout"));
  l.own("ca", ca);
  const Tensor context_vecs = l.call([&] { return ca(batch); });
  made_of(l, s, batch, ca);
  draw_order(l, s, batch);
  inside(l, s);
  outcome(l, s, batch, context_vecs, ca);
}

}  // namespace glassgrad::learn::gpt_attention_parts
