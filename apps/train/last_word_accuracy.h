// Puts the loss on the generated corpus into context: how often the model gets the one predictable word
// right.
#pragma once
#include <cstdint>

namespace glassgrad::nn {
class GPT;
}

namespace glassgrad::train {

struct Corpus;

// The held-out sentences, whose subject and verb never meet in the text: `all` counts them, `right` counts
// those whose last word is the model's likeliest token, given the words before it.
struct LastWordAccuracy {
  int64_t right = 0, all = 0;
};
// Counts for the generated corpus in words; the model must be in evaluation mode. Both counts are 0 for a
// different text and if a sentence does not fit into the model's context.
LastWordAccuracy last_word_accuracy(const nn::GPT& model, const Corpus& corpus);

// The loss of a model that gives every token the same probability: ln(number of tokens).
double loss_of_knowing_nothing(const Corpus& corpus);
// The part of the loss on the generated corpus, in words, that no model can learn: subject, verb and object
// are random.
double loss_nobody_can_lose();

}  // namespace glassgrad::train
