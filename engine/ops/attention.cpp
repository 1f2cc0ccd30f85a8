// Scaled dot-product attention as one op.
#include <algorithm>
#include <cmath>

#include "../autocast.h"
#include "../glass/expression.h"
#include "../glass/why.h"
#include "../matmul_precision.h"
#include "../ops.h"
#include "kernels.h"
#include "layout.h"
#include "promote.h"

namespace glassgrad {
namespace {

struct Attention {
  double scale = 1;
  bool is_causal = false, masked = false;  // masked: the fourth input is a mask
  static constexpr AttrNames kNames{"scale", "is_causal"};
};
Expr why_attention(const Cell& c);
Expr why_attention_grad(const Cell& c);

constexpr Op attention_op{"scaled_dot_product_attention", "ScaledDotProductFlashAttentionForCpuBackward0",
                          "Σⱼ softmaxⱼ(Σₖ query[t,k]·key[j,k]·scale)·value[j,d]", why_attention},
    attention_grad_op{"scaled_dot_product_attention_backward", "",
                      "with weights p and g·valueᵀ as their gradient: p ⊙ (g·valueᵀ − Σ p ⊙ g·valueᵀ)·scale, "
                      "times key, or its transpose times query; pᵀ·g",
                      why_attention_grad};

// ---------------------------------------------------------------- where a cell comes from
// One head of a call, of which q, k, v and perhaps a mask are the inputs from number `first` on.
struct OpenedHead {
  const Cell& c;
  size_t first;
  const Attention& a;
  Dims lead;  // of the result: which head

