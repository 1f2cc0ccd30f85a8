// GPT: a language model of transformer blocks. Each position of its output scores which token comes next.
// Names of parameters and order of registration are those of GPT-2's rebuilding in the book that the lessons'
// sources follow; the attention is the lesson's own class.
#pragma once
#include <string_view>

#include "nn/attention.h"

namespace glassgrad::nn {

struct GPTConfig {
  int64_t vocab_size = 50257;
  int64_t context_length = 1024;  // the most tokens it can look back on
  int64_t width = 768;            // numbers per token
  int64_t layers = 12;
  int64_t heads = 12;
  double dropout = 0.1;
  bool bias = true;         // of W_query, W_key and W_value; the other layers of a block always have one
  bool tie_weights = true;  // out_head.weight is tok_emb.weight
  bool tanh_gelu = true;    // GPT-2's approximation, else the exact GELU

  // The default is gpt2-124m. tiny: 2 layers, 4 heads, width 64, context 32. small: 4 layers, 4 heads, width
  // 128, context 64. Neither drops anything out. ValueError naming the presets.
  static GPTConfig preset(std::string_view name, int64_t vocab_size);

  // ValueError naming the field, its value and what it may be: sizes from 1 on, heads that divide width,
  // dropout in [0, 1).
  void check() const;

  // Numbers to learn; tied ones count once.
  int64_t parameters() const;
  // Multiplications and additions for one token in training: 6 for each weight of a matrix (2 forward, 4
  // backward), and 12·layers·width·context_length for queries·keysᵀ and weights·values. Forward only: a
  // third.
  double training_flops_per_token() const;
};

// What training is about to take, in bytes, with b sentences of context_length tokens. Values, gradients and
// the two moments of Adam are exact. Activations, which the graph holds from the forward to the backward
// pass, are what the ops of the blocks and of the loss save; temporaries are an estimate of what lies beside
// them at most. The allocator's own share comes on top. halves: under autocast on a GPU, where products and
// attention read and write 2 bytes a number, and weights have copies in halves.
struct GPTMemory {
  double parameters, gradients, moments, activations, temporaries;
  double total() const { return parameters + gradients + moments + activations + temporaries; }
};
GPTMemory training_memory(const GPTConfig& config, int64_t b, bool halves = false);

// The rows of keys and values that an attention layer has made so far: (1, heads, context_length, head_dim),
// of which the first are filled.
struct AttentionCache {
  Tensor keys, values;
};

// What GPT::step remembers. Begins empty and belongs to one model.
struct KvCache {
  std::vector<int64_t> tokens;  // whose keys and values are there
  std::vector<AttentionCache> layers;
};

// The attention of the lesson journey, able to go on from the rows it has seen: W_query, W_key, W_value,
// scaled_dot_product_attention of the heads, out_proj. With dropout, which acts on the weights, the steps of
// nn::attention.
class CachedAttention : public QkvModule {
 public:
  explicit CachedAttention(const GPTConfig& config);
  Tensor forward(const Tensor& x) const override;
  // x (1, t, width): the rows after the first `past` ones, whose keys and values the cache holds → (1, t,
  // width), equal to the last t rows of forward over all. Adds theirs to the cache.
  Tensor step(const Tensor& x, AttentionCache& cache, int64_t past) const;

  Linear out_proj;
  Dropout dropout;

 private:
  Tensor joined(
      const Tensor& context_vec) const;  // out_proj of the heads (b, heads, T, head_dim) side by side

  int64_t heads_, context_length_;
};

// layers.2(GELU(layers.0(x))), four times as wide inside: (…, width) → (…, width).
class FeedForward : public Module {
 public:
  explicit FeedForward(const GPTConfig& config);
  Tensor forward(const Tensor& x) const override;

  Sequential layers;
};

// x + drop(att(norm1(x))), then x + drop(ff(norm2(x))): (b, T, width) → (b, T, width).
class TransformerBlock : public Module {
 public:
  explicit TransformerBlock(const GPTConfig& config);
  Tensor forward(const Tensor& x) const override;
  Stream forward(const Stream& stream) const;
  Tensor step(const Tensor& x, AttentionCache& cache, int64_t past) const;

  CachedAttention att;
  FeedForward ff;
  LayerNorm norm1, norm2;
  Dropout drop_shortcut;

 private:
  template <class Attend>
  Stream residuals(const Stream& stream, Attend attend) const;
};

// int64 tokens (b, T) → logits (b, T, vocab_size), out_head(final_norm(blocks(drop(tok_emb + pos_emb)))).
// Weights are drawn as in GPT-2, in the order of named_parameters(): N(0, 0.02²), biases 0, norms 1 and 0;
// the two layers of a block that add to the residual stream, out_proj and layers.2, with 0.02/√(2·layers).
// (Before that, the layers draw their own.) ValueErrors: those of GPTConfig::check; more tokens than
// context_length, naming both. IndexError `index out of range in self`.
class GPT : public Module {
 public:
  explicit GPT(const GPTConfig& config);
  Tensor forward(const Tensor& tokens) const override;

  // The logits (vocab_size) after the last of tokens (1, t), which follow those in the cache: the last row of
  // forward over all of them, without making the old rows' keys and values again. No graph. What is beyond
  // context_length slides out: positions are learned, so all keys and values of the last context_length
  // tokens are then made anew, at the cost of a forward pass.
  Tensor step(const Tensor& tokens, KvCache& cache) const;

  // The embeddings of tokens (b, T) at the positions from `past` on: (b, T, width).
  Tensor embed(const Tensor& tokens, int64_t past = 0) const;

  const GPTConfig& config() const { return config_; }

  Embedding tok_emb, pos_emb;
  Dropout drop_emb;
  ModuleList<TransformerBlock> trf_blocks;
  LayerNorm final_norm;
  Linear out_head;

 private:
  void draw_weights();
  // What autocast lowers.
  std::vector<std::vector<Tensor>> weights_of_products() const;
  // out_head(x). Tensor cores of a GPU want a multiple of 64 columns: zeros are added to the weight's rows
  // for the product, and what they give is left out.
  Tensor scores(const Tensor& x) const;

  GPTConfig config_;
};

}  // namespace glassgrad::nn
