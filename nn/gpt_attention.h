// The classes of source 000, "Implementing GPT-Style Attention", with its names, arguments and defaults. Two
// of them compute the same as classes of source 004 (nn/journey.h has the formulas, shapes and errors).
#pragma once
#include "engine/ops.h"
#include "nn/journey.h"

namespace glassgrad::nn::gpt_attention {

// True above the diagonal: (context_length, context_length) bool.
inline Tensor create_mask(int64_t context_length) { return future_mask(context_length); }

// softmax(Q·Kᵀ/√d_k)·V for one sentence: (num_tokens, d_in) → (num_tokens, d_out). All layers have a bias.
class SelfAttention : public QkvModule {
 public:
  SelfAttention(int64_t d_in, int64_t d_out) : QkvModule("SelfAttention", d_in, d_out, true) {}

  Tensor forward(const Tensor& x) const override {
    const auto [queries, keys, values] = project_queries_first(x);       // (num_tokens, d_out) each
    return named(attention(queries, keys.T(), values), "context_vecs");  // (num_tokens, d_out)
  }
};

// Draws its layers in the order W_keys, W_query, W_value, so the same seed gives different weights from
// source 004.
class CausalAttention : public journey::CausalAttention {
 public:
  CausalAttention(int64_t d_in, int64_t d_out, int64_t context_length, double dropout_p = 0.1,
                  bool qkv_bias = false)
      : journey::CausalAttention(d_in, d_out, context_length, dropout_p, qkv_bias,
                                 {.key = "W_keys", .key_first = true}) {}
};

// num_heads comes before context_length here, and every layer has a bias.
class MultiHeadAttention : public journey::MultiHeadAttention {
 public:
  MultiHeadAttention(int64_t d_in, int64_t d_out, int64_t num_heads, int64_t context_length, double dropout_p)
      : journey::MultiHeadAttention(d_in, d_out, context_length, dropout_p, num_heads, true) {}
};

}  // namespace glassgrad::nn::gpt_attention
