// A model, its optimizer and its text: one step after the other, the same ones for the same settings.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apps/text/dataset.h"
#include "apps/train/checkpoint.h"
#include "apps/train/history.h"
#include "apps/train/last_words.h"
#include "apps/train/step_graph.h"
#include "nn/gpt.h"

namespace glassgrad::train {

// A loss, gradient or weight that is no number any more. The model is past saving; the files are not.
struct NotFinite : Error {
  using Error::Error;
};

// A text, cut into tokens and split in two.
struct Corpus {
  std::shared_ptr<const Tokenizer> tokenizer;
  std::unique_ptr<const Dataset> data;
  Fingerprint fingerprint;
  bool same_parts = false;    // train.bin and val.bin hold the same tokens
  bool is_generated = false;  // apps/text/corpus.h

  // The tokenizer is made from the text, unless one is given. Errors: the text cannot be read, or one of its
  // two parts cannot fill a context.
  Corpus(const Settings& settings, std::shared_ptr<const Tokenizer> given);

  // The first tokens of the part for validation: n of them, at most a context.
  std::vector<int64_t> validation_beginning(int64_t n) const;
};

class Trainer {
 public:
  // A new model, drawn from settings.seed. `corpus` must outlive it.
  Trainer(const Settings& settings, const Corpus& corpus);
  // Goes on where a checkpoint stands; with Take::Weights the optimizer begins anew. Error naming the path:
  // weights or moments that do not fit.
  enum class Take : uint8_t { All, Weights };
  Trainer(const Settings& settings, const Corpus& corpus, const Checkpoint& checkpoint,
          const std::string& path, Take take = Take::All);

  const Corpus& corpus() const { return corpus_; }
  int64_t done() const { return done_; }
  // Every step looks at each value as it is made: its NotFinite names the call that made the first nan.
  void detect_anomaly() { detect_anomaly_ = true; }
  // Draws a batch, computes the loss, changes the weights: AdamW with weight decay for matrices only, the
  // gradients' norm cut to 1, a learning rate that warms up and then follows a cosine. NotFinite, naming the
  // step and the op, before any weight has changed. tokens_per_second is left for the caller.
  Measured step();
  // The mean loss of so many batches that are the same every time, without dropout. NotFinite.
  static constexpr int64_t kValidationBatches = 8;
  double validation_loss() const;
  // Without dropout.
  LastWords last_words() const;
  // One pass over a batch, to see that the weights are still good: NotFinite.
  void check_finite() const;
  // Seconds of one step, from a few that change nothing.
  double seconds_per_step();
  // The beginning of the validation text, and how the model goes on: at most so many tokens, greedily.
  struct Sample {
    std::string prompt, continuation;
  };
  Sample sample(int64_t tokens) const;
  // How the model reads a prompt of at most a context, without dropout: each layer's attention weights
  // (layers, heads, T, T), the probabilities of the next token (vocabulary), and what follows greedily.
  // ValueError: logits that hold nan or +inf.
  struct Look {
    Tensor weights, probabilities;
    std::vector<int64_t> continuation;
  };
  Look look(const std::vector<int64_t>& prompt, int64_t tokens) const;

  // How its steps run on a GPU.
  const StepGraph& graph() const { return *graph_; }

  // All there is to save, sharing memory with the trainer.
  Checkpoint checkpoint(std::optional<double> best_validation_loss) const;

 private:
  enum class Change : uint8_t { Weights, Nothing };
  Measured make_step(Change change);
  Batch draw_batch() const;
  Tensor forward(const Batch& batch) const;  // the loss
  void check_finite(const Measured& measured, const Draws& before);
  std::vector<int64_t> continuation(const std::vector<int64_t>& prompt, int64_t tokens) const;
  Draws draws() const;
  void go_on_drawing(const Draws& from) const;
  [[noreturn]] void fail_at(int64_t step, const char* what, double value,
                            const std::function<void()>& again) const;

  Settings settings_;
  const Corpus& corpus_;
  std::unique_ptr<nn::GPT> model_;
  std::unique_ptr<nn::optim::AdamW> optimizer_;
  std::unique_ptr<Generator> gpu_generator_;  // of dropout, when the model lies on a GPU
  uint64_t gpu_words_ = 0;  // how far a GPU had drawn before, while this goes on without one
  std::unique_ptr<StepGraph> graph_;
  int64_t done_ = 0;
  bool detect_anomaly_ = false;
};

}  // namespace glassgrad::train
