#include "nn/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/print.h"

namespace glassgrad::nn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void check_logits(const Tensor& logits) {
  check<ValueError>(logits.dim() == 1 && logits.numel() > 0 && is_floating(logits.dtype()),
                    "sampling takes the logits of one position, a vector, but got shape {}", logits.shape());
  const double highest = max(logits).item();  // nan if any logit is nan
  check<ValueError>(highest < kInfinity, "the logits hold {}, so no token can be chosen; the model is broken",
                    python_float(highest));
  check<ValueError>(highest > -kInfinity, "all logits are -inf, so no token can be chosen");
}

// Sets all scores but the k largest to −∞.
Tensor keep_top_k(const Tensor& scores, int64_t k) {
  const Tensor kth = topk(scores, std::min(k, scores.numel())).values[-1];
  return masked_fill(scores, scores < kth, -kInfinity);
}

// Keeps the likeliest tokens that together reach p, and normalizes. A token stays if the sum of the likelier
// ones is below p.
Tensor keep_top_p(const Tensor& probabilities, double p) {
  const auto [sorted, order] = sort(probabilities, -1, true);
  const Tensor before = cumsum(sorted, 0) - sorted;
  const Tensor kept = masked_fill(sorted, before >= p, 0);
  return index_put_(zeros_like(probabilities), {order}, kept / sum(kept));
}

}  // namespace

void Sampling::check() const {
  glassgrad::check<ValueError>(temperature >= 0 && temperature <= 1e6,
                               "temperature must be between 0 (the likeliest token) and 1e6, but is {}",
                               python_float(temperature));
  glassgrad::check<ValueError>(top_k >= 0, "top_k must be 0 (all tokens) or more, but is {}", top_k);
  glassgrad::check<ValueError>(top_p > 0 && top_p <= 1, "top_p must be above 0 and at most 1, but is {}",
                               python_float(top_p));
}

Tensor next_token_probabilities(const Tensor& logits, const Sampling& sampling) {
  sampling.check();
  check_logits(logits);
  const NoGrad no_grad;
  if (sampling.greedy()) return index_put_(zeros_like(logits), {argmax(logits)}, 1.0);
  // Subtract the highest first: divided by a small temperature, it could become infinite.
  Tensor scores = (logits - max(logits)) / sampling.temperature;
  if (sampling.top_k > 0) scores = keep_top_k(scores, sampling.top_k);
  const Tensor probabilities = softmax(scores, -1);
  return sampling.top_p < 1 ? keep_top_p(probabilities, sampling.top_p) : probabilities;
}

int64_t sample(const Tensor& logits, const Sampling& sampling, Generator& g) {
  const NoGrad no_grad;
  const Tensor probabilities = next_token_probabilities(logits, sampling);
  if (sampling.greedy()) return argmax(probabilities).item<int64_t>();
  return multinomial(probabilities, 1, false, g).item<int64_t>();
}

}  // namespace glassgrad::nn
