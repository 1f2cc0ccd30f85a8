// The lesson `cat`: "The cat sat on the mat", from one word's scores to eight heads.
#pragma once
#include "apps/lesson/lesson.h"
#include "nn/cat.h"

namespace glassgrad::learn {

extern const Lesson cat;

// Its parts, in the source's order. What one part hands to another is all there is between them.
namespace cat_parts {

struct Projected {
  nn::Parameter W_query, W_key, W_value;
  Tensor queries, keys, values;
};
struct Attended {
  Tensor scores, weights, context;
};

Projected projections(Narrator& lesson, const Settings& settings);
Tensor scores(Narrator& lesson, const Settings& settings, const Projected& projected);
Attended weights(Narrator& lesson, const Settings& settings, const Projected& projected,
                 const Tensor& attn_scores);
// Gives the causal weights.
Tensor causal_table(Narrator& lesson, const Settings& settings, const Projected& projected,
                    const Attended& attended);
void dropout_table(Narrator& lesson, const Settings& settings, const Tensor& attn_weights);
void causal_class(Narrator& lesson, const Settings& settings, const Tensor& batch);
void wrapper_class(Narrator& lesson, const Settings& settings, const Tensor& batch);
void split_class(Narrator& lesson, const Settings& settings, const Tensor& batch);
void wrapper_against_split(Narrator& lesson, const Tensor& batch);

}  // namespace cat_parts
}  // namespace glassgrad::learn
