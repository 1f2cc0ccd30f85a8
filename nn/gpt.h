// GPT: a language model of transformer blocks. Each position of its output scores which token comes next.
// Parameters have the names and the registration order of the GPT-2 in the book that the lessons' sources
// follow; the attention is the lesson's own class. The configuration can replace GPT-2's parts with those of
// newer models.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "nn/attention.h"
#include "nn/positions.h"

namespace glassgrad::nn {

// The choices for a model's parts. names_of lists their names, in the same order, for command lines and
// files.
enum class Norm : uint8_t { Layer, Rms };
enum class Positions : uint8_t { Learned, Rope, Sinusoid };
enum class Mlp : uint8_t { Gelu, SwiGlu };
std::span<const std::string_view> names_of(Norm);       // layer, rms
std::span<const std::string_view> names_of(Positions);  // learned, rope, sinusoid
std::span<const std::string_view> names_of(Mlp);        // gelu, swiglu
// Returns the part with that name, if there is one.
template <class Part>
std::optional<Part> part_called(std::string_view name) {
  const std::span<const std::string_view> names = names_of(Part());
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return Part(i);
  return {};
}

struct GPTConfig {
  int64_t vocab_size = 50257;
  int64_t context_length = 1024;  // the most tokens that the model can read at once
  int64_t width = 768;            // numbers per token
  int64_t layers = 12;
  int64_t heads = 12;
  double dropout = 0.1;
  bool bias = true;         // for W_query, W_key, W_value; a block's other layers have one, SwiGLU's do not
  bool tie_weights = true;  // out_head.weight is tok_emb.weight
  bool tanh_gelu = true;    // GPT-2's approximation, else the exact GELU
  Norm norm = Norm::Layer;
  Positions positions = Positions::Learned;
  Mlp mlp = Mlp::Gelu;
  int64_t kv_heads = 0;  // heads of keys and values, each shared by equally many query heads; 0: `heads`
  int64_t window = 0;    // how many of the latest tokens a token sees, itself included; 0: all

  // The default is gpt2-124m. tiny: 2 layers, 4 heads, width 64, context 32. small: 4 layers, 4 heads, width
  // 128, context 64. Both without dropout. Throws ValueError naming the presets.
  static GPTConfig preset(std::string_view name, int64_t vocab_size);

  // Throws ValueError naming the field, its value and the allowed values: sizes from 1 on, heads that divide
  // width, kv_heads that divide heads, a window in the context, dropout in [0, 1); an even head_dim for Rope,
  // an even width for Sinusoid.
  void check() const;
  // Returns whether all parts are GPT-2's.
  bool is_gpt2() const;

  int64_t head_dim() const { return width / heads; }
  int64_t key_heads() const { return kv_heads ? kv_heads : heads; }
  // The inner width of the feed-forward part: 4·width, or for SwiGLU, which has three matrices, ⅔ of 4·width,
  // rounded up to a multiple of 8.
  int64_t hidden() const;
  // The most tokens that a token sees.
  int64_t reach() const { return window ? window : context_length; }
  // True if text can continue past the context without recomputing the cached keys and values. This needs a
  // window, Rope, and that all tokens on which the last one depends, over all layers, lie within the context.
  bool slides() const {
    return positions == Positions::Rope && window > 0 && layers * (window - 1) < context_length;
  }
  // The number of tokens that a KvCache holds: the context, or, if it slides, two windows if that is less.
  int64_t cache_rows() const { return slides() ? std::min(2 * window, context_length) : context_length; }
  double cache_bytes() const;  // for the keys and values of all layers

  // The number of parameters; tied ones count once.
  int64_t parameters() const;
  // Multiplications and additions for one token in training: 6 for each weight of a matrix (2 forward, 4
  // backward), and 12·layers·width·reach() for queries·keysᵀ and weights·values. Forward only: a third.
  double training_flops_per_token() const;
};

// The memory that training needs, in bytes, with b sentences of context_length tokens. Parameters, gradients
// and the two moments of Adam are exact. Activations are what the ops of the blocks and of the loss save for
// the backward pass. temporaries estimates the most that is alive besides these. The allocator's overhead is
// not included. halves: under autocast on a GPU, where products and attention read and write 2 bytes per
// number and weights have half-precision copies. cache: for the samples that training writes.
struct GPTMemory {
  double parameters, gradients, moments, activations, temporaries, cache;
  double total() const { return parameters + gradients + moments + activations + temporaries + cache; }
};
GPTMemory training_memory(const GPTConfig& config, int64_t b, bool halves = false);

// The keys and values that an attention layer has computed so far: (1, key_heads, cache_rows(), head_dim),
// filled from the first row on.
struct AttentionCache {
  Tensor keys, values;
};

// The state of GPT::step. Starts empty and belongs to one model.
struct KvCache {
  std::vector<int64_t> tokens;  // the tokens whose keys and values are cached
  int64_t first = 0;            // the position of the first cached token
  std::vector<AttentionCache> layers;

