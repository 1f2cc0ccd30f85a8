// A trained model that reads a text, as a run that can be made again and again.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "apps/lesson/lesson.h"
#include "apps/train/checkpoint.h"
#include "nn/gpt.h"

namespace glassgrad::learn {

class TrainedModel {
 public:
  // A checkpoint's file, or its folder. Error: there is none, or it is broken.
  explicit TrainedModel(const std::string& path);

  const train::Checkpoint& checkpoint() const { return checkpoint_; }
  const Tokenizer& tokenizer() const { return *checkpoint_.tokenizer; }
  // In evaluation, and in the precision that is in force.
  const nn::GPT& gpt() const;

 private:
  std::string file_;
  train::Checkpoint checkpoint_;
  mutable std::unique_ptr<nn::GPT> single_, double_;  // made when they are first asked for
};

// What one run is about.
struct ModelReading {
  const nn::GPT& model;
  Tensor ids;                      // (1, T)
  std::vector<std::string> names;  // of the tokens
  bool only_loss;  // the patch wants nothing but the loss, so what comes after it can be left out
};
using TellModel = std::function<void(Narrator&, const ModelReading&)>;

// A run is given the model's weights and masks under their names in it, and "ids". A patch's other
// numbers in them are put there for this run alone. IndexError: an id outside of the vocabulary.
Runner runner(std::shared_ptr<const TrainedModel> model, const Lesson& lesson, std::vector<int64_t> ids,
              TellModel tell);

// The mean of -ln p of each token after the first, as foretold from those before it: cross_entropy(logits[0,
// :-1], ids[0, 1:]) of (1, T, vocabulary) and (1, T), T ≥ 2.
Tensor loss_on(const Tensor& logits, const Tensor& ids);
// What there is to say where T is 1.
extern const char* const kNoNextToken;

}  // namespace glassgrad::learn
