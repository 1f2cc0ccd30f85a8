#include "nn/gpt_attention.h"

#include "engine/ops.h"

namespace glassgrad::nn::gpt_attention {

Tensor create_mask(int64_t context_length) { return future_mask(context_length); }

SelfAttention::SelfAttention(int64_t d_in, int64_t d_out) : QkvModule("SelfAttention", d_in, d_out, true) {}

Tensor SelfAttention::forward(const Tensor& x) const {
  const auto [queries, keys, values] = project_queries_first(x);       // (num_tokens, d_out) each
  return named(attention(queries, keys.T(), values), "context_vecs");  // (num_tokens, d_out)
}

}  // namespace glassgrad::nn::gpt_attention
