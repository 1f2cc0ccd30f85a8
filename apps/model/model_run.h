// Runs a trained model on a text and records everything it computes.
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

// The ids and entries that the report looks up. The other steps have addresses only.
std::string weights_step(int64_t layer);
constexpr const char* kWeights = "attn_weights";
constexpr const char *kNextToken = "next-token", *kProbabilities = "probabilities";
constexpr const char* kZeroedHead = "zeroed-head";

// The default budget for trying heads: some seconds.
constexpr double kMostFlops = 1e11;

// Records a step for each part of the model, in evaluation mode: embeddings; for each layer its projections,
// scores, masked and scaled scores, weights, context and feed-forward; the last norm and the logits; the
// probabilities of the next token, softmax(last row of the logits); for two tokens or more, the loss of
// predicting each next token, from which a backward pass can start. Then the probabilities without one head:
// `zeroed`, or the head whose absence changes the likeliest token's probability most. Each head needs a run
// from its layer on; as many heads are tried as most_flops allow, at least one. Takes 1 to context_length
// tokens. Throws ValueError for logits that hold nan or +inf.
learn::Recording run_recorded(const nn::GPT& model, const Tokenizer& tokenizer,
                              const std::vector<int64_t>& tokens, std::optional<Head> zeroed,
                              double most_flops);
// Records a trained model with its weights, to be opened number by number. Chooses the head to zero itself.
learn::Runner runner(const std::shared_ptr<const learn::TrainedModel>& model,
                     const std::vector<int64_t>& tokens);

// Throws UsageError for an empty text and for more tokens than the model sees at once.
std::vector<int64_t> tokens_of(const train::Checkpoint& checkpoint, const std::string& text);

}  // namespace glassgrad::inspect
