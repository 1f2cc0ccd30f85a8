// The values that a call of nn::GPT names, part by part: what `inspect` and the lesson of a trained model
// show. They are taken in the order in which the model computes.
#pragma once
#include "apps/lesson/lesson.h"
#include "nn/gpt.h"

namespace glassgrad::learn {

inline constexpr Axes kGptAxes[] = {
    {"tokens ids", "token"},
    {"tok_emb.weight", "vocabulary width"},
    {"pos_embeds tok_embeds x normed combined attended fed", "token width"},
    {"mean variance", "token"},
    {"queries keys values context_vec", "token head_dim"},
    {"masked_scores", "query key"},
    {"hidden activated", "token hidden"},
    {"logits", "token vocabulary"},
    {"probabilities last_logits", "vocabulary"},
    {"top_probabilities top_ids", "place"},
    {"losses", "model"},
    {"change", "layer head"},
};

// softmax of the scores after the last token: logits (1, T, vocabulary) → (vocabulary). ValueError: logits
// that hold nan or +inf.
Tensor next_token_of(const Tensor& logits);

// tok_embeds, pos_embeds and their sum x.
void show_embeddings(Narrator& lesson);
// Weights and buffers, which every module names before it computes.
void skip_weights(Narrator& lesson, const nn::GPT& model);

// One block's values. Each function shows the next ones and gives back the last of them.
class BlockParts {
 public:
  BlockParts(Narrator& lesson, int64_t block)
      : l_(lesson), block_(fmt::format("trf_blocks.{}.", block)), att_(block_ + "att.") {}

  Tensor norm() { return next(block_, "normed"); }  // (1, T, width); before attention, before feed-forward
  struct Heads {
    Tensor queries, keys, values;  // (1, heads, T, head_dim)
  };
  Heads heads();
  Tensor scores() { return next(att_, "attn_scores"); }           // (1, heads, T, T)
  Tensor masked_scores();                                         // after mask_bool (T, T)
  Tensor scaled_scores() { return next(att_, "scaled_scores"); }  // times 1/√head_dim
  Tensor weights() { return next(att_, "attn_weights"); }         // softmax of them
  Tensor context() { return next(att_, "context_vec"); }          // (1, heads, T, head_dim)
  Tensor combined();                                              // the heads side by side, (1, T, width)
  Tensor attended() { return next(block_, "attended"); }          // after out_proj
  Tensor between() { return next(block_, "x"); }                  // x + attended
  Tensor hidden() { return l_.show_next(block_ + "ff.layers.x", "hidden"); }  // (1, T, 4·width)
  Tensor activated();                                                         // GELU of it
  Tensor fed() { return next(block_, "fed"); }                                // (1, T, width)
  Tensor out();                                                               // x + fed

  // The weights and what the block gives; nothing of it is left.
  struct Summary {
    Tensor weights, out;
  };
  Summary summary();

 private:
  Tensor next(const std::string& scope, const char* name) { return l_.show_next(scope + name, name); }

  Narrator& l_;
  std::string block_, att_;
};

}  // namespace glassgrad::learn
