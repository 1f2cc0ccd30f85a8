// The classes of source 003, "Attention Mechanism, Core of Transformer Models", with its names and arguments.
// b is the batch, T the number of tokens; both classes are built for one T, chunk_size.
#pragma once
#include "nn/attention.h"

namespace glassgrad::nn::climb {

// The source's config["data"]["chunk_size"] and config["data"]["batch_size"].
struct Config {
  struct Data {
    int64_t chunk_size, batch_size;
  } data;
};

// Gives every token the mean of itself and all tokens before it: softmax(mask(0))·x, (b, T, d) → (b, T, d).
// It has no parameters. Buffers: causal_mask (T, T), ones on and below the diagonal, and attention_weights
// (b, T, T), zeros.
class SimpleAverageSelfAttention : public Module {
 public:
  explicit SimpleAverageSelfAttention(const Config& config);
  Tensor forward(const Tensor& x) const override;

  Tensor causal_mask, attention_weights;
};

// One head: softmax(mask(Q·Kᵀ·head_size^−½))·V, (b, T, token_emb_dim) → (b, T, head_size). Layers key, query
// and value without bias, drawn in this order. The mask is not cut to T: a T other than chunk_size throws
// Error, such as `The size of tensor a (4) must match the size of tensor b (3) …`.
class SingleSelfAttentionHead : public QkvModule {
 public:
  SingleSelfAttentionHead(int64_t chunk_size, int64_t token_emb_dim, int64_t head_size);
  Tensor forward(const Tensor& x) const override;

  Tensor causal_mask;

 private:
  int64_t head_size_;
};

}  // namespace glassgrad::nn::climb
