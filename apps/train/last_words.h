// What the loss on the generated corpus means: how often the one word is right that a reader can know.
#pragma once
#include <cstdint>

namespace glassgrad::nn {
class GPT;
}

namespace glassgrad::train {

struct Corpus;

// Of the sentences whose subject and verb never meet in the text: how many there are, and of how many the
// model, given all words but the last, finds the last one likeliest of all tokens.
struct LastWords {
  int64_t right = 0, all = 0;
};
// Of the generated corpus in words, by a model in evaluation; none of another text, or where a sentence does
// not fit into its context.
LastWords last_words(const nn::GPT& model, const Corpus& corpus);

// The loss of a model that gives every token the same probability: ln of their number.
double loss_of_knowing_nothing(const Corpus& corpus);
// The part of the generated corpus' loss, in words, that no model can learn away: subject, verb and object
// are drawn.
double loss_nobody_can_lose();

}  // namespace glassgrad::train
