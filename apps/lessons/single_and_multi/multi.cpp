// Section 3: the class MultiHeadAttention.
#include <cmath>

#include "apps/lesson/costs.h"
#include "apps/lesson/lesson.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/single_and_multi/single_and_multi.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn::single_and_multi_parts {
namespace {

constexpr const char* kMultiClass = "3.1";
constexpr const char* kMultiForward = "3.2";

// The sizes, and the call's result.
struct Run {
  const MultiHeadAttention& multi;
  int64_t B, T, d_model, heads, head_dim;
  Tensor x, out;
};

void module(Narrator& l, const Run& r) {
  l.step("multi-module", kMultiClass, "MultiHeadAttention: what it is made of");
  l.code(
      "assert d_model % num_heads == 0\nself.head_dim = d_model // num_heads\n"
      "self.fc_out = nn.Linear(d_model, d_model)\nself.scale = 1.0 / math.sqrt(self.head_dim)");
  l.code(fmt::format("multi = MultiHeadAttention({}, {})\nprint(multi)", r.d_model, r.heads));
  l.print_line(r.multi.repr());
  l.say(
      "query, key and value are as wide as before: {0} to {0}, for {1} together, {2} wide each. fc_out is new.",
      r.d_model, counted(r.heads, "head"), r.head_dim);
  l.say("scale goes with the width of one head: 1 / sqrt({}) = {}.", r.head_dim,
        digits(1 / std::sqrt(double(r.head_dim))));
  try {
    MultiHeadAttention(r.d_model, r.d_model + 1);
  } catch (const AssertionError& e) {
    if (std::string_view(e.what()).empty())
      l.say(
          "num_heads must divide d_model. The assert that checks it has no message: MultiHeadAttention({}, {}) "
          "stops with the bare word {}.",
          r.d_model, r.d_model + 1, e.kind());
  }
}

Tensor projections(Narrator& l, const Run& r) {
  l.step("multi-projections", kMultiForward, "MultiHeadAttention: one projection for all heads");
  l.code("B, seq_length, d_model = x.shape\nQ = self.query(x)\nK = self.key(x)\nV = self.value(x)");
  show_parts(l, {"query.", "key.", "value."}, {"weight", "bias"});
  const Tensor Q = l.show_next("queries", "Q");
  l.show_next("keys", "K");
  l.show_next("values", "V");
  l.say("So far nothing is new: Q, K and V are {}. The weights are drawn after those of the single head.",
        to_string(Q.shape()));
  l.say("Three products serve all heads. Head 0 owns the first {} of each weight matrix{}.",
        counted(r.head_dim, "row"),
        r.heads > 1 ? fmt::format(", head 1 the next {}, and so on", r.head_dim) : "");
  return Q;
}

void view_and_transpose(Narrator& l, const Run& r, const Tensor& Q) {
  l.step("multi-view", kMultiForward, "MultiHeadAttention: cut each row into heads");
  l.code("Q.view(B, seq_length, self.num_heads, self.head_dim)");
  const Tensor cut = l.show_next("queries", "Q");
  l.show_next("keys", "K");
  l.show_next("values", "V");
  l.say("(B, T, C) becomes (B, T, h, head_dim), {}: {} numbers a token are {} of {}.", to_string(cut.shape()),
        r.d_model, counted(r.heads, "piece"), r.head_dim);
  l.say("view moves no number. It only says anew how far apart neighbours lie in memory: {} was {}.",
        to_string(cut.strides()), to_string(Q.strides()));

  l.step("multi-transpose", kMultiForward, "MultiHeadAttention: heads in front of tokens");
  l.code("Q = Q.view(B, seq_length, self.num_heads, self.head_dim).transpose(1, 2)");
  const Tensor in_front = l.show_next("queries", "Q");
  l.show_next("keys", "K");
  l.show_next("values", "V");
  l.code("straight = self.query(x).view(B, self.num_heads, seq_length, self.head_dim)");
  const Tensor straight = l.show("straight", Q.view({r.B, r.heads, r.T, r.head_dim}));
  l.say(
      "Now (B, h, T, head_dim), {}: matmul works on the last two dimensions, so every head is a product of its "
      "own. Again only the distances change: {}.",
      to_string(in_front.shape()), to_string(in_front.strides()));
  if (r.heads > 1)
    l.say(
        "Why not view straight to that shape? straight has it, but cuts the numbers in the order of memory: row "
        "1 of its head 0 is {}, the second piece of the first token. Right is {}, the first piece of the second.",
        joined_digits(straight[0][0][1], ", ", 4), joined_digits(in_front[0][0][1], ", ", 4));
  else
    l.say("With one head there is nothing to mix up: straight and Q differ by {}.",
          largest_difference(straight, in_front));
}

void scores(Narrator& l, const Run& r) {
  l.step("multi-scores", kMultiForward, "MultiHeadAttention: the scores of every head");
  l.code("attention_scores = torch.matmul(Q, K.transpose(-2, -1)) * self.scale");
  l.formula("S_h = Q_h K_h^T / sqrt(head_dim)", R"(S_h = \frac{Q_h K_h^\top}{\sqrt{\mathrm{head\_dim}}})");
  const Tensor product = l.show_next("attn_scores", "product");
  l.show_next("scaled_scores", "attention_scores");
  l.say("The line is that of SingleHeadAttention. One dimension more makes {}: {} of {} by {}.",
        to_string(product.shape()), counted(r.B * r.heads, "table"), r.T, r.T);
  l.say(
      "A dot product of {} needs less shrinking than one of {}: the factor is {}, with a single head it is {}.",
      counted(r.head_dim, "number"), r.d_model, digits(1 / std::sqrt(double(r.head_dim))),
      digits(1 / std::sqrt(double(r.d_model))));

  l.step("multi-mask", kMultiForward, "MultiHeadAttention: one mask for all heads");
  l.code("attention_scores = attention_scores.masked_fill(mask, float('-inf'))");
  const Tensor mask = l.show_next("mask");
  const Tensor hidden = l.show_next("scaled_scores", "attention_scores");
  l.say("The mask is {}, the scores are {}: broadcasting repeats it for every sentence and head.",
        to_string(mask.shape()), to_string(hidden.shape()));
}

void weights(Narrator& l, const Settings& s, const Run& r) {
  l.step("multi-weights", kMultiForward, "MultiHeadAttention: weights of every head");
  l.code("attention_weights = torch.softmax(attention_scores, dim=-1)");
  const Tensor weights = l.show_next("attn_weights", "attention_weights");
  std::vector<std::string> favourites;
  for (int64_t h = 0; h < r.heads; ++h)
    favourites.push_back(in_quotes(s.tokens[position_of_largest(weights[0][h][r.T - 1])]));
  l.say("Each of the {} tables has its own softmax, row by row.", r.B * r.heads);
  if (all_finite(weights))
    l.say("For the last token, {}, the largest weight of each head goes to: {}.", in_quotes(s.tokens.back()),
          joined(favourites, ", "));
  l.say(
      "The post says that heads focus on different parts of the sequence. Nothing here tells them to: every "
      "head sees the same tokens, and only its own numbers decide.");
}

Tensor context(Narrator& l, const Run& r) {
  l.step("multi-context", kMultiForward, "MultiHeadAttention: each head by itself");
  l.code("attention_output = torch.matmul(attention_weights, V)");
  const Tensor attention_output = l.show_next("attention_output");
  const auto piece = [&](const nn::Linear& layer) {
    return linear(r.x, layer.weight.slice(0, 0, r.head_dim), layer.bias.slice(0, 0, r.head_dim));
  };
  const NoGrad off;
  const Tensor K_0 = piece(r.multi.W_key);
  const Tensor head_0 =
      nn::attention_scaled_first(piece(r.multi.W_query), K_0.transpose(-2, -1), piece(r.multi.W_value),
                                 1.0 / std::sqrt(double(r.head_dim)), to(nn::causal_mask(r.T), boolean));
  l.code(fmt::format(
      "# the same for head 0 alone, with Q_0 = x @ query.weight[:{0}].T + query.bias[:{0}] and so on\n"
      "head_0 = softmax(mask(Q_0 @ K_0.transpose(-2, -1) * scale)) @ V_0",
      r.head_dim));
  l.show("head_0", head_0);
  l.say("{}: a sum of values for every token in every head.", to_string(attention_output.shape()));
  l.say(
      "Every head has weights of its own: a single head made of the first {} of each matrix and bias computes "
      "attention_output[:, 0]. The largest difference is {}. Up to here no head knows of another.",
      counted(r.head_dim, "row"), largest_difference(attention_output.select(1, 0), head_0));
  return attention_output;
}

Tensor combined(Narrator& l, const Run& r) {
  l.step("multi-combined", kMultiForward, "MultiHeadAttention: the pieces side by side");
  l.code("attention_output = attention_output.transpose(1, 2).contiguous().view(B, seq_length, d_model)");
  const Tensor transposed = l.show_next("attention_output", "transposed");
  const Tensor combined = l.show_next("attention_output");
  l.say("transpose(1, 2) puts the heads back behind the tokens, and view makes one row of the pieces: {}.",
        to_string(combined.shape()));
  try {
    transposed.view({r.B, r.T, r.d_model});
    l.say("With these sizes the pieces lie in order already; in general contiguous() must copy them first.");
  } catch (const Error& e) {
    l.say("Without contiguous(), which copies the numbers into that order, PyTorch refuses: \"{}\"",
          e.what());
  }
  return combined;
}

void mixed(Narrator& l, const Run& r, const Tensor& combined) {
  l.step("multi-attention", kMultiForward, "MultiHeadAttention: fc_out mixes the heads");
  l.code("out = self.fc_out(attention_output)\nprint(out)\nprint(out.shape)");
  l.formula(
      "out = [head_0 ... head_h-1] W_out^T + b_out",
      R"(\mathrm{out} = [\mathrm{head}_0 \ldots \mathrm{head}_{h-1}]\, W_\mathrm{out}^\top + b_\mathrm{out})");
  l.show_next("fc_out.weight");
  l.show_next("fc_out.bias");
  l.skip_next("out");
  l.loss("out", l.print("out", r.out));
  l.print_line(size_repr(r.out.shape()));
  const NoGrad off;
  const Tensor without = clone(combined);
  zero_(without.slice(2, 0, r.head_dim));
  const Tensor changed = amax(abs(r.multi.fc_out(without) - r.out), {0, 1}) != 0;
  const int64_t reached = sum(changed).item<int64_t>();
  l.say("With the {} of head 0 set to 0, {} of the {} numbers a token change{}.",
        counted(r.head_dim, "number"), reached, r.d_model,
        reached == r.d_model && r.heads > 1 ? ": one head reaches them all" : "");
  l.say(
      "The post says the heads are projected back to the original dimension. They have it already: {} of {} side "
      "by side are {}. What fc_out does is mix.",
      counted(r.heads, "head"), r.head_dim, r.heads * r.head_dim);
}

}  // namespace

