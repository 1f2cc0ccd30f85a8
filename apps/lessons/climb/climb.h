// The lesson `climb`: "Attention Mechanism, Core of Transformer Models", one head from the task it serves to
// its gradients.
#pragma once
#include <algorithm>

#include "apps/lesson/lesson.h"
#include "nn/climb.h"

namespace glassgrad::learn {

extern const Lesson climb;

// Its parts, in the source's order. The sections number the page's headings, which have no numbers: 1 the
// task, 2 relations between tokens, 3 the simple average, 4 the two analogies, 5.1 to 5.5 the five steps of
// self-attention, 6 the class.
namespace climb_parts {

using nn::climb::SingleSelfAttentionHead;

// The token whose question the examples follow: "climb", which asks about the first, "cats".
inline int64_t asker(const Settings& s) { return std::min<int64_t>(1, s.inputs.size(1) - 1); }

// Seeds the default generator and gives x.
Tensor words(Narrator& lesson, const Settings& settings);
void relations(Narrator& lesson, const Settings& settings);
void simple_average(Narrator& lesson, const Settings& settings, const Tensor& x);
void lookups(Narrator& lesson);

// The values that a call of the head has named.
struct Projected {
  Tensor queries, keys, values;  // (b, T, head_size)
};
Projected projections(Narrator& lesson, const Settings& settings, const SingleSelfAttentionHead& head);
// Gives the scaled scores, (b, T, T).
Tensor scores(Narrator& lesson, const Settings& settings, const Projected& projected);
void weights(Narrator& lesson, const Settings& settings, const Tensor& scaled_scores);
void output(Narrator& lesson, const Settings& settings, const SingleSelfAttentionHead& head, const Tensor& x,
            const Tensor& out);
void learning(Narrator& lesson, const Settings& settings, const SingleSelfAttentionHead& head,
              const Tensor& x, const Tensor& out);

}  // namespace climb_parts
}  // namespace glassgrad::learn