  int64_t keys() const { return c.input(first + 1).size(-2); }
  // Element (row, column) of input number i for this head; leading dimensions broadcast.
  Expr at(size_t i, int64_t row, int64_t column) const {
    const Dims& shape = c.input(i).shape();
    Dims place;
    const int leads = shape.n - 2;
    for (int d = 0; d < leads; ++d) place.push(shape[d] == 1 ? 0 : lead[lead.n - leads + d]);
    if (leads >= 0) place.push(shape[leads] == 1 ? 0 : row);
    place.push(shape[shape.n - 1] == 1 ? 0 : column);
    return c.in(i, place);
  }
  // The weights of a query, of the keys that it sees.
  std::vector<Expr> weights(int64_t query) const {
    const int64_t width = c.input(first).size(-1), count = a.is_causal ? std::min(keys(), query + 1) : keys();
    std::vector<Expr> scores;
    for (int64_t j = 0; j < count; ++j) {
      std::vector<Expr> left, right;
      for (int64_t k = 0; k < width; ++k)
        left.push_back(at(first, query, k)), right.push_back(at(first + 1, j, k));
      const Expr score = dot(left, right, true) * Expr(a.scale);
      if (!a.masked)
        scores.push_back(score);
      else if (c.input(first + 3).dtype() == boolean)
        scores.push_back(where(at(first + 3, query, j), score, Expr(-INFINITY)));
      else
        scores.push_back(score + at(first + 3, query, j));
    }
    if (scores.empty()) return {};
    Exps e = exps_of(scores);
    if (to_double(e.top.value()) == -INFINITY) return std::vector<Expr>(scores.size(), Expr(0.0));
    for (Expr& weight : e.exps) weight = weight / e.sum;
    return e.exps;
  }
};

OpenedHead head_of(const Cell& c, size_t first) {
  Dims lead = c.index;
  lead.n = std::max(lead.n - 2, 0);
  return {c, first, c.attr<Attention>(), lead};
}

Expr why_attention(const Cell& c) {
  const OpenedHead head = head_of(c, 0);
  const int64_t query = c.index[c.index.n - 2], column = c.index[c.index.n - 1];
  const std::vector<Expr> weights = head.weights(query);
  std::vector<Expr> values;
  for (size_t j = 0; j < weights.size(); ++j) values.push_back(head.at(2, int64_t(j), column));
  return dot(weights, values, true);
}

// The gradients of a query's scaled scores. Inputs: g, q, k, v and perhaps a mask.
std::vector<Expr> score_gradients(const OpenedHead& head, int64_t query) {
  const std::vector<Expr> weights = head.weights(query);
  std::vector<Expr> grads, products;
  for (size_t j = 0; j < weights.size(); ++j) {
    std::vector<Expr> g, v;
    for (int64_t d = 0; d < head.c.input(0).size(-1); ++d)
      g.push_back(head.at(0, query, d)), v.push_back(head.at(3, int64_t(j), d));
    grads.push_back(dot(g, v, true));
    products.push_back(weights[j] * grads.back());
  }
  const Expr total = sum(products).called("Σ weight·gradient");
  for (size_t j = 0; j < grads.size(); ++j) grads[j] = weights[j] * (grads[j] - total) * Expr(head.a.scale);
  return grads;
}

// Results: the gradients of q, k and v, of the whole batch.
Expr why_attention_grad(const Cell& c) {
  const OpenedHead head = head_of(c, 1);
  const int64_t row = c.index[c.index.n - 2], column = c.index[c.index.n - 1], queries = c.input(0).size(-2);
  std::vector<Expr> left, right;
  if (c.out == 0) {
    left = score_gradients(head, row);
    for (size_t j = 0; j < left.size(); ++j) right.push_back(head.at(2, int64_t(j), column));
    return dot(left, right, true);
  }
  for (int64_t query = head.a.is_causal ? row : 0; query < queries; ++query) {
    left.push_back(c.out == 1 ? score_gradients(head, query)[size_t(row)] : head.weights(query)[size_t(row)]);
    right.push_back(c.out == 1 ? head.at(1, query, column) : head.at(0, query, column));
  }
  return dot(left, right, true);
}

// ---------------------------------------------------------------- shapes
void check_arguments(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, bool is_causal) {
  check(q.dim() >= 2 && k.dim() >= 2 && v.dim() >= 2,
        "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {} key.dim: {} "
        "and value.dim: {} instead.",
        q.dim(), k.dim(), v.dim());
  check(q.dtype() == k.dtype() && q.dtype() == v.dtype(),
        "Expected query, key, and value to have the same dtype, but got query.dtype: {} key.dtype: {} and "
        "value.dtype: {} instead.",
        cpp_type_name(q.dtype()), cpp_type_name(k.dtype()), cpp_type_name(v.dtype()));
  check(is_floating(q.dtype()), "\"scaled_dot_product_attention\" not implemented for '{}'",
        scalar_type_name(q.dtype()));
  check(
      q.size(-1) == k.size(-1) && k.size(-2) == v.size(-2),
      "scaled_dot_product_attention: query {} and key {} must have the same last size, key and value {} the "
      "same number of rows",
      q.shape(), k.shape(), v.shape());
  check(!mask || !is_causal,
        "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
  check(
      !mask || mask.dtype() == boolean || mask.dtype() == q.dtype(),
      "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: {} and "
      " query.dtype: {} instead.",
      mask ? cpp_type_name(mask.dtype()) : "", cpp_type_name(q.dtype()));
}

Dims lead_of(const Tensor& x) {
  Dims lead = x.shape();
  lead.n = std::max(lead.n - 2, 0);
  return lead;
}
Dims with_sizes(Dims lead, int64_t rows, int64_t columns) {
  lead.push(rows);
  lead.push(columns);
  return lead;
}

// A result whose heads lie inside its rows, as the layers before and after the op have them: (…, H, T, D) in
// the place of (…, T, H, D).
Tensor heads_inside_rows(const Dims& shape, DType dtype, Device device) {
  if (shape.n < 4) return empty_contiguous(shape, dtype, device);
  Dims stored = shape;
  std::swap(stored[shape.n - 3], stored[shape.n - 2]);
  Dims strides = contiguous_strides(stored);
  std::swap(strides[shape.n - 3], strides[shape.n - 2]);
  return empty_strided(shape, strides, dtype, device);
}

// The inputs with one batch, as the kernels read them: outside of the graph.
struct Expanded {
  Dims lead;
  AttentionInputs in;
  Tensor widened[4] = {};  // what they are views of, if the inputs are narrow

  Expanded(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, const Attention& a) {
    const NoGrad no_graph;
    const Watch nobody(nullptr);
    lead = broadcast(broadcast(lead_of(q), lead_of(k)), lead_of(v));
    if (mask) lead = broadcast(lead, lead_of(mask));
    Tensor* next = widened;
    const auto view = [&](const Tensor& x, int64_t rows, int64_t columns) {
      Tensor& wide = *next++ = glassgrad::widened(x);
      return wide.expand(with_sizes(lead, rows, columns)).raw();
    };
    const auto own = [&](const Tensor& x) { return view(x, x.size(-2), x.size(-1)); };
    View m{nullptr, {}, {}, boolean};
    if (mask) m = view(mask, q.size(-2), k.size(-2));
    in = {own(q), own(k), own(v), m, a.scale, a.is_causal, matmul_precision() == MatmulPrecision::bf16};
  }
};

// ---------------------------------------------------------------- backward
// What the node saves: the inputs, the result, the logarithms of the sums.
enum SavedData { kQuery, kKey, kValue, kMask, kResult, kLogSums };

// Σ g⊙y of each query.
Tensor products_summed(const Tensor& g, const Tensor& y) {
  if (y.device() == kCpu) return sum(g * y, -1).contiguous();
  Dims rows = y.shape();
  --rows.n;
  const Tensor sums = dense_result(rows, y);
  kernel_for<void(const View&, const View&, const View&)>(y.device(), nullptr, GG_CUDA(row_dots))(
      g.raw(), y.raw(), sums.raw());
  return sums;
}

// Few heads are cut into parts, of some hundred keys at least, so that four threads have work. The numbers,
// not the threads, decide: sums are the same for any number of these.
int64_t parts_of_heads(const Dims& lead, int64_t keys) {
  constexpr int64_t kEnough = 4, kLeastKeys = 256;
  const int64_t heads = std::max<int64_t>(lead.numel(), 1);
  return std::clamp((kEnough + heads - 1) / heads, int64_t{1}, std::max<int64_t>(keys / kLeastKeys, 1));
}

void fused_grad(Back& b, const Attention& a) {
  const Tensor q = b.saved(kQuery), k = b.saved(kKey), v = b.saved(kValue);
  const Tensor mask = a.masked ? b.saved(kMask) : Tensor();
  const Expanded batch(q, k, v, mask, a);
  const Tensor g = b.g.strides()[b.g.shape().n - 1] == 1 ? b.g : dense(b.g);
  std::vector<Tensor> d;
  {
    const Watch nobody(nullptr);
    const Tensor sums = products_summed(widened(g), widened(b.saved(kResult)));
    const auto zeros_for = [&](const Dims& lead, const Tensor& x) {
      return zero_(
          heads_inside_rows(with_sizes(lead, x.size(-2), x.size(-1)), computed_in(x.dtype()), x.device()));
    };
    const int64_t parts = g.device() == kCpu ? parts_of_heads(batch.lead, k.size(-2)) : 1;
    d = {zeros_for(parts > 1 ? Dims{parts, batch.lead.numel()} : batch.lead, q), zeros_for(batch.lead, k),
         zeros_for(batch.lead, v)};
    kernel_for(g.device(), kernels().attention_grad, GG_CUDA(attention_grad))(
        batch.in, Wide(g.raw()), b.saved(kLogSums).raw(), sums.raw(), d[0].raw(), d[1].raw(), d[2].raw());
    if (parts > 1) d[0] = sum(d[0], 0).reshape(with_sizes(batch.lead, q.size(-2), q.size(-1)));
    for (Tensor& each : d) each = to(each, q.dtype());
  }
  std::vector<const Tensor*> in = {&g, &q, &k, &v};
  if (mask) in.push_back(&mask);
  record_outputs(attention_grad_op, d, 0, in, {}, a, [](Back&, const Attention&) {});
  for (int i = 0; i < 3; ++i) b[i] = d[size_t(i)];
}

// The same out of ops, which can be differentiated again, and tell the gradient of a mask.
void composed_grad(Back& b, const Attention& a) {
  const Tensor q = b.saved(kQuery), k = b.saved(kKey), v = b.saved(kValue);
  if (k.size(-2) == 0) return;  // no score that a gradient could go through
  Tensor scores = matmul(q, k.transpose(-2, -1)) * a.scale, unseen;
  if (a.is_causal) unseen = to(triu(ones({q.size(-2), k.size(-2)}, float32, q.device()), 1), boolean);
  if (a.masked && b.saved(kMask).dtype() == boolean) unseen = ~b.saved(kMask);
  if (a.masked && !unseen) scores = scores + b.saved(kMask);
  if (unseen) scores = masked_fill(scores, unseen, -INFINITY);
  const Tensor blind = eq(amax(scores.detach(), -1, true), -INFINITY);  // a query that sees nothing
  const Tensor weights = masked_fill(softmax(masked_fill(scores, blind, 0), -1), blind, 0);
  const Tensor of_weights = matmul(b.g, v.transpose(-2, -1));
  const Tensor of_scores = weights * (of_weights - sum(weights * of_weights, -1, true));
  if (b.needs(kQuery)) b[kQuery] = matmul(of_scores, k) * a.scale;
  if (b.needs(kKey)) b[kKey] = matmul(of_scores.transpose(-2, -1), q) * a.scale;
  if (b.needs(kValue)) b[kValue] = matmul(weights.transpose(-2, -1), b.g);
  if (a.masked && b.needs(kMask)) b[kMask] = of_scores;
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask, bool is_causal, std::optional<double> scale) {
  if (lowers({&query, &key, &value, &attn_mask}))
    return scaled_dot_product_attention(lowered(query), lowered(key), lowered(value), lowered(attn_mask),
                                        is_causal, scale);
  check_arguments(query, key, value, attn_mask, is_causal);
  check_same_device({&query, &key, &value, &attn_mask});
  const double width = double(std::max<int64_t>(query.size(-1), 1));
  const Attention a{scale.value_or(1 / std::sqrt(width)), is_causal, bool(attn_mask)};
  const Expanded batch(query, key, value, attn_mask, a);
  const Tensor y = heads_inside_rows(with_sizes(batch.lead, query.size(-2), value.size(-1)), query.dtype(),
                                     query.device());
  Dims rows = y.shape();
  --rows.n;
  const Tensor log_sums = dense_result(rows, query, computed_in(query.dtype()));
  if (y.numel() > 0)
    kernel_for(y.device(), kernels().attention, GG_CUDA(attention))(batch.in, Rounded(y.raw()),
                                                                    log_sums.raw());

  std::vector<const Tensor*> in = {&query, &key, &value};
  if (attn_mask) in.push_back(&attn_mask);
  const Tensor& mask = attn_mask ? attn_mask : query;
  return record(attention_op, y, in,
                {{&query}, {&key}, {&value}, {&mask, bool(attn_mask)}, {&y}, {&log_sums}}, a,
                [](Back& b, const Attention& at) {
                  grad_mode || b.g.numel() == 0 || (at.masked && b.needs(kMask)) ? composed_grad(b, at)
                                                                                 : fused_grad(b, at);
                });
}

}  // namespace glassgrad
