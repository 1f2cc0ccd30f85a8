// Attention: every token asks (query), is asked (key) and gives (value). Here is what the sources' classes
// share; the classes themselves stand in a file and a namespace per lesson.
#pragma once
#include <limits>

#include "nn/layers.h"

namespace glassgrad::nn {

// A score that softmax turns into weight 0.
inline constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// softmax(mask(queries·keysᵀ)/√d_k)·values:  (…, T, d_k), (…, d_k, S), (…, S, d_v) → (…, T, d_v).
// keys come transposed, as each source writes it. Where mask (T, S) is true, the score becomes −∞ before the
// softmax, in place: such a key gets weight 0. dropout, if given, acts on the weights. Names in the trace:
// attn_scores, scaled_scores, attn_weights; again after the mask and the dropout.
Tensor attention(const Tensor& queries, const Tensor& keys_transposed, const Tensor& values,
                 const Tensor& mask = {}, const Dropout* dropout = nullptr);

// The same with the scale before the mask, and both in new tensors:
// softmax(mask(queries·keysᵀ·scale))·values. Names in the trace as above, scaled_scores before and after the
// mask.
Tensor attention_scaled_first(const Tensor& queries, const Tensor& keys_transposed, const Tensor& values,
                              double scale, const Tensor& mask);

// 1 where the key comes after the query, else 0: (context_length, context_length) float32.
Tensor causal_mask(int64_t context_length);
// The same as bool.
Tensor future_mask(int64_t num_tokens);
// True where query i must not see key j: j > i, or i − j ≥ window: (num_tokens, num_tokens) bool.
Tensor window_mask(int64_t num_tokens, int64_t window);
// The part of a mask that concerns the first num_tokens tokens, as bool: (num_tokens, num_tokens).
Tensor mask_of(const Tensor& mask, int64_t num_tokens);

// The sizes of x (b, num_tokens, d_in). ValueError `not enough values to unpack (expected 3, got 2)`,
// `too many values to unpack (expected 3)`.
struct BatchSizes {
  int64_t b, num_tokens, d_in;
};
BatchSizes unpack_batch(const Tensor& x);

// (b, num_tokens, d_out) → (b, num_heads, num_tokens, head_dim): row t of head h is the h-th piece of row t.
// Both moves, the view that cuts the rows and the transposition that puts the heads in front, are named in
// the trace.
Tensor split_heads(const Tensor& x, int64_t num_heads, const char* name);
// Back again, the heads' pieces side by side: (b, num_heads, num_tokens, head_dim) → (b, num_tokens, d_out).
Tensor combine_heads(const Tensor& x, const char* name);

// What a source calls its layers, and which it makes first: the order in which their numbers are drawn and
// registered.
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
  // Keys and values of d_kv numbers, for fewer heads than the queries have.
  QkvModule(const char* class_name, int64_t d_in, int64_t d_out, int64_t d_kv, bool qkv_bias,
            const QkvNames& names);

  struct Projected {
    Tensor queries, keys, values;
  };
  // (…, d_in) → (…, d_out) each; keys first, then queries and values.
  Projected project(const Tensor& x) const;
  // The same with queries first, then keys and values.
  Projected project_queries_first(const Tensor& x) const;
  // project, then its heads: x (b, num_tokens, d_in) → (b, num_heads, num_tokens, head_dim) each, keys and
  // values (b, num_kv_heads, num_tokens, head_dim).
  Projected project_heads(const Tensor& x, int64_t num_heads, int64_t num_kv_heads) const;

 private:
  // The same under autocast on a GPU: as one product, in one buffer.
  Projected projected_together(const Tensor& x, int64_t num_heads) const;

  Linear first_, second_;
  Linear value_;
};

}  // namespace glassgrad::nn
