// The lesson `journey`: "Your journey starts with one step", from a dot product to multi-head attention.
#pragma once
#include "apps/lesson/lesson.h"
#include "nn/journey.h"

namespace glassgrad::learn {

extern const Lesson journey;

// Its parts, in the source's order. What one part hands to another is all there is between them.
namespace journey_parts {

void simple_attention(Narrator& lesson, const Settings& settings);  // 3.3: no weights to learn
void trainable_attention(Narrator& lesson,
                         const Settings& settings);  // 3.4.1: three weight matrices, one query
void attention_classes(Narrator& lesson, const Settings& settings,
                       const nn::journey::SelfAttention_v2& sa_v2);  // 3.4.2: the same as modules
// 3.5.1: three ways to hide the future; gives the causal weights.
Tensor causal_masks(Narrator& lesson, const Settings& settings, const nn::journey::SelfAttention_v2& sa_v2);
void dropout(Narrator& lesson, const Settings& settings, const Tensor& attn_weights);  // 3.5.2
void causal_class(Narrator& lesson, const Settings& settings, const Tensor& batch);    // 3.5.3
void multi_head(Narrator& lesson, const Settings& settings, const Tensor& batch);      // 3.6

}  // namespace journey_parts
}  // namespace glassgrad::learn
