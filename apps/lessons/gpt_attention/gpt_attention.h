// The lesson `gpt-attention`: "Implementing GPT-Style Attention", from a dot product to a layer of GPT-2's
// size.
#pragma once
#include "apps/lesson/lesson.h"
#include "nn/gpt_attention.h"

namespace glassgrad::learn {

extern const Lesson gpt_attention;

// Its parts, in the source's order. What one part hands to another is all there is between them. The source
// has headings without numbers; the sections' numbers are ours.
namespace gpt_attention_parts {

struct Trained {
  Tensor attn_scores, values;  // the scores are scaled already
};

void simple_attention(Narrator& lesson, const Settings& settings);        // 2.1
void formulas(Narrator& lesson, const Settings& settings);                // 2.2
Trained trainable_attention(Narrator& lesson, const Settings& settings);  // 2.3, draws numbers
void self_attention(Narrator& lesson, const Settings& settings);          // 2.4, draws numbers
// 3.1; gives the causal weights as the source's code computes them.
Tensor causal_mask(Narrator& lesson, const Settings& settings, const Trained& trained);
void dropout(Narrator& lesson, const Settings& settings, const Tensor& attn_weights);    // 3.2, draws numbers
void causal_class(Narrator& lesson, const Settings& settings, const Tensor& batch);      // 3.3
void multi_head_class(Narrator& lesson, const Settings& settings, const Tensor& batch);  // 4.1
void argument_order(Narrator& lesson, const Settings& settings);                         // 4.2
void gpt_sized(Narrator& lesson, const Settings& settings);                              // 4.3

}  // namespace gpt_attention_parts
}  // namespace glassgrad::learn
