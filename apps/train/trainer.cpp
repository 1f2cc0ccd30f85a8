#include "apps/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <span>

#include "apps/text/corpus.h"
#include "apps/text/text_file.h"
#include "apps/train/non_finite.h"
#include "engine/autograd.h"
#include "engine/glass/anomaly.h"
#include "engine/io/crc32.h"
#include "nn/functional.h"
#include "nn/sampling.h"
#include "nn/schedule.h"

namespace glassgrad::train {
namespace {

constexpr int64_t kSamplePrompt = 8;
constexpr double kLargestNorm = 1;

Fingerprint fingerprint_of(const TokenSequence& tokens) {
  constexpr int64_t kBlock = 1 << 16, kMost = 1 << 26;
  Crc32 crc;
  std::vector<int64_t> block;
  for (int64_t at = 0; at < std::min(tokens.size(), kMost); at += kBlock) {
    block.resize(static_cast<size_t>(std::min(kBlock, tokens.size() - at)));
    tokens.read(at, block);
    crc.add(block.data(), block.size() * sizeof(int64_t));
  }
  return {tokens.size(), crc.value()};
}

nn::optim::WarmupCosine schedule_of(const Settings& s) {
  return {.lr = s.lr, .min_lr = s.lr / 10, .warmup = std::min<int64_t>(100, s.steps / 20), .end = s.steps};
}

// Weight decay keeps matrices small; biases and a norm's scale do not need it.
std::vector<nn::optim::ParamGroup> groups_of(const nn::GPT& model, const Settings& s) {
  nn::optim::ParamGroup matrices{{}, s.lr, s.weight_decay}, others{{}, s.lr, 0};
  for (const Tensor& p : model.parameters()) (p.dim() >= 2 ? matrices : others).params.push_back(p);
  return {matrices, others};
}

// Sets evaluation mode, without gradients, while alive.
class Evaluating {
 public:
  explicit Evaluating(nn::Module& model) : model_(model) { model.eval(); }
  ~Evaluating() { model_.train(); }
  Evaluating(const Evaluating&) = delete;
  Evaluating& operator=(const Evaluating&) = delete;

 private:
  nn::Module& model_;
  const NoGrad no_grad_;
};

// Collects the weights of each attention layer, (1, heads, T, T), as softmax gives them. Dropout names its
// result again.
class AttentionWeights : public Observer {
 public:
  std::vector<Tensor> weights;

 private:
  void scope(const char* name, bool enter) override {
    if (enter && name == std::string_view("att")) expected_ = true;
  }
  void named(const Tensor& x, const char* name) override {
    if (!expected_ || name != std::string_view("attn_weights")) return;
    weights.push_back(x);
    expected_ = false;
  }
  bool expected_ = false;
};

// nanoGPT prepares a folder of two files; a single file is split like a text.
std::unique_ptr<const Dataset> token_files(const Settings& s, int64_t vocabulary, bool& same_parts) {
  const std::filesystem::path path = s.text;
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown))
    return std::make_unique<Dataset>(token_sequence_of_bin(s.text, vocabulary), s.validation);
  auto training = token_sequence_of_bin(path / "train.bin", vocabulary);
  auto validation = token_sequence_of_bin(path / "val.bin", vocabulary);
  const Fingerprint a = fingerprint_of(*training), b = fingerprint_of(*validation);
  same_parts = a == b;
  return std::make_unique<Dataset>(std::move(training), std::move(validation));
}

}  // namespace

Corpus::Corpus(const Settings& s, std::shared_ptr<const Tokenizer> given) : tokenizer(std::move(given)) {
  const bool from_file = !s.text.empty();
  std::string text;
  is_generated = !from_file;
  if (is_generated)
    text = generate_corpus();
  else if (!tokenizer && s.tokenizer != "byte")  // byte learns from no text, and its text has no size limit
    text = read_text(s.text);
  if (!tokenizer) tokenizer = make_tokenizer(s.tokenizer, text, s.vocabulary);
  if (s.token_file)
    data = token_files(s, tokenizer->size(), same_parts);
  else
    data = std::make_unique<Dataset>(
        from_file ? token_sequence_of_file(*tokenizer, s.text) : token_sequence(*tokenizer, text),
        s.validation);
  fingerprint = fingerprint_of(data->tokens());
  for (const Part part : {Part::Training, Part::Validation}) data->require(part, s.model.context_length);
}

