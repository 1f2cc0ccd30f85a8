#include "nn/journey.h"

#include "engine/ops.h"

namespace glassgrad::nn::journey {

// ---- SelfAttention_v1, v2
SelfAttention_v1::SelfAttention_v1(int64_t d_in, int64_t d_out)
    : Module("SelfAttention_v1"),
      W_query(rand({d_in, d_out})),
      W_key(rand({d_in, d_out})),
      W_value(rand({d_in, d_out})) {
  register_parameter("W_query", W_query);
  register_parameter("W_key", W_key);
  register_parameter("W_value", W_value);
}

Tensor SelfAttention_v1::forward(const Tensor& x) const {
  const Tensor keys = named(matmul(x, W_key), "keys");                // (num_tokens, d_out)
  const Tensor queries = named(matmul(x, W_query), "queries");        // (num_tokens, d_out)
  const Tensor values = named(matmul(x, W_value), "values");          // (num_tokens, d_out)
  return named(attention(queries, keys.T(), values), "context_vec");  // (num_tokens, d_out)
}

SelfAttention_v2::SelfAttention_v2(int64_t d_in, int64_t d_out, bool qkv_bias)
    : QkvModule("SelfAttention_v2", d_in, d_out, qkv_bias) {}

Tensor SelfAttention_v2::forward(const Tensor& x) const {
  const auto [queries, keys, values] = project(x);                    // (num_tokens, d_out) each
  return named(attention(queries, keys.T(), values), "context_vec");  // (num_tokens, d_out)
}

// ---- CausalAttention
CausalAttention::CausalAttention(int64_t d_in, int64_t d_out, int64_t context_length, double dropout_p,
                                 bool qkv_bias, const QkvNames& names)
    : QkvModule("CausalAttention", d_in, d_out, qkv_bias, names),
      dropout(dropout_p),
      mask(causal_mask(context_length)) {
  register_module("dropout", dropout);
  register_buffer("mask", mask);
}

Tensor CausalAttention::forward(const Tensor& x) const {
  const int64_t num_tokens = unpack_batch(x).num_tokens;
  const auto [queries, keys, values] = project(x);                         // (b, num_tokens, d_out) each
  const Tensor keys_transposed = keys.transpose(1, 2);                     // (b, d_out, num_tokens)
  const Tensor mask_bool = named(mask_of(mask, num_tokens), "mask_bool");  // (num_tokens, num_tokens)
  const Tensor context_vec = attention(queries, keys_transposed, values, mask_bool, &dropout);
  return named(context_vec, "context_vec");  // (b, num_tokens, d_out)
}

// ---- MultiHeadAttentionWrapper
MultiHeadAttentionWrapper::MultiHeadAttentionWrapper(int64_t d_in, int64_t d_out, int64_t context_length,
                                                     double dropout_p, int64_t num_heads, bool qkv_bias)
    : Module("MultiHeadAttentionWrapper") {
  for (int64_t i = 0; i < num_heads; ++i)
    heads.emplace_back(d_in, d_out, context_length, dropout_p, qkv_bias);
  register_module("heads", heads);
}

Tensor MultiHeadAttentionWrapper::forward(const Tensor& x) const {
  std::vector<Tensor> context_vecs;
  for (const auto& head : heads) context_vecs.push_back((*head)(x));  // (b, num_tokens, d_out) each
  return cat(context_vecs, -1);                                       // (b, num_tokens, num_heads·d_out)
}

// ---- MultiHeadAttention
namespace {

int64_t checked_d_out(int64_t d_out, int64_t num_heads) {
  check<AssertionError>(num_heads > 0 && d_out % num_heads == 0, "d_out must be divisible by num_heads");
  return d_out;
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(int64_t d_in, int64_t d_out, int64_t context_length, double dropout_p,
                                       int64_t num_heads, bool qkv_bias)
    : QkvModule("MultiHeadAttention", d_in, checked_d_out(d_out, num_heads), qkv_bias),
      out_proj(d_out, d_out),
      dropout(dropout_p),
      mask(causal_mask(context_length)),
      num_heads_(num_heads) {
  register_module("out_proj", out_proj);
  register_module("dropout", dropout);
  register_buffer("mask", mask);
}

Tensor MultiHeadAttention::forward(const Tensor& x) const {
  const int64_t num_tokens = unpack_batch(x).num_tokens;
  const auto [queries, keys, values] = project_heads(x, num_heads_, num_heads_);
  const Tensor keys_transposed = keys.transpose(2, 3);  // (b, num_heads, head_dim, num_tokens)
  const Tensor mask_bool = named(mask_of(mask, num_tokens), "mask_bool");  // (num_tokens, num_tokens)
  Tensor context_vec = attention(queries, keys_transposed, values, mask_bool, &dropout);
  named(context_vec, "context_vec");                        // (b, num_heads, num_tokens, head_dim)
  context_vec = combine_heads(context_vec, "context_vec");  // (b, num_tokens, d_out)
  return named(out_proj(context_vec), "context_vec");       // (b, num_tokens, d_out)
}

}  // namespace glassgrad::nn::journey