  void keep_last(int64_t rows);  // moves the last rows to the front and drops all others
};

// The attention of the lesson journey, which can also continue from cached rows: W_query, W_key, W_value,
// scaled_dot_product_attention of the heads, out_proj. With dropout, which acts on the weights, it runs the
// steps of nn::attention instead. Rope rotates queries and keys, named rotated_queries and rotated_keys in
// the trace. Keys and values are repeated if they have fewer heads.
class CachedAttention : public QkvModule {
 public:
  explicit CachedAttention(const GPTConfig& config);
  Tensor forward(const Tensor& x) const override;
  // x (1, t, width) holds the rows after the first `past` ones, whose keys and values the cache holds from
  // position `first` on. Returns (1, t, width), equal to the last t rows of forward over all rows. Adds x's
  // keys and values to the cache.
  Tensor step(const Tensor& x, AttentionCache& cache, int64_t past, int64_t first) const;

  Linear out_proj;
  Dropout dropout;

 private:
  // Returns the heads of x, (b, heads or key_heads, T, head_dim) each; with Rope, rotated for the positions
  // from `first` on.
  Projected heads_at(const Tensor& x, int64_t first) const;
  Tensor for_each_query(const Tensor& x) const;  // (b, key_heads, T, head_dim) → (b, heads, T, head_dim)
  Tensor hidden_keys(int64_t tokens, Device device) const;  // (tokens, tokens) bool, true where hidden
  Tensor joined(
      const Tensor& context_vec) const;  // out_proj of the heads (b, heads, T, head_dim) side by side

  int64_t heads_, key_heads_, cache_rows_, window_;
  bool turns_;
};

// layers.2(GELU(layers.0(x))), or for SwiGLU down(SiLU(gate(x)) ⊙ up(x)): (…, width) → (…, width), hidden()
// features inside. Names in the trace: x after each layer; gate, activated, up, gated.
class FeedForward : public Module {
 public:
  explicit FeedForward(const GPTConfig& config);
  Tensor forward(const Tensor& x) const override;
  std::vector<const Linear*> linears() const;  // in registration order

  Sequential layers;                     // GELU
  std::optional<Linear> gate, up, down;  // SwiGLU
};

// x + drop(att(norm1(x))), then x + drop(ff(norm2(x))): (b, T, width) → (b, T, width).
class TransformerBlock : public Module {
 public:
  explicit TransformerBlock(const GPTConfig& config);
  Tensor forward(const Tensor& x) const override;
  Stream forward(const Stream& stream) const;
  Tensor step(const Tensor& x, AttentionCache& cache, int64_t past, int64_t first) const;

  CachedAttention att;
  FeedForward ff;
  std::unique_ptr<StreamNorm> norm1, norm2;
  Dropout drop_shortcut;

 private:
  template <class Attend>
  Stream residuals(const Stream& stream, Attend attend) const;
};

// int64 tokens (b, T) → logits (b, T, vocab_size), out_head(final_norm(blocks(drop(tok_emb + pos_emb)))).
// With Sinusoid the sum is √width·tok_emb + sinusoids, as in "Attention is all you need"; with Rope it is
// tok_emb. Weights are drawn as in GPT-2, in the order of named_parameters(): N(0, 0.02²), biases 0, norms 1
// and 0. The two layers of a block that add to the residual stream, out_proj and layers.2 (or down), use
// 0.02/√(2·layers). (The layers have drawn their default values before.) Throws ValueError for what
// GPTConfig::check rejects, and for more tokens than context_length (the message has both numbers);
// IndexError `index out of range in self`.
class GPT : public Module {
 public:
  explicit GPT(const GPTConfig& config);
  Tensor forward(const Tensor& tokens) const override;

  // Returns the logits (vocab_size) after the last of `tokens` (1, t), which continue those in the cache. The
  // result is the last row of forward over all of them, without recomputing the cached keys and values. No
  // graph. Past context_length, a model that slides() drops the tokens that no window reaches. In other
  // models, dropping the first token changes the positions of the others, or what they have read, so the keys
  // and values of the last context_length tokens are recomputed, at the cost of a forward pass.
  Tensor step(const Tensor& tokens, KvCache& cache) const;

  // The embeddings of tokens (b, T) at the positions from `past` on: (b, T, width).
  Tensor embed(const Tensor& tokens, int64_t past = 0) const;

  const GPTConfig& config() const { return config_; }

  Embedding tok_emb;
  std::unique_ptr<Embedding> pos_emb;  // Learned
  Dropout drop_emb;
  ModuleList<TransformerBlock> trf_blocks;
  std::unique_ptr<StreamNorm> final_norm;
  Linear out_head;

 private:
  void draw_weights();
  // Returns the weights and biases that autocast lowers, grouped for AutocastCache.
  std::vector<std::vector<Tensor>> weights_of_products() const;
  // out_head(x). A GPU's tensor cores prefer a multiple of 64 columns, so the product uses a weight padded
  // with rows of zeros, and the extra columns are cut off.
  Tensor scores(const Tensor& x) const;

  GPTConfig config_;
};

}  // namespace glassgrad::nn