std::vector<int64_t> Corpus::validation_beginning(int64_t n) const {
  const int64_t first = 0;
  return data->batch_at(Part::Validation, {&first, 1}, n).inputs.to_vector<int64_t>();
}

Trainer::Trainer(const Settings& settings, const Corpus& corpus) : settings_(settings), corpus_(corpus) {
  manual_seed(settings.seed);
  model_ = std::make_unique<nn::GPT>(settings.model);
  optimizer_ = std::make_unique<nn::optim::AdamW>(groups_of(*model_, settings), nn::optim::Betas{0.9, 0.95});
  if (default_device != kCpu) gpu_generator_ = std::make_unique<Generator>(default_device, settings.seed);
  parameters_ = model_->parameters();
  graph_ = std::make_unique<StepGraph>(parameters_, gpu_generator_.get());
}

Trainer::Trainer(const Settings& settings, const Corpus& corpus, const Checkpoint& checkpoint,
                 const std::string& path, Restore restore)
    : Trainer(settings, corpus) {
  load_weights(*model_, checkpoint.weights, path);
  try {
    if (restore == Restore::All) optimizer_->load_state_dict(checkpoint.optimizer);
  } catch (const Error& e) {
    fail("{}: {}\n\t--weights-only goes on without that state", path, e.what());
  }
  go_on_drawing(checkpoint.draws);
  gpu_words_ = checkpoint.draws.gpu_words;
  done_ = checkpoint.step;
}

Draws Trainer::draws() const {
  return {default_generator().state(), gpu_generator_ ? gpu_generator_->offset() : gpu_words_};
}

void Trainer::go_on_drawing(const Draws& from) const {
  default_generator().set_state(from.generator);
  if (gpu_generator_) gpu_generator_->set_offset(from.gpu_words);
}

Batch Trainer::draw_batch() const {
  return corpus_.data->batch(Part::Training, settings_.batch, settings_.model.context_length,
                             default_generator());
}

Tensor Trainer::forward(const Batch& batch) const {
  const Tensor logits = (*model_)(batch.inputs);  // (B, T, vocabulary)
  return softmax_cross_entropy(logits.flatten(0, 1), batch.targets.flatten());
}

Measured Trainer::step() {
  if (!detect_anomaly_) return make_step(Change::Weights);
  DetectAnomaly anomalies;
  const Watch watch(&anomalies);
  try {
    return make_step(Change::Weights);
  } catch (const Anomaly& e) {
    fail<NotFinite>("step {}: {}", done_ + 1, e.what());
  }
}

Measured Trainer::make_step(Change change) {
  const Draws before = draws();
  const double lr = schedule_of(settings_).at(done_);
  const auto to_gradients = [this](const Batch& batch) {  // captured and replayed on a GPU
    const nn::functional::DropoutFrom gpu(gpu_generator_.get());
    optimizer_->zero_grad();
    const Tensor loss = forward(batch);
    loss.backward();
    const Tensor norm = nn::optim::clip_grad_norm_(parameters_, kLargestNorm);
    return stack({loss.detach(), norm});  // one tensor, so one wait for the GPU
  };
  const std::vector<double> told = graph_->run(draw_batch(), to_gradients).to_vector<double>();
  const Measured measured{.step = done_ + 1,
                          .loss = told[0],
                          .lr = lr,
                          .gradient_norm = told[1],
                          .tokens_per_second = 0,
                          .validation_loss = {}};
  if (change == Change::Nothing) return measured;
  check_finite(measured, before);
  nn::optim::set_lr(*optimizer_, lr);
  optimizer_->step();
  ++done_;
  return measured;
}

void Trainer::check_finite(const Measured& m, const Draws& before) {
  const bool loss = !std::isfinite(m.loss);
  if (!loss && std::isfinite(m.gradient_norm)) return;
  fail_at(m.step, loss ? "the loss" : "the gradient's norm", loss ? m.loss : m.gradient_norm, [&] {
    go_on_drawing(before);
    make_step(Change::Nothing);
  });
}

