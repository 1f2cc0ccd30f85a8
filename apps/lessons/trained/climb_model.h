// The lesson `climb` on a model that has been trained: the same stations, with that model's numbers, and the
// parts that a whole model adds.
#pragma once
#include <optional>
#include <string>

#include "apps/lesson/trained_model.h"

namespace glassgrad::learn {

// The model of a checkpoint (a file, or its folder) reading the text; without one "cats climb trees during",
// or, where the vocabulary does not know that, the beginning of the model's own validation text. Of a text
// longer than the context the last tokens are read. Its loss is that of foretelling each next token. Errors:
// those of a checkpoint; UsageError: an empty text, or words that the model has never seen.
Runner model_lesson(const std::string& checkpoint, const std::optional<std::string>& text);

namespace climb_parts {

// A model, what it reads and what it answers.
struct Reading : ModelReading {
  const train::Checkpoint& checkpoint;
  int64_t left_out;  // tokens before those that are read, beyond the context
  Tensor logits;     // (1, T, vocabulary)

  const nn::GPTConfig& config() const { return model.config(); }
  std::string token(int64_t id) const;
  std::string last() const;  // the last token's name as a word of a sentence
  Tensor last_row(const Tensor& x) const { return x[0].select(0, -1); }  // (1, T, …) → (…)
};

void embeddings(Narrator& lesson, const Reading& reading);
// Gives the first block's attention weights.
Tensor first_block(Narrator& lesson, const Reading& reading);
void further_blocks(Narrator& lesson, const Reading& reading);
// Gives the probabilities of the next token.
Tensor prediction(Narrator& lesson, const Reading& reading);
void loss(Narrator& lesson, const Reading& reading);
void before_training(Narrator& lesson, const Reading& reading, const Tensor& weights,
                     const Tensor& probabilities);

// "in head 0 "cats", 0.8123; in head 1 …": where the last token looks most, weights (1, heads, T, T).
std::string looks_of_last(const Reading& reading, const Tensor& weights);

}  // namespace climb_parts
}  // namespace glassgrad::learn
