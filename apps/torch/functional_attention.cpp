// torch.nn.functional.scaled_dot_product_attention: the engine's op where PyTorch has a single op on the CPU,
// else step by step.
#include <algorithm>
#include <cmath>

#include "engine/autocast.h"
#include "engine/ops/attention.h"
#include "engine/ops/promote.h"
#include "nn/functional.h"
#include "table.h"

namespace glassgrad::GG_HOST {

namespace {

// A mask as numbers to add to the scores: −∞ where a bool is false.
Tensor addend(const Tensor& mask, DType dtype) {
  if (!mask || mask.dtype() != boolean) return mask;
  return masked_fill(zeros(mask.shape(), dtype, mask.device()), logical_not(mask), -INFINITY);
}

// Returns whether a mask of 2 or 4 dimensions fits scores (N, heads, L, S) and needs no gradient.
bool spreads_over(const Tensor& mask, const Dims& scores) {
  if (needs_grad(mask)) return false;
  mask.size(-2);  // throws IndexError for fewer dimensions
  if (mask.dim() != 2 && mask.dim() != 4) return false;
  for (int64_t d = 1; d <= mask.dim(); ++d)
    if (mask.size(-d) != 1 && mask.size(-d) != scores[int(scores.n - d)]) return false;
  return true;
}
// Returns whether PyTorch has a single op for these on the CPU: (N, heads, length, width) with the same
// width, contiguous along it, and no dropout.
bool is_one_op(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, double dropout_p) {
  if (q.dim() != 4 || k.dim() != 4 || v.dim() != 4 || dropout_p != 0 || !is_floating(q.dtype())) return false;
  for (const int64_t d : {0, 1, 3})
    if (q.size(d) != k.size(d) || q.size(d) != v.size(d)) return false;
  for (const Tensor* x : {&q, &k, &v})
    if (x->strides()[3] != 1) return false;
  if (k.size(2) != v.size(2) || q.size(2) == 0 || k.size(2) == 0) return false;
  return !mask || spreads_over(mask, {q.size(0), q.size(1), q.size(2), k.size(2)});
}

Tensor seen_from(int64_t queries, int64_t keys, Device device) {
  return tril(ones({queries, keys}, boolean, device));
}

// Repeats each head of x for all heads of the queries that share it.
Tensor shared_by(const Tensor& x, int64_t heads) {
  const int64_t d = x.dim() - 3, own = x.size(-3);
  if (own == heads) return x;
  Dims shape = x.unsqueeze(d + 1).shape();
  shape[int(d + 1)] = heads / own;
  return x.unsqueeze(d + 1).expand(shape).flatten(d, d + 1);
}

Tensor in_steps(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, double dropout_p,
                bool causal, double scale) {
  if (const DType t = q.dtype(); is_narrow(t) && is_floating(t)) {  // to round once
    const Autocast as_they_are(float32, q.device().type);
    const auto wide = [](const Tensor& x) { return x ? to(x, float32) : x; };
    return to(in_steps(wide(q), wide(k), wide(v), wide(mask), dropout_p, causal, scale), t);
  }
  check(!causal || !mask,
        "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
  Tensor scores = matmul(q, k.transpose(-2, -1)) * scale;
  const Tensor added = causal ? addend(seen_from(q.size(-2), k.size(-2), q.device()), scores.dtype()) : mask;
  if (added) {
    check_shape(scores, broadcast(scores.shape(), added.shape()));
    scores = scores + added;
  }
  return matmul(nn::functional::dropout(safe_softmax(scores, -1), dropout_p), v);
}

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, double dropout_p,
                 bool causal, std::optional<double> scale, bool shares_heads) {
  check_attention_types(q, k, v, mask);
  check(dropout_p >= 0 && dropout_p <= 1, "dropout probability has to be between 0 and 1, but got {}",
        dropout_p);
  if (lowers({&q, &k, &v, &mask})) {
    const bool adds = mask && mask.dtype() != boolean;
    return attention(lowered(q), lowered(k), lowered(v), adds ? lowered(mask) : mask, dropout_p, causal,
                     scale, shares_heads);
  }
  const double by = scale.value_or(1 / std::sqrt(double(std::max<int64_t>(q.size(-1), 1))));
  const Tensor added = addend(mask, q.dtype());
  if (is_one_op(q, k, v, mask, dropout_p)) {
    if (!causal || !mask) return scaled_dot_product_attention(q, k, v, added, causal, by);
    const Tensor hidden = logical_not(seen_from(q.size(2), k.size(2), q.device()));
    const Dims shape = broadcast(added.shape(), hidden.shape());
    const Tensor both = masked_fill(added.expand(shape), hidden, -INFINITY);
    return scaled_dot_product_attention(q, k, v, both, false, by);
  }
  if (!shares_heads) return in_steps(q, k, v, added, dropout_p, causal, by);
  const int64_t heads = q.size(-3), of_keys = k.size(-3), of_values = v.size(-3);
  const auto divides = [&](int64_t n) { return n == heads || (n > 0 && heads % n == 0); };
  check(divides(of_keys) && divides(of_values),
        "Number of heads in key and value must divide the number of heads in ");
  return in_steps(q, shared_by(k, heads), shared_by(v, heads), added, dropout_p, causal, by);
}

}  // namespace

Rows attention_rows() {
  return {
      row(kFunctional,
          "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float "
          "dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False)",
          call<attention>)
          .help("softmax(query · keyᵀ · scale + attn_mask) · value: query (…, L, E), key (…, S, E), "
                "value (…, S, Ev), result (…, L, Ev); scale is 1/√E; a bool mask says what takes part.")};
}

}  // namespace glassgrad::GG_HOST
