// The choice of the next token from a model's logits.
#pragma once
#include "engine/ops.h"

namespace glassgrad::nn {

// temperature: 0 takes the likeliest token; small ones stay near it, large ones go towards all tokens alike.
// Below 1e-6 counts as 0: float32 could not tell more than the likeliest token either.
// top_k: only the k likeliest are left (0: all; those as likely as the k-th are left too). top_p: of these
// only the likeliest that together reach p are left, one at least.
struct Sampling {
  double temperature = 1;
  int64_t top_k = 0;
  double top_p = 1;

  bool greedy() const { return temperature < 1e-6; }
  // ValueError naming the field, its value and what it may be: temperature 0 … 1e6, top_k 0 or more, top_p in
  // (0, 1].
  void check() const;
};

// The probabilities of a draw, logits (V) → (V): softmax(logits/temperature), 0 where top_k or top_p leaves
// nothing, divided by what is left. greedy(): 1 for the likeliest, the first of equals. ValueError for
// logits that hold nan or +inf, or only −inf.
Tensor next_token_probabilities(const Tensor& logits, const Sampling& sampling);

// A token number drawn from them (torch.multinomial(probabilities, 1)); with greedy() nothing is drawn.
int64_t sample(const Tensor& logits, const Sampling& sampling, Generator& g = default_generator());

}  // namespace glassgrad::nn
