#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/lesson/phrases.h"
#include "apps/lessons/mistakes/mistakes.h"
#include "engine/ops.h"
#include "engine/print.h"
#include "nn/functional.h"

namespace glassgrad::learn {
namespace {

// ---- one attention, with switches for what can go wrong
struct Attention {
  enum class Scale : uint8_t { Head, None, Model, Twice } scale = Scale::Head;
  enum class Mask : uint8_t { None, MinusInfinity, Zero } mask = Mask::None;
  bool split = false, view_first = false;
  int64_t softmax_dim = -1;
};

struct Projected {
  Tensor queries, keys, values;
};

Projected project(Narrator& l, const Lab& lab) {
  l.step("projections", "Queries, keys and values");
  const int64_t features = lab.x.size(1), width = lab.d_model();
  l.code(fmt::format("torch.manual_seed({})", lab.seed_text));
  l.code(fmt::format("W_query, W_key, W_value = (torch.rand({}, {}) for _ in range(3))", features, width));
  l.code("queries, keys, values = inputs @ W_query, inputs @ W_key, inputs @ W_value");
  manual_seed(lab.seed);
  const Tensor W_query = rand({features, width}), W_key = rand({features, width});
  const Tensor W_value = rand({features, width});
  return {l.show("queries", matmul(lab.x, W_query)), l.show("keys", matmul(lab.x, W_key)),
          l.show("values", matmul(lab.x, W_value))};
}

Projected split(Narrator& l, const Lab& lab, const Projected& p, bool view_first) {
  l.step("heads", "Parted into heads");
  const int64_t tokens = lab.x.size(0), heads = lab.heads, head_dim = lab.head_dim;
  l.code(view_first ? "queries = queries.view(num_heads, num_tokens, head_dim)"
                    : "queries = queries.view(num_tokens, num_heads, head_dim).transpose(0, 1)");
  l.code("...  # keys and values in the same way");
  const auto parted = [&](const Tensor& x) {
    return view_first ? x.view({heads, tokens, head_dim}) : x.view({tokens, heads, head_dim}).transpose(0, 1);
  };
  return {l.show("queries", parted(p.queries)), l.show("keys", parted(p.keys)),
          l.show("values", parted(p.values))};
}

Tensor future(int64_t tokens) { return to(triu(ones({tokens, tokens}), 1), boolean); }

Tensor masked(Narrator& l, const Tensor& attn_scores, Attention::Mask mask) {
  l.step("masked-scores", "No token sees a later one");
  const bool zero = mask == Attention::Mask::Zero;
  l.code("future = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()");
  l.code(fmt::format("masked_scores = attn_scores.masked_fill(future, {})", zero ? "0" : "-torch.inf"));
  const Tensor fill = zero ? 0.0 : -std::numeric_limits<double>::infinity();
  return l.show("masked_scores", masked_fill(attn_scores, future(attn_scores.size(-1)), fill));
}

Tensor scaled(Narrator& l, const Lab& lab, const Tensor& scores, const char* name, Attention::Scale scale) {
  using Scale = Attention::Scale;
  l.step("scaled-scores", "Divided");
  const double head = std::sqrt(double(lab.head_dim)), model = std::sqrt(double(lab.d_model()));
  switch (scale) {
    case Scale::Head:
      l.code(fmt::format("scaled_scores = {} / head_dim**0.5", name));
      return l.show("scaled_scores", scores / Tensor(head));
    case Scale::None:
      l.code(fmt::format("scaled_scores = {}", name));
      return l.show("scaled_scores", scores);
    case Scale::Model:
      l.code(fmt::format("scaled_scores = {} / d_model**0.5", name));
      return l.show("scaled_scores", scores / Tensor(model));
    case Scale::Twice:
      l.code(fmt::format("scaled_scores = {} / head_dim**0.5 / head_dim**0.5", name));
      return l.show("scaled_scores", scores / Tensor(head) / Tensor(head));
  }
  return {};
}

Tensor weights(Narrator& l, const Tensor& scaled_scores, int64_t dim) {
  l.step("weights", "Attention weights");
  l.code(fmt::format("attn_weights = torch.softmax(scaled_scores, dim={})", dim));
  return l.show("attn_weights", softmax(scaled_scores, dim));
}

void context(Narrator& l, const Tensor& attn_weights, const Tensor& values, const char* name) {
  l.step("context", "What the tokens read");
  const Tensor read = matmul(attn_weights, values);
  l.code(fmt::format("context_vec = {} @ values", name));
  if (read.dim() == 3) l.code("context_vec = context_vec.transpose(0, 1).reshape(num_tokens, d_model)");
  l.show("context_vec", read.dim() == 3 ? read.transpose(0, 1).flatten(1) : read);
}

struct Attended {
  Tensor attn_weights, values;
};
Attended attend(Narrator& l, const Lab& lab, const Attention& a) {
  Projected p = project(l, lab);
  if (a.split) p = split(l, lab, p, a.view_first);
  l.step("scores", "Each query times each key");
  l.code("attn_scores = queries @ keys.transpose(-2, -1)");
  Tensor scores = l.show("attn_scores", matmul(p.queries, p.keys.transpose(-2, -1)));
  const bool hides = a.mask != Attention::Mask::None;
  if (hides) scores = masked(l, scores, a.mask);
  const Tensor scaled_scores = scaled(l, lab, scores, hides ? "masked_scores" : "attn_scores", a.scale);
  return {weights(l, scaled_scores, a.softmax_dim), p.values};
}

void tell(Narrator& l, const Lab& lab, const Attention& a) {
  const Attended attended = attend(l, lab, a);
  context(l, attended.attn_weights, attended.values, "attn_weights");
}

// One head as wide as all.
Lab one_head(Lab lab) {
  lab.head_dim = lab.d_model();
  lab.heads = 1;
  return lab;
}

// ---- numbers for the explanations
double average_of_largest(const Tensor& attn_weights) { return mean(amax(attn_weights, {-1})).item(); }

// Of dot products of random queries and keys, divided.
std::string variance(const Lab& lab, double divisor) {
  Generator g(lab.seed);
  constexpr int64_t kDraws = 10'000;
  const Tensor q = randn({kDraws, lab.head_dim}, float32, g), k = randn({kDraws, lab.head_dim}, float32, g);
  return digits(var(sum(q * k, {-1}) / Tensor(divisor)));
}

// cause: what the scores are divided by; divisor: that number.
Explanation about_scale(const Lab& lab, const Recording& right, const Recording& wrong, double divisor,
                        const std::string& cause) {
  const double one = average_of_largest(tensor_of(right, "attn_weights"));
  const double other = average_of_largest(tensor_of(wrong, "attn_weights"));
  const char* what = other > one   ? "so softmax is too sharp"
                     : other < one ? "so softmax is too flat"
                                   : "which softmax hardly shows here";
  return {
      fmt::format("{}, {}: on average the largest weight of a row is {} instead of {}.", cause, what,
                  digits(other), digits(one)),
      fmt::format(
          "The variance of the scaled scores of random queries and keys, torch.randn(10000, {}): {} here. "
          "Divided by the root of their width it is about 1 for every width, {} in this draw.",
          lab.head_dim, variance(lab, divisor), variance(lab, std::sqrt(double(lab.head_dim))))};
}

// ---- the mistakes
void view_first(Narrator& l, const Lab& lab, bool wrong) {
  tell(l, lab, {.split = true, .view_first = wrong});
}
Explanation about_view_first(const Lab& lab, const Recording&, const Recording&) {
  const int64_t tokens = lab.x.size(0), width = lab.d_model();
  int64_t foreign = 0, first_head = -1, first_row = -1;
  for (int64_t h = 0; h < lab.heads; ++h)
    for (int64_t t = 0; t < tokens; ++t) {
      if ((h * tokens + t) * lab.head_dim / width == t) continue;
      if (foreign++ == 0) first_head = h, first_row = t;
    }
  const int64_t place = (first_head * tokens + first_row) * lab.head_dim;
  return {
      fmt::format(
          "view cuts the memory in the order in which it lies, and there all heads of a token stand "
          "side by side. Row {} of head {} ought to belong to {}, but holds columns {} to {} of {}; {} "
          "of {} rows hold numbers of another token, so a causal mask would hide the wrong ones.",
          first_row, first_head, in_quotes(lab.tokens[size_t(first_row)]), place % width,
          place % width + lab.head_dim - 1, in_quotes(lab.tokens[size_t(place / width)]), foreign,
          lab.heads * tokens),
      "No shape is wrong and nothing fails. Print queries[0, 1] beside the first numbers of row 1 before the "
      "heads were parted: they must be the same."};
}

void softmax_dim0(Narrator& l, const Lab& lab, bool wrong) {
  tell(l, one_head(lab), {.softmax_dim = wrong ? 0 : -1});
}
Explanation about_softmax_dim0(const Lab& lab, const Recording&, const Recording& wrong) {
  const Tensor w = tensor_of(wrong, "attn_weights");
  return {
      fmt::format(
          "dim=0 shares out each key among the queries: columns add to {}, but the weights of query {} "
          "add to {}, so its context vector is no average of the values.",
          digits(sum(w, {0})[0]), in_quotes(lab.tokens[0]), digits(sum(w, {-1})[0])),
      "print(attn_weights.sum(dim=-1)): each must be 1. Writing dim=-1 keeps it right with batches and heads."};
}

void no_scale(Narrator& l, const Lab& lab, bool wrong) {
  tell(l, one_head(lab), {.scale = wrong ? Attention::Scale::None : Attention::Scale::Head});
}
Explanation about_no_scale(const Lab& lab, const Recording& right, const Recording& wrong) {
  const int64_t d = lab.d_model();
  return about_scale(
      one_head(lab), right, wrong, 1,
      fmt::format("A dot product of {} numbers grows with their number, and nothing divides it by "
                  "sqrt({}) = {}",
                  d, d, digits(std::sqrt(double(d)))));
}

void scale_model(Narrator& l, const Lab& lab, bool wrong) {
  tell(l, lab, {.scale = wrong ? Attention::Scale::Model : Attention::Scale::Head, .split = true});
}
Explanation about_scale_model(const Lab& lab, const Recording& right, const Recording& wrong) {
  const double divisor = std::sqrt(double(lab.d_model()));
  Explanation e = about_scale(
      lab, right, wrong, divisor,
      fmt::format(
          "A head's dot product has head_dim = {} terms, not d_model = {}: the scores are divided by {} "
          "instead of {}",
          lab.head_dim, lab.d_model(), digits(divisor), digits(std::sqrt(double(lab.head_dim)))));
  e.reveal += " A test with one head cannot see it: there both are the same.";
  return e;
}

void scale_twice(Narrator& l, const Lab& lab, bool wrong) {
  tell(l, one_head(lab), {.scale = wrong ? Attention::Scale::Twice : Attention::Scale::Head});
}
Explanation about_scale_twice(const Lab& lab, const Recording& right, const Recording& wrong) {
  const int64_t d = lab.d_model();
  return about_scale(
      one_head(lab), right, wrong, double(d),
      fmt::format("Once where the scores are made and again at the softmax: they are divided by {} "
                  "instead of {}",
                  d, digits(std::sqrt(double(d)))));
}

void mask_zero(Narrator& l, const Lab& lab, bool wrong) {
  tell(l, one_head(lab), {.mask = wrong ? Attention::Mask::Zero : Attention::Mask::MinusInfinity});
}
Explanation about_mask_zero(const Lab& lab, const Recording&, const Recording& wrong) {
  const Tensor w = tensor_of(wrong, "attn_weights");
  return {
      fmt::format(
          "A score of 0 is not nothing: exp(0) is 1. {} gives {} of its attention to tokens that come "
          "later, where -inf would leave none, for exp(-inf) is 0.",
          in_quotes(lab.tokens[0]), digits(sum(triu(w, 1)[0]))),
      "print(attn_weights.triu(diagonal=1)): it must be all zeros. Or change the last token with --set: no row "
      "before it may move."};
}

// Both mask after the softmax; the right one makes rows add to 1 again.
void mask_after(Narrator& l, const Lab& lab, bool wrong) {
  const Attended a = attend(l, one_head(lab), {});
  l.step("masked-weights", "The future's weights become 0");
  l.code("masked_weights = attn_weights * torch.tril(torch.ones(num_tokens, num_tokens))");
  const Tensor kept = l.show("masked_weights", a.attn_weights * tril(ones({lab.x.size(0), lab.x.size(0)})));
  l.step("normalised", "What is left adds to 1 again");
  l.code(wrong ? "normalised_weights = masked_weights"
               : "normalised_weights = masked_weights / masked_weights.sum(dim=-1, keepdim=True)");
  const Tensor w = l.show("normalised_weights", wrong ? kept : kept / sum(kept, {-1}, true));
  context(l, w, a.values, "normalised_weights");
}
Explanation about_mask_after(const Lab& lab, const Recording& right, const Recording& wrong) {
  const Tensor before = softmax(masked_fill(tensor_of(right, "scaled_scores"), future(lab.x.size(0)),
                                            -std::numeric_limits<double>::infinity()),
                                -1);
  return {fmt::format(
              "Softmax has counted the future in, and what was given to it is lost: the weights of {} add "
              "to {}, so it reads {} times its value. Divided by their sums the rows are those of -inf "
              "before the softmax; the largest difference is {}.",
              in_quotes(lab.tokens[0]), digits(sum(tensor_of(wrong, "normalised_weights"), {-1})[0]),
              digits(tensor_of(wrong, "normalised_weights")[0][0]),
              largest_difference(tensor_of(right, "normalised_weights"), before)),
          "print(attn_weights.sum(dim=-1)) after everything that touches the weights: each must be 1."};
}

void dropout_no_scale(Narrator& l, const Lab& lab, bool wrong) {
  const Attended a = attend(l, one_head(lab), {});
  l.step("kept", "Which weights the dropout keeps");
  const std::string p = python_float(lab.dropout);
  l.code(fmt::format("kept = torch.bernoulli(torch.full((num_tokens, num_tokens), 1 - {}))", p));
  const auto drawn = [&](const Tensor& x) {
    manual_seed(lab.seed);
    return nn::functional::dropout(x, lab.dropout);
  };
  const Tensor kept = l.show("kept", to(drawn(ones_like(a.attn_weights)) != Tensor(0.0), float32));
  l.step("dropout", "Dropout");
  l.code(wrong ? "dropped_weights = attn_weights * kept"
               : fmt::format("dropped_weights = attn_weights * kept / (1 - {})", p));
  const Tensor w = l.show("dropped_weights", wrong ? a.attn_weights * kept : drawn(a.attn_weights));
  context(l, w, a.values, "dropped_weights");
}
Explanation about_dropout_no_scale(const Lab& lab, const Recording& right, const Recording& wrong) {
  const auto total = [](const Recording& r) { return digits(sum(tensor_of(r, "dropped_weights"))); };
  return {fmt::format(
              "Of {} rows that add to 1, {} is left instead of {}: without 1/(1 - {}) = {} the model sees "
              "in training {} of what it sees in evaluation, where nothing is dropped.",
              lab.x.size(0), total(wrong), total(right), python_float(lab.dropout),
              digits(1 / (1 - lab.dropout)), digits(1 - lab.dropout)),
          fmt::format("torch.ones(1000).mean() after the dropout: about 1 when right, about {} here.",
                      digits(1 - lab.dropout))};
}

constexpr bool kTokens = true;
constexpr Mistake kAttentionRows[] = {
    {"view-first", "parts the heads by view(num_heads, num_tokens, head_dim), without a transpose", kTokens,
     view_first, about_view_first},
    {"softmax-dim0", "softmax over the queries, dim=0, instead of the keys", kTokens, softmax_dim0,
     about_softmax_dim0},
    {"no-scale", "does not divide the scores", kTokens, no_scale, about_no_scale},
    {"scale-model", "divides the scores by sqrt(d_model) instead of sqrt(head_dim)", kTokens, scale_model,
     about_scale_model},
    {"scale-twice", "divides the scores by sqrt(head_dim) twice", kTokens, scale_twice, about_scale_twice},
    {"mask-zero", "hides the future's scores with 0 instead of -inf before the softmax", kTokens, mask_zero,
     about_mask_zero},
    {"mask-after", "sets the future's weights to 0 after the softmax and leaves the rest as it is", kTokens,
     mask_after, about_mask_after},
    {"dropout-no-scale", "drops weights without multiplying the others by 1/(1 - p)", kTokens,
     dropout_no_scale, about_dropout_no_scale},
};

}  // namespace

constinit const std::span<const Mistake> kMistakesOfAttention = kAttentionRows;

}  // namespace glassgrad::learn
