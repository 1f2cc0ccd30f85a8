// The classes of source 001, "Building a GPT from scratch: adding single-head and multi-head attention", with
// its names, arguments and defaults. b is the batch, T the number of tokens; the mask is built again in every
// call.
#pragma once
#include <memory>

#include "nn/attention.h"

namespace glassgrad::nn::single_and_multi {

// One head: softmax(mask(Q·Kᵀ·1/√d_model))·V, (b, T, d_model) → (b, T, d_model). Layers query, key, value
// with bias.
class SingleHeadAttention : public QkvModule {
 public:
  explicit SingleHeadAttention(int64_t d_model);
  Tensor forward(const Tensor& x) const override;
};

// num_heads heads, each head_dim = d_model/num_heads wide, then fc_out, which mixes them. Throws
// AssertionError without a text, like the source, if num_heads does not divide d_model.
class MultiHeadAttention : public QkvModule {
 public:
  MultiHeadAttention(int64_t d_model, int64_t num_heads);
  Tensor forward(const Tensor& x) const override;

  Linear fc_out;

 private:
  int64_t num_heads_;
};

// ---- parts that the source uses but does not show, in their simplest form
// fc2(relu(fc1(x))): (…, d_model) → (…, hidden_dim) → (…, d_model).
class FeedForwardNN : public Module {
 public:
  FeedForwardNN(int64_t d_model, int64_t hidden_dim);
  Tensor forward(const Tensor& x) const override;

  Linear fc1;
  ReLU relu;
  Linear fc2;
};

// Adds a row for the token and a row for its position: int64 (b, T) → (b, T, d_model), T ≤ max_len.
class GPTEmbedding : public Module {
 public:
  GPTEmbedding(int64_t vocab_size, int64_t d_model, int64_t max_len);
  Tensor forward(const Tensor& idx) const override;

  Embedding token, position;
};

// ---- The model
// Embedding, one attention, feed-forward, logits: int64 (b, T) → (b, T, vocab_size). ln_f is created and
// never used, as in the source.
class MyGPT : public Module {
 public:
  MyGPT(int64_t vocab_size, int64_t d_model, int64_t max_len = 5000, int64_t hidden_dim = 2048,
        bool use_multiple_head = true, int64_t num_heads = 8);
  Tensor forward(const Tensor& inputs) const override;
  using Module::operator();
  struct Output {
    Tensor logits, loss;
  };
  // With the loss: the mean cross-entropy of all tokens; targets int64 (b, T).
  Output operator()(const Tensor& inputs, const Tensor& targets) const;

  GPTEmbedding embedding;
  std::unique_ptr<QkvModule> attention;
  FeedForwardNN ffn;
  LayerNorm ln_f;
  Linear fc_out;
};

}  // namespace glassgrad::nn::single_and_multi
