// Shows the values that a call of nn::GPT names, part by part, for `inspect`. Call the functions in the order
// in which the model computes the values.
#pragma once
#include "apps/lesson/lesson.h"
#include "nn/gpt.h"

namespace glassgrad::learn {

inline constexpr AxisRule kGptAxes[] = {
    {"tokens ids", "token"},
    {"tok_emb.weight", "vocabulary width"},
    {"pos_embeds tok_embeds scaled_embeds x normed combined attended fed", "token width"},
    {"queries keys values rotated_queries rotated_keys context_vec", "token head_dim"},
    {"cos sin", "token head_dim"},
    {"masked_scores", "query key"},
    {"hidden gate up activated gated", "token hidden"},
    {"logits", "token vocabulary"},
    {"probabilities", "vocabulary"},
    {"change", "layer head"},
};

// Returns the softmax of the scores after the last token: logits (1, T, vocabulary) → (vocabulary). Throws
// ValueError for logits that hold nan or +inf.
Tensor next_token_of(const Tensor& logits);

// Shows tok_embeds, pos_embeds and their sum x. With sinusoids the sum has scaled_embeds in place of
// tok_embeds; with rope tok_embeds is x.
void show_embeddings(StepBuilder& lesson, const nn::GPTConfig& model);
// Skips weights and buffers, which every module names before it computes.
void skip_weights(StepBuilder& lesson, const nn::GPT& model);

// The values of one block. Each function shows the next values and returns the last of these.
class BlockParts {
 public:
  BlockParts(StepBuilder& lesson, const nn::GPTConfig& model, int64_t block)
      : l_(lesson), model_(model), block_(fmt::format("trf_blocks.{}.", block)), att_(block_ + "att.") {}

  Tensor norm() { return next(block_, "normed"); }  // (1, T, width); before attention, before feed-forward
  // Queries, keys and values: (1, heads, T, head_dim); keys and values have key_heads. With rope also cos and
  // sin, (T, head_dim), and the rotated queries and keys.
  void heads();
  Tensor scores() { return next(att_, "attn_scores"); }           // (1, heads, T, T)
  Tensor masked_scores();                                         // after mask_bool (T, T)
  Tensor scaled_scores() { return next(att_, "scaled_scores"); }  // times 1/√head_dim
  Tensor weights() { return next(att_, "attn_weights"); }         // softmax of the scaled scores
  Tensor context() { return next(att_, "context_vec"); }          // (1, heads, T, head_dim)
  Tensor combined();                                              // the heads side by side, (1, T, width)
  Tensor attended() { return next(block_, "attended"); }          // after out_proj
  Tensor between() { return next(block_, "x"); }                  // x + attended
  // hidden (1, T, 4·width) and activated, the GELU of it; or gate, activated, up and gated, (1, T, hidden()).
  void feed_forward();
  Tensor fed() { return next(block_, "fed"); }  // (1, T, width)
  Tensor out();                                 // x + fed

 private:
  Tensor next(const std::string& scope, const char* name) { return l_.show_next(scope + name, name); }

  StepBuilder& l_;
  const nn::GPTConfig& model_;
  std::string block_, att_;
};

}  // namespace glassgrad::learn
