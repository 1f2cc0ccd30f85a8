// The choice of the next token from a model's logits.
#pragma once
#include "engine/ops.h"

namespace glassgrad::nn {

// temperature: 0 takes the likeliest token; a small value favours it, a large one makes all tokens almost
// equally likely. A value below 1e-6 counts as 0, because float32 cannot represent the difference. top_k:
// keeps only the k likeliest tokens (0: all; ties with the k-th stay). top_p: keeps only the likeliest of
// these whose probabilities together reach p, at least one.
struct Sampling {
  double temperature = 1;
  int64_t top_k = 0;
  double top_p = 1;

  bool greedy() const { return temperature < 1e-6; }
  // Throws ValueError naming the field, its value and the allowed range: temperature 0 … 1e6, top_k 0 or
  // more, top_p in (0, 1].
  void check() const;
};

// The probabilities to draw from, logits (V) → (V): softmax(logits/temperature), set to 0 where top_k or
// top_p excludes a token, then normalized again. greedy(): 1 for the likeliest, the first among equals.
// Throws ValueError for logits that hold nan or +inf, or only −inf.
Tensor next_token_probabilities(const Tensor& logits, const Sampling& sampling);

// Draws a token id from these probabilities (torch.multinomial(probabilities, 1)); with greedy() draws no
// random number.
int64_t sample(const Tensor& logits, const Sampling& sampling, Generator& g = default_generator());

}  // namespace glassgrad::nn