double Trainer::validation_loss() const {
  const Evaluating now(*model_);
  Generator same_places(settings_.seed);
  double sum = 0;
  for (int64_t i = 0; i < kValidationBatches; ++i) {
    const Batch batch =
        corpus_.data->batch(Part::Validation, settings_.batch, settings_.model.context_length, same_places);
    const double loss = forward(batch).item();
    if (!std::isfinite(loss)) fail_at(done_, "the validation loss", loss, [&] { forward(batch); });
    sum += loss;
  }
  return sum / double(kValidationBatches);
}

LastWordAccuracy Trainer::last_word_accuracy() const {
  const Evaluating now(*model_);
  return train::last_word_accuracy(*model_, corpus_);
}

void Trainer::check_finite() const {
  const Evaluating now(*model_);
  Generator same_place(settings_.seed);
  const Batch batch = corpus_.data->batch(Part::Validation, 1, settings_.model.context_length, same_place);
  const double loss = forward(batch).item();
  if (!std::isfinite(loss)) fail_at(done_, "the loss", loss, [&] { forward(batch); });
}

void Trainer::fail_at(int64_t step, const char* what, double value,
                      const std::function<void()>& again) const {
  fail<NotFinite>("step {}: {} is {}; the first value that is not finite: {}", step, what,
                  std::isnan(value) ? "nan" : "inf", first_non_finite(model_->named_parameters(), again));
}

double Trainer::seconds_per_step() {
  using Clock = std::chrono::steady_clock;
  constexpr auto kEnough = std::chrono::milliseconds(300);
  constexpr int kMostSteps = 5;
  const Draws before = draws();
  const auto began = Clock::now();
  auto best = Clock::duration::max();  // the first step also allocates
  for (int i = 0; i < kMostSteps && (i == 0 || Clock::now() - began < kEnough); ++i) {
    const auto start = Clock::now();
    make_step(Change::Nothing);
    best = std::min(best, Clock::now() - start);
  }
  optimizer_->zero_grad();
  go_on_drawing(before);
  return std::chrono::duration<double>(best).count();
}

std::vector<int64_t> Trainer::continuation(const std::vector<int64_t>& prompt, int64_t tokens) const {
  const Evaluating now(*model_);
  nn::KvCache cache;
  Tensor next = from_values(prompt, {1, std::ssize(prompt)});
  std::vector<int64_t> added;
  for (int64_t i = 0; i < tokens; ++i) {
    added.push_back(nn::sample(model_->step(next, cache), {.temperature = 0}));
    next = from_values(std::vector<int64_t>{added.back()}, {1, 1});
  }
  return added;
}

Trainer::Sample Trainer::sample(int64_t tokens) const {
  const auto prompt = corpus_.validation_beginning(std::min(kSamplePrompt, settings_.model.context_length));
  return {corpus_.tokenizer->decode(prompt), corpus_.tokenizer->decode(continuation(prompt, tokens))};
}

Trainer::Inspection Trainer::inspect(const std::vector<int64_t>& prompt, int64_t tokens) const {
  const Evaluating now(*model_);
  AttentionWeights seen;
  Tensor logits;  // (1, T, vocabulary)
  {
    const Watch watch(&seen);
    logits = (*model_)(from_values(prompt, {1, std::ssize(prompt)}));
  }
  return {cat(seen.weights, 0), nn::next_token_probabilities(logits[0].select(0, -1), {}),
          continuation(prompt, tokens)};
}

Checkpoint Trainer::checkpoint(std::optional<double> best_validation_loss) const {
  Checkpoint c;
  c.settings = settings_;
  c.tokenizer = corpus_.tokenizer;
  c.step = done_;
  c.best_validation_loss = best_validation_loss;
  c.text = corpus_.fingerprint;
  c.draws = draws();
  c.weights = model_->named_parameters();
  c.optimizer = optimizer_->state_dict();
  return c;
}

}  // namespace glassgrad::train
