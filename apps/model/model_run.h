// A trained model reads a text: what it computes on the way, as a recording.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/lesson/trained_model.h"

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
// the next token, softmax(last row of the logits); of two tokens and more the loss of foretelling each next
// one, from which a backward pass can go. Then what they become without a head: the one asked for,
// or the one without which the probability of the likeliest token moves furthest. That takes a run from the
// head's layer on for each head; as many are tried, but one at least, as take most_flops together. 1 to
// context_length tokens of the vocabulary. ValueError: logits that hold nan or +inf.
learn::Recording run_recorded(const nn::GPT& model, const Tokenizer& tokenizer,
                              const std::vector<int64_t>& tokens, std::optional<Head> zeroed,
                              double most_flops);
// The same of a trained model, with its weights, to be opened number by number; no head is asked for.
learn::Runner runner(std::shared_ptr<const learn::TrainedModel> model, std::vector<int64_t> tokens);

// UsageError: no text, or more tokens than the model sees at once.
std::vector<int64_t> tokens_of(const train::Checkpoint& checkpoint, const std::string& text);

}  // namespace glassgrad::inspect
