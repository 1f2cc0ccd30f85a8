#include "nn/climb.h"

#include <cmath>

#include "engine/ops.h"

namespace glassgrad::nn::climb {

SimpleAverageSelfAttention::SimpleAverageSelfAttention(const Config& config)
    : Module("SimpleAverageSelfAttention"),
      causal_mask(tril(ones({config.data.chunk_size, config.data.chunk_size}))),
      attention_weights(zeros({config.data.batch_size, config.data.chunk_size, config.data.chunk_size})) {
  register_buffer("causal_mask", causal_mask);
  register_buffer("attention_weights", attention_weights);
}

Tensor SimpleAverageSelfAttention::forward(const Tensor& x) const {
  const Tensor masked =
      named(masked_fill(attention_weights, causal_mask == 0, kMinusInfinity), "masked_scores");
  const Tensor weights = named(softmax(masked, -1), "attn_weights");  // (b, T, T)
  return named(matmul(weights, x), "attention_output");               // (b, T, d)
}

SingleSelfAttentionHead::SingleSelfAttentionHead(int64_t chunk_size, int64_t token_emb_dim, int64_t head_size)
    : QkvModule("SingleSelfAttentionHead", token_emb_dim, head_size, false,
                {.query = "query", .key = "key", .value = "value", .key_first = true}),
      causal_mask(tril(ones({chunk_size, chunk_size}))),
      head_size_(head_size) {
  register_buffer("causal_mask", causal_mask);
}

Tensor SingleSelfAttentionHead::forward(const Tensor& x) const {
  unpack_batch(x);
  const auto [queries, keys, values] = project(x);  // (b, T, head_size) each
  const double scale = std::pow(double(head_size_), -0.5);
  const Tensor mask = named(causal_mask == 0, "mask_bool");  // (T, T)
  const Tensor context = attention_scaled_first(queries, keys.transpose(-2, -1), values, scale, mask);
  return named(context, "contextualised_embeddings");  // (b, T, head_size)
}

}  // namespace glassgrad::nn::climb
