// The wrapper of several heads and the class that splits one projection are one computation.
#include <cmath>

#include "apps/lesson/costs.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/journey/journey.h"
#include "apps/lessons/questions/questions.h"
#include "engine/ops.h"
#include "engine/print.h"
#include "nn/journey.h"

namespace glassgrad::learn {
namespace {

using Kind = Parameter::Kind;
using nn::journey::MultiHeadAttention;
using nn::journey::MultiHeadAttentionWrapper;
constexpr Parameter kParameters[] = {
    {"--seed", Kind::Seed, "123", "Seed of all random numbers"},
    {"--heads", Kind::Count, "2", "Heads", 16},
    {"--d-out", Kind::Count, "2", "Width of one head", 64},
};
constexpr Axes kAxes[] = {
    {"wrapper split_drawn side_by_side split wrapper_context split_context", "token d_out"},
    {"stacked split_grad wrapper_grad", "d_out d_in"},
    {"view_transpose", "head token head_dim"},
    {"straight_view", "head token head_dim"},
    {"out_proj.weight", "d_out d_out"},
    {"out_proj.bias", "d_out"},
    {"products parameters", "class"},
    {"head_weights all_weights", "head query key", kRowSums},
    {"mixed", "token d_out"},
};

struct Both {
  MultiHeadAttentionWrapper wrapper;
  MultiHeadAttention split;
  Tensor batch;  // (1, T, d_in)
  int64_t heads, head_dim;

