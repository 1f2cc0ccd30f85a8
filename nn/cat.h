// The classes of source 002, "The cat sat on the mat", with its arguments and defaults. They compute the same
// as those of source 004 (nn/journey.h has the formulas, shapes and errors). Only the defaults differ: no
// dropout, and eight heads.
#pragma once
#include "nn/journey.h"

namespace glassgrad::nn::cat {

class CausalAttention : public journey::CausalAttention {
 public:
  CausalAttention(int64_t d_in, int64_t d_out, int64_t context_length, double dropout_p = 0.0,
                  bool qkv_bias = false)
      : journey::CausalAttention(d_in, d_out, context_length, dropout_p, qkv_bias) {}
};

class MultiHeadAttentionWrapper : public journey::MultiHeadAttentionWrapper {
 public:
  MultiHeadAttentionWrapper(int64_t d_in, int64_t d_out, int64_t context_length, double dropout_p = 0.0,
                            int64_t num_heads = 8, bool qkv_bias = false)
      : journey::MultiHeadAttentionWrapper(d_in, d_out, context_length, dropout_p, num_heads, qkv_bias) {}
};

class MultiHeadAttention : public journey::MultiHeadAttention {
 public:
  MultiHeadAttention(int64_t d_in, int64_t d_out, int64_t context_length, double dropout_p = 0.0,
                     int64_t num_heads = 8, bool qkv_bias = false)
      : journey::MultiHeadAttention(d_in, d_out, context_length, dropout_p, num_heads, qkv_bias) {}
};

}  // namespace glassgrad::nn::cat
