// A model, its optimizer and its text. Makes one step after another; the same settings give the same steps.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/text/dataset.h"
#include "apps/train/checkpoint.h"
#include "apps/train/history.h"
#include "apps/train/last_word_accuracy.h"
#include "apps/train/step_graph.h"
#include "nn/gpt.h"

namespace glassgrad::train {

// A loss, gradient or weight is not finite. The model cannot be saved any more; the files on disk are good.
struct NotFinite : Error {
  using Error::Error;
};

// A text, cut into tokens and split in two.
struct Corpus {
  std::shared_ptr<const Tokenizer> tokenizer;
  std::unique_ptr<const Dataset> data;
  Fingerprint fingerprint;
  bool same_parts = false;    // train.bin and val.bin have equal fingerprints
  bool is_generated = false;  // apps/text/corpus.h

  // Builds the tokenizer from the text unless one is given. Throws Errors if the text cannot be read or one
  // of its two parts cannot fill a context.
  Corpus(const Settings& settings, std::shared_ptr<const Tokenizer> given);

  // Returns the first n tokens of the validation part, at most a context.
  std::vector<int64_t> validation_beginning(int64_t n) const;
};

class Trainer {
 public:
  // A new model, drawn from settings.seed. `corpus` must outlive the trainer.
  Trainer(const Settings& settings, const Corpus& corpus);
  // Continues from a checkpoint; with Restore::Weights the optimizer starts anew. Throws Error naming the
  // path for weights or moments that do not fit.
  enum class Restore : uint8_t { All, Weights };
  Trainer(const Settings& settings, const Corpus& corpus, const Checkpoint& checkpoint,
          const std::string& path, Restore restore = Restore::All);

  const Corpus& corpus() const { return corpus_; }
  int64_t done() const { return done_; }
  // Checks each value as soon as it is computed, so that NotFinite names the call that made the first nan.
  void detect_anomaly() { detect_anomaly_ = true; }
  // Draws a batch, computes the loss, updates the weights: AdamW with weight decay for matrices only, the
  // gradients' norm clipped to 1, a learning rate that warms up and then follows a cosine. Throws NotFinite,
  // naming the step and the op, before any weight has changed. The caller fills in tokens_per_second.
  Measured step();
  // The mean loss of kValidationBatches batches that are the same every time, without dropout. Throws
  // NotFinite.
  static constexpr int64_t kValidationBatches = 8;
  double validation_loss() const;
  // Counts without dropout.
  LastWordAccuracy last_word_accuracy() const;
  // Runs one forward pass to check that the weights are still finite. Throws NotFinite.
  void check_finite() const;
  // Seconds per step, measured on a few steps that change nothing.
  double seconds_per_step();
  // The beginning of the validation text, and the model's greedy continuation of at most `tokens` tokens.
  struct Sample {
    std::string prompt, continuation;
  };
  Sample sample(int64_t tokens) const;
  // The model's reading of a prompt of at most a context, without dropout: each layer's attention weights
  // (layers, heads, T, T), the probabilities of the next token (vocabulary), and the greedy continuation.
  // Throws ValueError for logits that hold nan or +inf.
  struct Inspection {
    Tensor weights, probabilities;
    std::vector<int64_t> continuation;
  };
  Inspection inspect(const std::vector<int64_t>& prompt, int64_t tokens) const;

  // Tells how the steps run on a GPU.
  const StepGraph& graph() const { return *graph_; }

  // The whole state to save, sharing memory with the trainer.
  Checkpoint checkpoint(std::optional<double> best_validation_loss) const;

 private:
  enum class Change : uint8_t { Weights, Nothing };
  Measured make_step(Change change);
  Batch draw_batch() const;
  Tensor forward(const Batch& batch) const;  // returns the loss
  void check_finite(const Measured& measured, const Draws& before);
  std::vector<int64_t> continuation(const std::vector<int64_t>& prompt, int64_t tokens) const;
  Draws draws() const;
  void go_on_drawing(const Draws& from) const;
  [[noreturn]] void fail_at(int64_t step, const char* what, double value,
                            const std::function<void()>& again) const;

  Settings settings_;
  const Corpus& corpus_;
  std::unique_ptr<nn::GPT> model_;
  std::vector<Tensor> parameters_;  // the model's
  std::unique_ptr<nn::optim::AdamW> optimizer_;
  std::unique_ptr<Generator> gpu_generator_;  // for dropout, if the model is on a GPU
  uint64_t gpu_words_ = 0;                    // the checkpoint's GPU draws, kept while training without a GPU
  std::unique_ptr<StepGraph> graph_;
  int64_t done_ = 0;
  bool detect_anomaly_ = false;
};

}  // namespace glassgrad::train
