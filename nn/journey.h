// The classes of source 004, "Your journey starts with one step", with its names, arguments and defaults.
//
// Formula of all: context = softmax(mask(Q·Kᵀ)/√d_k)·V with Q = x·W_query, K = x·W_key, V = x·W_value.
// b is the batch, num_tokens ≤ context_length the number of rows per batch entry, d_in and d_out the widths
// of a row.
#pragma once
#include "nn/attention.h"

namespace glassgrad::nn::journey {

// (num_tokens, d_in) → (num_tokens, d_out). Weights (d_in, d_out) drawn from U(0, 1): query, key, value.
class SelfAttention_v1 : public Module {
 public:
  SelfAttention_v1(int64_t d_in, int64_t d_out);
  Tensor forward(const Tensor& x) const override;

  Parameter W_query, W_key, W_value;
};

// The same with Linear layers: (num_tokens, d_in) → (num_tokens, d_out).
class SelfAttention_v2 : public QkvModule {
 public:
  SelfAttention_v2(int64_t d_in, int64_t d_out, bool qkv_bias = false);
  Tensor forward(const Tensor& x) const override;
};

// No token sees a later one: (b, num_tokens, d_in) → (b, num_tokens, d_out). Buffer mask:
// causal_mask(context_length). More tokens than context_length throw Error `The size of tensor a (7) must
// match the size of tensor b (6) …`.
class CausalAttention : public QkvModule {
 public:
  CausalAttention(int64_t d_in, int64_t d_out, int64_t context_length, double dropout_p,
                  bool qkv_bias = false, const QkvNames& names = {});
  Tensor forward(const Tensor& x) const override;

  Dropout dropout;
  Tensor mask;
};

// num_heads CausalAttentions side by side, d_out wide each: (b, num_tokens, d_in) → (b, num_tokens,
// num_heads·d_out).
class MultiHeadAttentionWrapper : public Module {
 public:
  MultiHeadAttentionWrapper(int64_t d_in, int64_t d_out, int64_t context_length, double dropout_p,
                            int64_t num_heads, bool qkv_bias = false);
  Tensor forward(const Tensor& x) const override;

  ModuleList<CausalAttention> heads;
};

// One projection split into num_heads heads, d_out wide together: (b, num_tokens, d_in) → (b, num_tokens,
// d_out). Head h owns columns h·head_dim … of queries, keys and values, head_dim = d_out/num_heads; out_proj
// mixes the heads. Throws AssertionError `d_out must be divisible by num_heads` before anything is drawn.
class MultiHeadAttention : public QkvModule {
 public:
  MultiHeadAttention(int64_t d_in, int64_t d_out, int64_t context_length, double dropout_p, int64_t num_heads,
                     bool qkv_bias = false);
  Tensor forward(const Tensor& x) const override;

  Linear out_proj;
  Dropout dropout;
  Tensor mask;

 private:
  int64_t num_heads_;
};

}  // namespace glassgrad::nn::journey
