#include "nn/attention.h"

#include <cmath>

#include "engine/autocast.h"
#include "engine/ops.h"

namespace glassgrad::nn {

Tensor attention(const Tensor& queries, const Tensor& keys_transposed, const Tensor& values,
                 const Tensor& mask, const Dropout* dropout) {
  const Tensor attn_scores = named(matmul(queries, keys_transposed), "attn_scores");  // (…, T, S)
  // The product does not save its result, so overwriting it is safe for the backward pass.
  if (mask) named(masked_fill_(attn_scores, mask, kMinusInfinity), "attn_scores");

  const double root = std::pow(double(queries.size(-1)), 0.5);                  // √d_k
  const Tensor scaled_scores = named(attn_scores / root, "scaled_scores");      // (…, T, S)
  Tensor attn_weights = named(softmax(scaled_scores, -1), "attn_weights");      // (…, T, S), rows sum to 1
  if (dropout) attn_weights = named((*dropout)(attn_weights), "attn_weights");  // (…, T, S)
  return matmul(attn_weights, values);                                          // (…, T, d_v)
}

Tensor attention_scaled_first(const Tensor& queries, const Tensor& keys_transposed, const Tensor& values,
                              double scale, const Tensor& mask) {
  const Tensor attn_scores = named(matmul(queries, keys_transposed), "attn_scores");  // (…, T, S)
  Tensor scaled_scores = named(attn_scores * scale, "scaled_scores");                 // (…, T, S)
  scaled_scores = named(masked_fill(scaled_scores, mask, kMinusInfinity), "scaled_scores");
  const Tensor attn_weights = named(softmax(scaled_scores, -1), "attn_weights");  // (…, T, S), rows sum to 1
  return matmul(attn_weights, values);                                            // (…, T, d_v)
}

Tensor causal_mask(int64_t context_length) { return triu(ones({context_length, context_length}), 1); }

Tensor future_mask(int64_t num_tokens) { return to(causal_mask(num_tokens), boolean); }

Tensor window_mask(int64_t num_tokens, int64_t window) {
  const Tensor older = tril(ones({num_tokens, num_tokens}), -window);
  return to(causal_mask(num_tokens) + older, boolean);
}

Tensor mask_of(const Tensor& mask, int64_t num_tokens) {
  return to(mask, boolean).slice(0, {}, num_tokens).slice(1, {}, num_tokens);
}

BatchSizes unpack_batch(const Tensor& x) {
  check<ValueError>(x.dim() >= 3, "not enough values to unpack (expected 3, got {})", x.dim());
  check<ValueError>(x.dim() <= 3, "too many values to unpack (expected 3)");
  return {x.size(0), x.size(1), x.size(2)};
}

Tensor split_heads(const Tensor& x, int64_t num_heads, const char* name) {
  const auto [b, num_tokens, d_out] = unpack_batch(x);
  // Each row is cut into num_heads pieces.
  const Tensor cut = x.view({b, num_tokens, num_heads, d_out / num_heads});
  named(cut, name);  // (b, num_tokens, num_heads, head_dim)
  // The heads move in front of the tokens, next to the batch: they are independent products from here on.
  return named(cut.transpose(1, 2), name);  // (b, num_heads, num_tokens, head_dim)
}

Tensor combine_heads(const Tensor& x, const char* name) {
  const Tensor behind = named(x.transpose(1, 2), name);  // (b, num_tokens, num_heads, head_dim)
  return named(behind.contiguous().view({behind.size(0), behind.size(1), behind.size(2) * behind.size(3)}),
               name);
}

QkvModule::QkvModule(const char* class_name, int64_t d_in, int64_t d_out, bool qkv_bias,
                     const QkvNames& names)
    : QkvModule(class_name, d_in, d_out, d_out, qkv_bias, names) {}

QkvModule::QkvModule(const char* class_name, int64_t d_in, int64_t d_out, int64_t d_kv, bool qkv_bias,
                     const QkvNames& names)
    : Module(class_name),
      W_query(names.key_first ? second_ : first_),
      W_key(names.key_first ? first_ : second_),
      W_value(value_),
      first_(d_in, names.key_first ? d_kv : d_out, qkv_bias),
      second_(d_in, names.key_first ? d_out : d_kv, qkv_bias),
      value_(d_in, d_kv, qkv_bias) {
  register_module(names.key_first ? names.key : names.query, first_);
  register_module(names.key_first ? names.query : names.key, second_);
  register_module(names.value, value_);
}

QkvModule::Projected QkvModule::project(const Tensor& x) const {
  const Tensor keys = named(W_key(x), "keys");          // (…, num_tokens, d_out)
  const Tensor queries = named(W_query(x), "queries");  // (…, num_tokens, d_out)
  const Tensor values = named(W_value(x), "values");    // (…, num_tokens, d_out)
  return {queries, keys, values};
}

QkvModule::Projected QkvModule::projected_together(const Tensor& x, int64_t num_heads) const {
  const auto together = [](const Tensor& a, const Tensor& b, const Tensor& c) {
    return a ? lowered_rows({a, b, c}) : Tensor();
  };
  const auto [b, num_tokens, d_in] = unpack_batch(x);
  const Tensor qkv = linear(x, together(W_query.weight, W_key.weight, W_value.weight),
                            together(W_query.bias, W_key.bias, W_value.bias));  // (b, num_tokens, 3·d_out)
  const std::vector<Tensor> parts =
      qkv.view({b, num_tokens, 3, num_heads, qkv.size(-1) / 3 / num_heads}).unbind(2);
  return {parts[0].transpose(1, 2), parts[1].transpose(1, 2), parts[2].transpose(1, 2)};
}

QkvModule::Projected QkvModule::project_heads(const Tensor& x, int64_t num_heads,
                                              int64_t num_kv_heads) const {
  if (num_kv_heads == num_heads && x.device() != kCpu && lowers({&W_query.weight}) && !steps_are_watched())
    return projected_together(x, num_heads);
  auto [queries, keys, values] = project(x);             // (b, num_tokens, d_out), keys and values d_kv
  keys = split_heads(keys, num_kv_heads, "keys");        // (b, num_kv_heads, num_tokens, head_dim)
  queries = split_heads(queries, num_heads, "queries");  // (b, num_heads, num_tokens, head_dim)
  values = split_heads(values, num_kv_heads, "values");  // (b, num_kv_heads, num_tokens, head_dim)
  return {queries, keys, values};
}

QkvModule::Projected QkvModule::project_queries_first(const Tensor& x) const {
  const Tensor queries = named(W_query(x), "queries");  // (…, num_tokens, d_out)
  const Tensor keys = named(W_key(x), "keys");          // (…, num_tokens, d_out)
  const Tensor values = named(W_value(x), "values");    // (…, num_tokens, d_out)
  return {queries, keys, values};
}

}  // namespace glassgrad::nn
