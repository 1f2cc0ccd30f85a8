#include "nn/attention.h"

#include <cmath>
#include <limits>

#include "engine/ops.h"

namespace glassgrad::nn {

Tensor attention(const Tensor& queries, const Tensor& keys_transposed, const Tensor& values,
                 const Tensor& mask, const Dropout* dropout) {
  constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
  const Tensor attn_scores = named(matmul(queries, keys_transposed), "attn_scores");  // (…, T, S)
  // The product has not saved its result, so writing over it is safe for the backward pass.
  if (mask) named(masked_fill_(attn_scores, mask, kMinusInfinity), "attn_scores");

  const double root = std::pow(double(queries.size(-1)), 0.5);                  // √d_k
  const Tensor scaled_scores = named(attn_scores / root, "scaled_scores");      // (…, T, S)
  Tensor attn_weights = named(softmax(scaled_scores, -1), "attn_weights");      // (…, T, S), rows sum to 1
  if (dropout) attn_weights = named((*dropout)(attn_weights), "attn_weights");  // (…, T, S)
  return matmul(attn_weights, values);                                          // (…, T, d_v)
}

Tensor causal_mask(int64_t context_length) { return triu(ones({context_length, context_length}), 1); }

Tensor mask_of(const Tensor& mask, int64_t num_tokens) {
  return to(mask, boolean).slice(0, {}, num_tokens).slice(1, {}, num_tokens);
}

BatchSizes unpack_batch(const Tensor& x) {
  check<ValueError>(x.dim() >= 3, "not enough values to unpack (expected 3, got {})", x.dim());
  check<ValueError>(x.dim() <= 3, "too many values to unpack (expected 3)");
  return {x.size(0), x.size(1), x.size(2)};
}

QkvModule::QkvModule(const char* class_name, int64_t d_in, int64_t d_out, bool qkv_bias)
    : Module(class_name),
      W_query(d_in, d_out, qkv_bias),
      W_key(d_in, d_out, qkv_bias),
      W_value(d_in, d_out, qkv_bias) {
  register_module("W_query", W_query);
  register_module("W_key", W_key);
  register_module("W_value", W_value);
}

QkvModule::Projected QkvModule::project(const Tensor& x) const {
  const Tensor keys = named(W_key(x), "keys");          // (…, num_tokens, d_out)
  const Tensor queries = named(W_query(x), "queries");  // (…, num_tokens, d_out)
  const Tensor values = named(W_value(x), "values");    // (…, num_tokens, d_out)
  return {queries, keys, values};
}

}  // namespace glassgrad::nn
