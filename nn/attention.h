// The parts of attention that the lessons' classes share. The classes themselves are in one file and one
// namespace per lesson. Every token asks (query), is asked (key) and gives (value).
#pragma once
#include <limits>

#include "nn/layers.h"

namespace glassgrad::nn {

// A score that softmax turns into weight 0.
inline constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// softmax(mask(queries·keysᵀ)/√d_k)·values:  (…, T, d_k), (…, d_k, S), (…, S, d_v) → (…, T, d_v).
// keys are already transposed, as each source writes it. Where mask (T, S) is true, the score is overwritten
// with −∞ before the softmax, so that the key gets weight 0. dropout, if given, acts on the weights. Names in
// the trace: attn_scores, scaled_scores, attn_weights; the mask and the dropout give attn_scores and
// attn_weights again.
Tensor attention(const Tensor& queries, const Tensor& keys_transposed, const Tensor& values,
                 const Tensor& mask = {}, const Dropout* dropout = nullptr);

// Like attention(), but scales before it masks and puts both results in new tensors:
// softmax(mask(queries·keysᵀ·scale))·values. Names in the trace are the same, except that the mask gives
// scaled_scores again.
Tensor attention_scaled_first(const Tensor& queries, const Tensor& keys_transposed, const Tensor& values,
                              double scale, const Tensor& mask);

// 1 where the key comes after the query, else 0: (context_length, context_length) float32.
Tensor causal_mask(int64_t context_length);
// causal_mask as bool.
Tensor future_mask(int64_t num_tokens);
// True where query i must not see key j: j > i, or i − j ≥ window: (num_tokens, num_tokens) bool.
Tensor window_mask(int64_t num_tokens, int64_t window);
// Returns the part of a mask for the first num_tokens tokens, as bool: (num_tokens, num_tokens).
Tensor mask_of(const Tensor& mask, int64_t num_tokens);

// The sizes of x (b, num_tokens, d_in). unpack_batch throws ValueError `not enough values to unpack (expected
// 3, got 2)` or `too many values to unpack (expected 3)`.
struct BatchSizes {
  int64_t b, num_tokens, d_in;
};
BatchSizes unpack_batch(const Tensor& x);

// (b, num_tokens, d_out) → (b, num_heads, num_tokens, head_dim): row t of head h is the h-th piece of row t.
// The trace names both steps: the view that cuts the rows, and the transpose that moves the heads in front.
Tensor split_heads(const Tensor& x, int64_t num_heads, const char* name);
// Undoes split_heads, with the heads side by side: (b, num_heads, num_tokens, head_dim) → (b, num_tokens,
// d_out).
Tensor combine_heads(const Tensor& x, const char* name);

// The names of a source's three layers, and whether the key or the query comes first. Layers are drawn and
// registered in that order.
struct QkvNames {
  const char *query = "W_query", *key = "W_key", *value = "W_value";
  bool key_first = false;
};

// The three projections that all attention classes begin with.
class QkvModule : public Module {
 public:
  Linear& W_query;
  Linear& W_key;
  Linear& W_value;

 protected:
  QkvModule(const char* class_name, int64_t d_in, int64_t d_out, bool qkv_bias, const QkvNames& names = {});
  // Keys and values are d_kv wide, for fewer heads than the queries have.
  QkvModule(const char* class_name, int64_t d_in, int64_t d_out, int64_t d_kv, bool qkv_bias,
            const QkvNames& names);

  struct Projected {
    Tensor queries, keys, values;
  };
  // (…, d_in) → (…, d_out) each, computed in the order keys, queries, values.
  Projected project(const Tensor& x) const;
  // Like project, in the order queries, keys, values.
  Projected project_queries_first(const Tensor& x) const;
  // Calls project, then splits the heads: x (b, num_tokens, d_in) → (b, num_heads, num_tokens, head_dim)
  // each; keys and values (b, num_kv_heads, num_tokens, head_dim).
  Projected project_heads(const Tensor& x, int64_t num_heads, int64_t num_kv_heads) const;

 private:
  // Like project_heads, for autocast on a GPU: one product into one buffer.
  Projected projected_together(const Tensor& x, int64_t num_heads) const;

  Linear first_, second_;
  Linear value_;
};

}  // namespace glassgrad::nn