void multi_head(Narrator& l, const Settings& s, const MultiHeadAttention& multi, const Tensor& x) {
  const int64_t d_model = x.size(2), heads = s.count("--heads");
  const Tensor out = l.call([&] { return multi(x); });
  const Run run{multi, x.size(0), x.size(1), d_model, heads, d_model / heads, x, out};
  module(l, run);
  view_and_transpose(l, run, projections(l, run));
  scores(l, run);
  weights(l, s, run);
  context(l, run);
  mixed(l, run, combined(l, run));
}

void single_against_multi(Narrator& l, const SingleHeadAttention& single, const MultiHeadAttention& multi,
                          int64_t heads, const Tensor& x) {
  const NoGrad off;
  const Tensor Q = multi.W_query(x), K = multi.W_key(x);
  const Tensor Q_h = nn::split_heads(Q, heads, "Q"), K_h = nn::split_heads(K, heads, "K");
  const int64_t one = costs_of([&] { matmul(Q, K.transpose(-2, -1)); }).multiplications;
  const int64_t many = costs_of([&] { matmul(Q_h, K_h.transpose(-2, -1)); }).multiplications;
  const Costs a = costs_of([&] { single(x); }), b = costs_of([&] { multi(x); });
  const int64_t parameters_a = numbers_in(single.named_parameters());
  const int64_t parameters_b = numbers_in(multi.named_parameters());
  const int64_t weights = x.size(0) * x.size(1) * x.size(1);

  l.step("single-against-multi", kMultiForward, "One head against several: what they cost");
  const auto pair = [&](const char* name, int64_t x_single, int64_t x_multi) {
    l.show(name, from_values(std::vector<int64_t>{x_single, x_multi}, {2}));
  };
  pair("parameters", parameters_a, parameters_b);
  pair("score_multiplications", one, many);
  pair("multiplications", a.multiplications, b.multiplications);
  pair("weights", weights, heads * weights);
  l.say("The single head comes first, {} second; multiplications are counted while they run.",
        counted(heads, "head"));
  l.say("Parameters: {} against {}. The {} more are those of fc_out, {} of weight and {} of bias.",
        parameters_a, parameters_b, parameters_b - parameters_a, multi.fc_out.weight.numel(),
        multi.fc_out.bias.numel());
  l.say(
      "The scores cost {} multiplications in one head and {} in {}: more heads are narrower. In all it is {} "
      "against {}; the difference, {}, is fc_out's product.",
      one, many, counted(heads, "head"), a.multiplications, b.multiplications,
      costs_of([&] { multi.fc_out(x); }).multiplications);
  l.say("What grows with the heads is the number of weights: {} against {}.", weights, heads * weights);
}

}  // namespace glassgrad::learn::single_and_multi_parts
