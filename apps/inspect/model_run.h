// A trained model reads a text: what it computes on the way, as a recording.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/learn/lesson.h"
#include "apps/text/tokenizer.h"
#include "nn/gpt.h"

namespace glassgrad::inspect {

// Both count from 0, as in trf_blocks.0.
struct Head {
  int64_t layer = 0, head = 0;
};

// The steps of the report; the others have addresses only.
std::string weights_step(int64_t layer);
constexpr const char* kWeights = "attn_weights";
constexpr const char *kNextToken = "next-token", *kProbabilities = "probabilities";
constexpr const char* kZeroedHead = "zeroed-head";

// For trying heads when none is named: some seconds.
constexpr double kMostFlops = 1e11;

// A step for each part of the model, in evaluation: embeddings; of each layer its projections, scores, masked
// and scaled scores, weights, context and feed-forward; the last norm and the logits; the probabilities of
// the next token, softmax(last row of the logits). Then what they become without a head: the one asked for,
// or the one without which the probability of the likeliest token moves furthest. That takes a run from the
// head's layer on for each head; as many are tried, but one at least, as take most_flops together. 1 to
// context_length tokens of the vocabulary. ValueError: logits that hold nan or +inf.
learn::Recording run_recorded(const nn::GPT& model, const Tokenizer& tokenizer,
                              const std::vector<int64_t>& tokens, std::optional<Head> zeroed,
                              double most_flops, learn::Keep keep = learn::Keep::Steps);

}  // namespace glassgrad::inspect
