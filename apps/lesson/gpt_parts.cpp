#include "apps/lesson/gpt_parts.h"

#include "engine/ops.h"
#include "nn/sampling.h"

namespace glassgrad::learn {

Tensor next_token_of(const Tensor& logits) {
  return nn::next_token_probabilities(logits[0].select(0, -1), {});
}

void show_embeddings(Narrator& l) {
  for (const char* name : {"tok_embeds", "pos_embeds", "x"}) l.show_next(name);
  l.skip_next("x");  // after the dropout, which does nothing in evaluation
}

void skip_weights(Narrator& l, const nn::GPT& model) {
  for (const auto& weights : {model.state_dict(), model.named_buffers()})
    for (const NamedTensor& weight : weights) l.skip_next(weight.name);
}

BlockParts::Heads BlockParts::heads() {
  const auto parted = [&](const char* name) {
    for (int move = 0; move < 2; ++move) l_.skip_next(att_ + name);  // until the heads stand in front
    return next(att_, name);
  };
  const Tensor queries = parted("queries"), keys = parted("keys");
  return {queries, keys, parted("values")};
}

Tensor BlockParts::masked_scores() {
  next(att_, "mask_bool");
  return l_.show_next(att_ + "attn_scores", "masked_scores");
}

Tensor BlockParts::combined() {
  l_.skip_next(att_ + "context_vec");  // the tokens stand in front again
  const Tensor combined = l_.show_next(att_ + "context_vec", "combined");
  l_.skip_next(att_ + "context_vec");  // what out_proj gives: attended, before the dropout
  return combined;
}

Tensor BlockParts::activated() {
  const Tensor activated = l_.show_next(block_ + "ff.layers.x", "activated");
  l_.skip_next(block_ + "ff.layers.x");  // fed, before the dropout
  return activated;
}

Tensor BlockParts::out() {
  const Tensor x = next(block_, "x");
  l_.skip_next("x");  // the same as the model names it
  return x;
}

BlockParts::Summary BlockParts::summary() {
  const Tensor attention = weights();
  l_.skip_next(block_ + "x");
  const Tensor x = out();
  l_.skip_part(block_);
  return {attention, x};
}

}  // namespace glassgrad::learn
