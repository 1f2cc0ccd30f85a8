#include "apps/lesson/gpt_parts.h"

#include "engine/ops.h"
#include "nn/sampling.h"

namespace glassgrad::learn {

Tensor next_token_of(const Tensor& logits) {
  return nn::next_token_probabilities(logits[0].select(0, -1), {});
}

void show_embeddings(StepBuilder& l, const nn::GPTConfig& model) {
  if (model.positions == nn::Positions::Rope) {
    l.skip_next("x");  // the same tensor as tok_embeds in evaluation
    l.show_next("tok_embeds");
    return;
  }
  l.show_next("tok_embeds");
  if (model.positions == nn::Positions::Sinusoid) l.show_next("scaled_embeds");
  for (const char* name : {"pos_embeds", "x"}) l.show_next(name);
  l.skip_next("x");  // after the dropout, which does nothing in evaluation
}

void skip_weights(StepBuilder& l, const nn::GPT& model) {
  for (const auto& weights : {model.state_dict(), model.named_buffers()})
    for (const NamedTensor& weight : weights) l.skip_next(weight.name);
}

void BlockParts::heads() {
  const auto parted = [&](const char* name) {
    for (int move = 0; move < 2; ++move) l_.skip_next(att_ + name);  // the two steps of split_heads
    next(att_, name);
  };
  for (const char* name : {"queries", "keys", "values"}) parted(name);
  if (model_.positions != nn::Positions::Rope) return;
  for (const char* name : {"cos", "sin", "rotated_queries", "rotated_keys"}) next(att_, name);
}

Tensor BlockParts::masked_scores() {
  next(att_, "mask_bool");
  return l_.show_next(att_ + "attn_scores", "masked_scores");
}

Tensor BlockParts::combined() {
  l_.skip_next(att_ + "context_vec");  // after the transpose back
  const Tensor combined = l_.show_next(att_ + "context_vec", "combined");
  l_.skip_next(att_ + "context_vec");  // the result of out_proj: attended, before the dropout
  return combined;
}

void BlockParts::feed_forward() {
  if (model_.mlp == nn::Mlp::SwiGlu) {
    for (const char* name : {"gate", "activated", "up", "gated"}) next(block_ + "ff.", name);
    return;
  }
  for (const char* name : {"hidden", "activated"}) l_.show_next(block_ + "ff.layers.x", name);
  l_.skip_next(block_ + "ff.layers.x");  // fed, before the dropout
}

Tensor BlockParts::out() {
  const Tensor x = next(block_, "x");
  l_.skip_next("x");  // the same tensor under the model's name
  return x;
}

}  // namespace glassgrad::learn
