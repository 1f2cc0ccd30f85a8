// A trained model that reads a text, as a run that can be repeated.
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
  // Takes a checkpoint's file, or its folder. Throws Error if there is none, or it is broken.
  explicit TrainedModel(const std::string& path);

  const train::Checkpoint& checkpoint() const { return checkpoint_; }
  const Tokenizer& tokenizer() const { return *checkpoint_.tokenizer; }
  // Returns the model in evaluation, in the precision that is in force.
  const nn::GPT& gpt() const;

 private:
  std::string file_;
  train::Checkpoint checkpoint_;
  mutable std::unique_ptr<nn::GPT> single_, double_;  // made when first requested
};

// The model and the text of one run.
struct ModelRun {
  const nn::GPT& model;
  Tensor ids;                      // (1, T)
  std::vector<std::string> names;  // of the tokens
  bool only_loss;                  // the patch needs only the loss, so the rest can be left out
};
using TellModel = std::function<void(StepBuilder&, const ModelRun&)>;

// Gives a run the model's weights and masks under their names in the model, and "ids". If a patch has other
// numbers for them, puts these in place for that run alone. A run throws IndexError for an id outside of the
// vocabulary.
Runner runner(const std::shared_ptr<const TrainedModel>& model, const Lesson& lesson,
              const std::vector<int64_t>& ids, const TellModel& tell);

// Returns the mean of -ln p of each token after the first, predicted from the tokens before it:
// cross_entropy(logits[0, :-1], ids[0, 1:]) of (1, T, vocabulary) and (1, T), T ≥ 2.
Tensor loss_on(const Tensor& logits, const Tensor& ids);
// Says why a text with T = 1 has no loss.
extern const char* const kNoNextToken;

}  // namespace glassgrad::learn