  Both(const Settings& s, int64_t tokens, int64_t d_in)
      : wrapper(d_in, s.count("--d-out"), tokens, 0.0, s.count("--heads")),
        split(d_in, s.count("--d-out") * s.count("--heads"), tokens, 0.0, s.count("--heads")),
        batch(s.inputs.unsqueeze(0)),
        heads(s.count("--heads")),
        head_dim(s.count("--d-out")) {}
};

void question(Narrator& l, const Settings& s, const Both& b) {
  l.step("question", "Several small heads, or one that is split. Are they the same?");
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format(
      "wrapper = MultiHeadAttentionWrapper(d_in, {0}, num_tokens, 0.0, num_heads={1})\n"
      "mha = MultiHeadAttention(d_in, {2}, num_tokens, 0.0, num_heads={1})\nprint(wrapper(batch))\n"
      "print(mha(batch))",
      b.head_dim, b.heads, b.heads * b.head_dim));
  l.show("batch", b.batch);
  l.print("wrapper", b.wrapper(b.batch)[0]);
  l.print("split_drawn", b.split(b.batch)[0]);
  l.say(
      "Two classes that books show one after the other. The first keeps {} with matrices of their own and "
      "puts the results side by side; the second has one large matrix of each kind and cuts what it gives.",
      counted(b.heads, "head"));
  l.say(
      "Both give {} numbers for every token, and not the same ones. The computation could differ, or only "
      "the weights.",
      b.heads * b.head_dim);
  l.say(
      "Note d_out: for the wrapper it is the width of one head, {}, for the other that of all together, {}.",
      b.head_dim, b.heads * b.head_dim);
}

// What the heads' layers of one kind hold, one below the other: (heads·head_dim, d_in).
Tensor stacked(const Both& b, const nn::Linear& (*layer)(const nn::journey::CausalAttention&)) {
  std::vector<Tensor> weights;
  for (const auto& head : b.wrapper.heads) weights.push_back(layer(*head).weight.detach());
  return cat(weights, 0);
}
const nn::Linear& query_of(const nn::journey::CausalAttention& head) { return head.W_query; }
const nn::Linear& key_of(const nn::journey::CausalAttention& head) { return head.W_key; }
const nn::Linear& value_of(const nn::journey::CausalAttention& head) { return head.W_value; }

void copy_weights(const Both& b) {
  const NoGrad off;
  copy_(b.split.W_query.weight, stacked(b, query_of));
  copy_(b.split.W_key.weight, stacked(b, key_of));
  copy_(b.split.W_value.weight, stacked(b, value_of));
  copy_(b.split.out_proj.weight, eye(b.heads * b.head_dim));
  zero_(b.split.out_proj.bias);
}

void stack_weights(Narrator& l, const Both& b) {
  l.step("stack-weights", "Give both the same weights");
  l.formula("W = [W_1; W_2; ...]", R"(W = \begin{pmatrix} W_1 \\ W_2 \\ \vdots \end{pmatrix})");
  l.code(
      "for name in \"W_query\", \"W_key\", \"W_value\":\n"
      "    parts = [getattr(head, name).weight for head in wrapper.heads]\n    stacked = torch.cat(parts)\n"
      "    getattr(mha, name).weight.data.copy_(stacked)\nmha.out_proj.weight.data.copy_(torch.eye(d_out))\n"
      "mha.out_proj.bias.data.zero_()");
  for (int64_t h = 0; h < b.heads; ++h)
    l.show(fmt::format("heads.{}.W_query.weight", h), b.wrapper.heads[size_t(h)].W_query.weight.detach());
  l.show("stacked", stacked(b, query_of));
  copy_weights(b);
  l.say(
      "A layer stores a row for each output number. The heads' rows, one below the other, are a matrix for "
      "all heads: {} times {}.",
      to_string(Dims{b.head_dim, b.batch.size(2)}), b.heads);
  l.say(
      "The second class has a layer more, out_proj. For now it is made to do nothing: ones on its diagonal, "
      "a bias of 0.");
}

void projections(Narrator& l, const Both& b) {
  l.step("projections", "Step by step: the queries");
  l.code(
      "parts = [head.W_query(batch) for head in wrapper.heads]\nside_by_side = torch.cat(parts, dim=-1)[0]\n"
      "queries = mha.W_query(batch)[0]");
  const NoGrad off;
  std::vector<Tensor> parts;
  for (const auto& head : b.wrapper.heads) parts.push_back(head->W_query(b.batch));
  const Tensor side_by_side = l.show("side_by_side", cat(parts, -1)[0]);
  const Tensor queries = l.show("queries", b.split.W_query(b.batch)[0]);
  l.say(
      "{}: each column of the result is made by one row of the matrix, so it does not matter whether the "
      "rows are multiplied together or apart. The largest difference is {}.",
      b.heads == 1 ? "One product here and there" : fmt::format("{} products, or one", b.heads),
      largest_difference(side_by_side, queries));
}

void cut(Narrator& l, const Both& b) {
  const NoGrad off;
  const int64_t tokens = b.batch.size(1);
  const Tensor queries = b.split.W_query(b.batch);
  l.step("cut", "The cut: view, then transpose");
  l.code(
      "cut = mha.W_query(batch).view(b, num_tokens, num_heads, head_dim)\n"
      "view_transpose = cut.transpose(1, 2)[0]");
  const Tensor heads =
      l.show("view_transpose", queries.view({1, tokens, b.heads, b.head_dim}).transpose(1, 2)[0]);
  const Tensor first = b.wrapper.heads[0].W_query(b.batch)[0];
  l.say(
      "view cuts every row into {} of {}; transpose puts the heads in front. Head 0 now holds the queries "
      "that head 0 of the wrapper has; the largest difference is {}.",
      counted(b.heads, "piece"), counted(b.head_dim, "number"), largest_difference(heads[0], first));
  if (b.heads == 1) return;
  const Tensor straight = l.show("straight_view", queries.view({1, b.heads, tokens, b.head_dim})[0]);
  l.code("# the slip\nstraight_view = mha.W_query(batch).view(b, num_heads, num_tokens, head_dim)[0]");
  l.say(
      "A view straight to that shape has the right shape too, but it deals the numbers out in the order in "
      "which they lie in memory: its head 0 differs from the wrapper's by {}.",
      apart(straight[0], first));
}

Tensor causal_weights(const Tensor& queries, const Tensor& keys) {
  const Tensor scores = matmul(queries, keys.transpose(-2, -1));
  const double root = std::pow(double(queries.size(-1)), 0.5);
  return softmax(masked_fill(scores, nn::future_mask(queries.size(-2)), nn::kMinusInfinity) / root, -1);
}

// Weights and contexts of all heads, (heads, T, …), each class in its own way.
struct Attended {
  Tensor weights, context;
};

Attended head_by_head(const Both& b) {
  std::vector<Tensor> weights, contexts;
  for (const auto& head : b.wrapper.heads) {
    weights.push_back(causal_weights(head->W_query(b.batch)[0], head->W_key(b.batch)[0]));
    contexts.push_back(matmul(weights.back(), head->W_value(b.batch)[0]));
  }
  return {stack(weights, 0), stack(contexts, 0)};
}

Attended all_heads_at_once(const Both& b) {
  const auto cut = [&](const nn::Linear& layer) {
    return layer(b.batch).view({1, b.batch.size(1), b.heads, b.head_dim}).transpose(1, 2)[0];
  };
  const Tensor weights = causal_weights(cut(b.split.W_query), cut(b.split.W_key));
  return {weights, matmul(weights, cut(b.split.W_value))};
}

void attention_of_heads(Narrator& l, const Both& b, const Attended& one, const Attended& all) {
  l.step("heads", "Scores and weights, head by head or all at once");
  l.formula(
      "A_h = softmax(mask(Q_h K_h^T) / sqrt(head_dim))",
      R"(A_h = \mathrm{softmax}\left(\frac{\mathrm{mask}(Q_h K_h^\top)}{\sqrt{\mathrm{head\_dim}}}\right))");
  l.code(
      "def weights(q, k):\n    scores = (q @ k.transpose(-2, -1)).masked_fill(future, -torch.inf)\n"
      "    return torch.softmax(scores / head_dim**0.5, dim=-1)\n"
      "head_weights = [weights(q, k) for q, k in heads]  # the wrapper\n"
      "all_weights = weights(queries, keys)  # the other: a dimension for heads");
  l.show("head_weights", one.weights);
  l.show("all_weights", all.weights);
  l.say(
      "From here on a head knows nothing of the others. The wrapper runs {}, the other class multiplies "
      "with a dimension more; the weights differ by {} at most.",
      b.heads == 1 ? "its head" : "one head after the other", largest_difference(one.weights, all.weights));
  l.say(
      "Both divide by the root of the width of one head, {}: the second class takes it from keys.shape[-1] "
      "after the cut.",
      b.head_dim);
}

void back_together(Narrator& l, const Both& b, const Attended& one, const Attended& all) {
  const int64_t tokens = b.batch.size(1);
  std::vector<Tensor> contexts;
  for (int64_t h = 0; h < b.heads; ++h) contexts.push_back(one.context[h]);
  l.step("together", "Back to one row for each token");
  l.code(
      "wrapper_context = torch.cat(head_contexts, dim=-1)\n"
      "behind = all_contexts.transpose(1, 2).contiguous()\n"
      "split_context = behind.view(b, num_tokens, d_out)[0]");
  const Tensor wrapper_context = l.show("wrapper_context", cat(contexts, -1));
  const Tensor split_context = l.show(
      "split_context",
      all.context.unsqueeze(0).transpose(1, 2).contiguous().view({1, tokens, b.heads * b.head_dim})[0]);
  l.say(
      "The wrapper joins its heads at their last dimension; the other undoes its transpose and its view. "
      "Both put the numbers of head 0 first in every row; the difference is {}.",
      largest_difference(wrapper_context, split_context));
}

void the_same(Narrator& l, const Both& b) {
  l.step("same", "The whole modules");
  l.code("print(torch.allclose(wrapper(batch), mha(batch), atol=1e-6))\nprint(mha(batch))");
  const Tensor wrapper = b.wrapper(b.batch)[0], split = b.split(b.batch)[0];
  const bool same = allclose(wrapper, split, 1e-5, 1e-6);
  l.print_line(same ? "True" : "False");
  l.print("split", split);
  l.show("wrapper", wrapper.detach());
  l.say("With the same weights the largest difference between the two classes is {}.",
        largest_difference(wrapper, split));
  if (same) l.say("So they are one computation, written in two ways.");
}

void gradients(Narrator& l, const Both& b) {
  l.step("gradients", "And backward");
  l.given("wrapper", b.wrapper);
  l.given("split", b.split);
  const auto go_backward = [&](const std::string& name, const nn::Module& module) {
    const Tensor out = l.show(name, module(b.batch)[0]);
    const Tensor loss = l.show(name + "_loss", sum(square(out)));
    l.loss(name + "_loss", loss);
    loss.backward();
  };
  go_backward("wrapper", b.wrapper);
  go_backward("split", b.split);
  std::vector<Tensor> grads;
  for (const auto& head : b.wrapper.heads) grads.push_back(head->W_query.weight.grad());
  l.code(
      "wrapper_loss = (wrapper(batch) ** 2).sum()\nwrapper_loss.backward()\n"
      "split_loss = (mha(batch) ** 2).sum()\nsplit_loss.backward()\n"
      "print(mha.W_query.weight.grad)\ngrads = [head.W_query.weight.grad for head in wrapper.heads]\n"
      "wrapper_grad = torch.cat(grads)");
  const Tensor split_grad = l.print("split_grad", b.split.W_query.weight.grad());
  const Tensor wrapper_grad = l.show("wrapper_grad", cat(grads, 0));
  l.say(
      "The heads' gradients, one below the other, are the gradient of the large matrix: {} between them. "
      "Both would learn the same.",
      largest_difference(split_grad, wrapper_grad));
}

void costs(Narrator& l, const Both& b) {
  const Costs wrapper = costs_of([&] { b.wrapper(b.batch); }), split = costs_of([&] { b.split(b.batch); });
  l.step("costs", "Then why split?");
  l.show("products", from_values(std::vector<int64_t>{wrapper.products, split.products}, {2}));
  l.show("parameters", from_values(std::vector<int64_t>{numbers_in(b.wrapper.named_parameters()),
                                                        numbers_in(b.split.named_parameters())},
                                   {2}));
  l.say("The wrapper calls for {} products of matrices, the other class for {}, its out_proj among them.",
        wrapper.products, split.products);
  l.say(
      "With many heads the wrapper's are many and small, and a processor is fastest at few and large ones. "
      "The numbers that are multiplied are the same, but for out_proj.");
}

void mixing(Narrator& l, const Both& b) {
  const int64_t d_out = b.heads * b.head_dim;
  const nn::Linear out_proj(d_out, d_out);
  const NoGrad off;
  l.step("mixing", "What out_proj adds");
  l.code("out_proj = torch.nn.Linear(d_out, d_out)\nmixed = out_proj(mha(batch))[0]");
  l.show("out_proj.weight", out_proj.weight);
  l.show("out_proj.bias", out_proj.bias);
  const Tensor mixed = l.show("mixed", out_proj(b.split(b.batch))[0]);
  l.say(
      "A drawn one changes the result by up to {}: now every number of a row is made of all heads. That is "
      "the one thing the wrapper lacks.",
      apart(mixed, b.split(b.batch)[0]));
  if (b.heads > 1)
    l.say("Without it the heads' findings would lie side by side and never meet in this layer.");
}

void remember(Narrator& l) {
  l.step("remember", "To remember");
  l.say(
      "One large matrix is the heads' matrices one below the other; view and transpose find the heads "
      "again.");
  l.say(
      "The same weights give the same numbers, forward and backward. Only out_proj is more than the wrapper "
      "has.");
  l.say("d_out means one head's width in the wrapper and all heads' width in the split class.");
}

Tensor inputs(const Settings& s) { return journey.inputs(s); }

Plan plan(const Settings& s) {
  const double tokens = double(s.inputs.size(0)), heads = double(s.count("--heads"));
  return {tokens * tokens * heads * 30 + tokens * double(s.inputs.size(1)) * 8, "fewer rows or fewer --heads",
          3, 200 * heads};
}

void tell(Narrator& l, const Settings& s) {
  manual_seed(s.seed("--seed"));
  const Both b(s, s.inputs.size(0), s.inputs.size(1));
  question(l, s, b);
  stack_weights(l, b);
  projections(l, b);
  cut(l, b);
  {
    const NoGrad off;
    const Attended one = head_by_head(b), all = all_heads_at_once(b);
    attention_of_heads(l, b, one, all);
    back_together(l, b, one, all);
  }
  the_same(l, b);
  gradients(l, b);
  costs(l, b);
  mixing(l, b);
  remember(l);
}

constexpr const char* kTokens[] = {"Your", "journey", "starts", "with", "one", "step"};

}  // namespace

const Lesson heads_same = {
    .id = "heads.same",
    .group = Group::Attention,
    .source = "Several heads, or one that is split?",
    .understand =
        "that the wrapper and the class that splits heads are one computation, and what out_proj adds",
    .minutes = 9,
    .parameters = kParameters,
    .axes = kAxes,
    .tokens = kTokens,
    .inputs = inputs,
    .plan = plan,
    .tell = tell,
};

}  // namespace glassgrad::learn
