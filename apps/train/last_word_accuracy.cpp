#include "apps/train/last_word_accuracy.h"

#include <cmath>

#include "apps/text/corpus.h"
#include "apps/train/trainer.h"
#include "engine/autograd.h"
#include "engine/ops.h"

namespace glassgrad::train {
namespace {

constexpr int64_t kSentenceTokens = 6;  // its words and its end of line

}  // namespace

LastWordAccuracy last_word_accuracy(const nn::GPT& model, const Corpus& corpus) {
  constexpr int64_t kRead = kSentenceTokens - 2;  // all but the last word and the end of line
  if (!corpus.is_generated || corpus.tokenizer->kind() != "word" || model.config().context_length < kRead)
    return {};
  const std::vector<int64_t> text = corpus.tokenizer->encode(held_out_sentences());
  std::vector<int64_t> read, last;
  for (auto sentence = text.begin(); sentence != text.end(); sentence += kSentenceTokens) {
    read.insert(read.end(), sentence, sentence + kRead);
    last.push_back(sentence[kRead]);
  }
  LastWordAccuracy accuracy{0, std::ssize(last)};
  const NoGrad no_grad;
  const Tensor logits = model(from_values(read, {accuracy.all, kRead})).select(1, kRead - 1);
  const std::vector<int64_t> said = argmax(logits, 1).to_vector<int64_t>();
  for (size_t i = 0; i < said.size(); ++i) accuracy.right += said[i] == last[i];
  return accuracy;
}

double loss_of_knowing_nothing(const Corpus& corpus) { return std::log(double(corpus.tokenizer->size())); }

double loss_nobody_can_lose() { return corpus_nats_per_sentence() / double(kSentenceTokens); }

}  // namespace glassgrad::train
