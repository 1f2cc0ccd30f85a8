#include "apps/start/story.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>

#include "apps/lesson/gpt_parts.h"
#include "apps/lesson/phrases.h"
#include "apps/text/visible.h"
#include "apps/train/plan.h"
#include "engine/autograd.h"
#include "engine/ops.h"

namespace glassgrad::start {
namespace {

constexpr int64_t kWritten = 6;  // most tokens that it writes

train::Settings settings_for(int64_t steps) {
  train::Settings settings = train::Settings::preset("tiny");
  settings.steps = steps;
  return settings;
}

Tensor named(const learn::Recording& recording, const std::string& step, const char* name) {
  for (const learn::Step& s : recording.steps)
    for (const learn::Entry& entry : s.entries)
      if (s.id == step && entry.name == name) return entry.value->tensor();
  fail("start: the run has no {}:{}", step, name);
}

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

}  // namespace

Story::Story(int64_t steps) : settings_(settings_for(steps)) {
  corpus_ = std::make_unique<train::Corpus>(settings_, nullptr);
  settings_.model.vocab_size = corpus_->tokenizer->size();
  train::require_memory(settings_);
  trainer_ = std::make_unique<train::Trainer>(settings_, *corpus_);
  sentence_ = corpus_->tokenizer->encode(kSentence);
  for (const int64_t token : sentence_) words_.push_back(word_of(token));
  std::istringstream text(generate_corpus());
  std::set<std::string> events;
  for (std::string line; std::getline(text, line);) events.insert(words_in(line).back());
  events_.assign(events.begin(), events.end());
  before = results_of(*model_now(), untrained_);
}

std::vector<std::string> Story::events_with(const std::string& word) const {
  std::istringstream text(generate_corpus());
  std::set<std::string> events;
  for (std::string line; std::getline(text, line);)
    if (const auto words = words_in(line); std::find(words.begin(), words.end(), word) != words.end())
      events.insert(words.back());
  return {events.begin(), events.end()};
}

void Story::step() {
  if (!is_trained()) losses_.push_back(trainer_->step().loss);
}

std::string Story::word_of(int64_t token) const {
  const std::string& bytes = tokenizer().token(token);
  return visible(bytes.size() > 1 && bytes.front() == ' ' ? bytes.substr(1) : bytes);
}

std::string Story::writes_now() const {
  std::vector<int64_t> added = trainer_->inspect(sentence_, kWritten).continuation;
  const auto end = std::find_if(added.begin(), added.end(),
                                [&](int64_t token) { return tokenizer().token(token) == "\n"; });
  std::string text;
  for (auto token = added.begin(); token != end; ++token) text += " " + word_of(*token);
  return kSentence + text;
}

std::unique_ptr<nn::GPT> Story::model_now() const {
  // A new model draws weights before they are replaced. Restore the generator, so that the training draws the
  // same numbers as `train`.
  const Generator::State draws = default_generator().state();
  std::unique_ptr<nn::GPT> model = train::model_of(trainer_->checkpoint({}), "start");
  default_generator().set_state(draws);
  model->eval();
  return model;
}

double Story::probability(const Tensor& probabilities, const std::string& word) const {
  return probabilities[tokenizer().encode(" " + word).front()].item();
}

ModelResults Story::results_of(const nn::GPT& model, learn::Recording& recording) const {
  recording = inspect::run_recorded(model, tokenizer(), sentence_, {}, HUGE_VAL);
  ModelResults results;
  results.loss = trainer_->validation_loss();
  results.last = trainer_->last_word_accuracy();
  results.writes = writes_now();
  results.logits = named(recording, "logits", "logits")[0].select(0, -1);
  results.probabilities = named(recording, inspect::kNextToken, inspect::kProbabilities);
  return results;
}

HeadAtWork Story::at_work(const learn::Recording& recording, inspect::Head head) const {
  const auto part = [&](const char* step, const char* name) {
    return named(recording, fmt::format("layer-{}-{}", head.layer, step), name)[0][head.head];
  };
  HeadAtWork work{part("projections", "queries"),
                  part("projections", "keys"),
                  part("projections", "values"),
                  part("scores", "attn_scores"),
                  part("scaled-scores", "scaled_scores"),
                  part("weights", inspect::kWeights),
                  {},
                  part("context", "context_vec")};
  work.unmasked = softmax(work.scores / std::sqrt(double(work.keys.size(1))), 1);
  return work;
}

NextWord Story::next_word_after(const nn::GPT& model, const std::string& beginning) const {
  const std::vector<int64_t> tokens = tokenizer().encode(beginning);
  const Tensor p = learn::next_token_of(model(from_values(tokens, {1, std::ssize(tokens)})));
  const auto likeliest = int64_t(learn::position_of_largest(p));
  return {beginning, word_of(likeliest), p[likeliest].item()};
}

// A head's context is multiplied only by the head's own columns of out_proj: zeros there switch the head off.
Tensor Story::probabilities_without(std::span<const inspect::Head> off) const {
  const std::unique_ptr<nn::GPT> model = model_now();
  const int64_t head_dim = settings_.model.head_dim();
  for (const auto& [layer, head] : off)
    zero_(model->trf_blocks[size_t(layer)].att.out_proj.weight.narrow(1, head * head_dim, head_dim));
  return learn::next_token_of((*model)(from_values(sentence_, {1, std::ssize(sentence_)})));
}

std::vector<inspect::Head> Story::heads_on(size_t word) const {
  constexpr double kHalf = 0.5;
  std::vector<inspect::Head> found;
  for (int64_t layer = 0; layer < looks.size(0); ++layer)
    for (int64_t head = 0; head < looks.size(1); ++head)
      if (looks[layer][head][int64_t(word)].item() > kHalf) found.push_back({layer, head});
  return found;
}

void Story::choose_heads() {
  const std::vector<double> changes = change.to_vector<double>();
  const int64_t each = change.size(1);
  const auto head_at = [&](size_t i) { return inspect::Head{int64_t(i) / each, int64_t(i) % each}; };
  const auto most_at = [&](size_t i) {
    return learn::position_of_largest(looks[head_at(i).layer][head_at(i).head]);
  };
  const auto first = size_t(std::min_element(changes.begin(), changes.end()) - changes.begin());
  looked_at[0] = most_at(first) == 1 ? 1 : 0;
  looked_at[1] = 1 - looked_at[0];
  const std::vector<double> gives = looks.select(2, int64_t(looked_at[1])).to_vector<double>();
  std::optional<size_t> second, sharpest;
  for (size_t i = 0; i < changes.size(); ++i) {
    if (i == first) continue;
    if (!sharpest || gives[i] > gives[*sharpest]) sharpest = i;
    if (most_at(i) == looked_at[1] && (!second || changes[i] < changes[*second])) second = i;
  }
  heads = {head_at(first), head_at(second.value_or(*sharpest))};
}

void Story::finish() {
  const NoGrad no_grad;
  const std::unique_ptr<nn::GPT> model = model_now();
  learn::Recording trained;
  after = results_of(*model, trained);
  answer_id = int64_t(learn::position_of_largest(after.probabilities));
  answer = word_of(answer_id);
  change = named(trained, inspect::kZeroedHead, "change");
  std::vector<Tensor> layers;
  for (int64_t layer = 0; layer < change.size(0); ++layer)
    layers.push_back(
        named(trained, fmt::format("layer-{}-weights", layer), inspect::kWeights)[0].select(1, -1));
  looks = stack(layers);
  choose_heads();
  without = probabilities_without({&heads[0], 1});
  for (size_t i = 0; i < heads.size(); ++i) {
    without_on[i] = probabilities_without(heads_on(looked_at[i]));
    before.heads[i] = at_work(untrained_, heads[i]);
    after.heads[i] = at_work(trained, heads[i]);
  }
  for (const char* subject : {"cats", "dogs", "birds"})
    for (const char* verb_and_object : {"climb trees", "guard nests"})
      other_beginnings.push_back(
          next_word_after(*model, fmt::format("{} {} during", subject, verb_and_object)));
  finished_ = true;
}

}  // namespace glassgrad::start
