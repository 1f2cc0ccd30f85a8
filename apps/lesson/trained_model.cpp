#include "apps/lesson/trained_model.h"

#include <new>

#include "engine/core/default_float64.h"
#include "engine/ops.h"
#include "nn/functional.h"

namespace glassgrad::learn {
namespace {

std::vector<NamedTensor> weights_of(const nn::GPT& model) {
  std::vector<NamedTensor> all = model.named_parameters();
  const std::vector<NamedTensor> buffers = model.named_buffers();
  all.insert(all.end(), buffers.begin(), buffers.end());
  return all;
}

// While it exists, the model has the patch's weights. They are in separate memory, so that earlier snapshots
// of the model keep their numbers.
class PokedWeights {
 public:
  PokedWeights(const std::vector<NamedTensor>& weights, const Patch& patch) {
    for (const auto& [name, weight] : weights) {
      const Tensor changed = patch.poked(name, weight);
      if (changed.ref() == weight.ref()) continue;
      before_.push_back({weight, weight.detach()});
      look_at(weight, changed);
    }
  }
  ~PokedWeights() {
    for (const auto& [weight, before] : before_) look_at(weight, before);
  }
  PokedWeights(const PokedWeights&) = delete;
  PokedWeights& operator=(const PokedWeights&) = delete;

 private:
  struct Before {
    Tensor weight, memory;
  };
  std::vector<Before> before_;
};

std::vector<std::string> names_of(const Tensor& ids, const Tokenizer& tokenizer) {
  std::vector<std::string> names;
  for (const int64_t id : ids.to_vector<int64_t>()) {
    check<IndexError>(id >= 0 && id < tokenizer.size(),
                      "there is no token {}: those of the model are 0 to {}", id, tokenizer.size() - 1);
    names.push_back(tokenizer.token_text(id));
  }
  return names;
}

Recording run(const TrainedModel& trained, const Lesson& lesson, const std::vector<int64_t>& ids,
              const TellModel& tell, Keep keep, const Patch& patch) {
  const nn::GPT& model = trained.gpt();
  const std::vector<NamedTensor> weights = weights_of(model);
  const PokedWeights poked(weights, patch);
  ModelRun model_run{.model = model,
                     .ids = patch.poked("ids", from_values(ids, {1, std::ssize(ids)})),
                     .names = {},
                     .only_loss = bool(patch.loss)};
  model_run.names = names_of(model_run.ids, trained.tokenizer());
  const auto give_and_tell = [&](StepBuilder& l) {
    for (const auto& [name, weight] : weights) l.given(name, weight);
    l.given("ids", model_run.ids);
    tell(l, model_run);
  };
  return record(lesson, model_run.names, give_and_tell, keep, patch);
}

}  // namespace

const char* const kNoNextToken =
    "the text is a single token, so there is no next token to guess and no loss to go back from: give a longer --text";

TrainedModel::TrainedModel(const std::string& path)
    : file_(train::checkpoint_file(path)), checkpoint_(train::load_checkpoint(file_)) {}

const nn::GPT& TrainedModel::gpt() const {
  std::unique_ptr<nn::GPT>& model = defaults_to_float64 ? double_ : single_;
  if (!model) {
    model = train::model_of(checkpoint_, file_);
    model->eval();
  }
  return *model;
}

Runner runner(const std::shared_ptr<const TrainedModel>& model, const Lesson& lesson,
              const std::vector<int64_t>& ids, const TellModel& tell) {
  return [=, &lesson](Keep keep, const Patch& patch) {
    try {
      return run(*model, lesson, ids, tell, keep, patch);
    } catch (const std::bad_alloc&) {
      fail("out of memory: the model and what it computes do not fit");
    }
  };
}

Tensor loss_on(const Tensor& logits, const Tensor& ids) {
  // Two statements, because compilers evaluate the arguments of a call in different orders.
  const Tensor predicted = logits[0].slice(0, {}, -1);
  return nn::functional::cross_entropy(predicted, ids[0].slice(0, 1, {}));
}

}  // namespace glassgrad::learn
