// watch.json: a model's attention while it learns. One object, with one recording per line:
//
//   {"format": "glassgrad watch 1",
//    "tokens": ["cats", "␣climb", …],       the prompt, the same in all recordings; as `inspect` shows tokens
//    "layers": 2, "heads": 4,
//    "recordings": [
//      {"step": 100,                        how many steps were made; 0: the model as it was drawn
//       "loss": 1.52,                       of that step's batch, as in log.jsonl; not at step 0
//       "validation_loss": 1.6,             only where one was computed
//       "attention": […],                   [layer][head][query][key]: weights, of which each row adds to 1
//       "next": [{"token": "␣trees", "probability": 0.31}, …],   the likeliest after the prompt, at most 10
//       "sample": ["␣trees", …]},           16 tokens: how the model goes on with the prompt, greedily
//      …]}
//
// Steps grow from one recording to the next. Weights and probabilities are rounded to 4 decimals; `inspect`
// gives all digits.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/train/history.h"
#include "apps/train/trainer.h"

namespace glassgrad::train {

constexpr int64_t kMostWeights = 2'000'000;
// Bounds for reading such a file. A recording has fewer than 100 values beside its weights and their rows.
constexpr uint64_t kMaxWatchFile = uint64_t{64} << 20;
constexpr size_t kMostWatchValues = 2 * kMostWeights;

// Throws UsageError if the file would hold more than 1000 recordings or 2 million weights by the last of
// settings.steps (each recording rewrites it). The message says which --watch would fit. `made` steps are
// already done, with `recordings` recordings.
void require_room(const Settings& settings, const Corpus& corpus, int64_t made = 0, int64_t recordings = 0);

class WatchFile {
 public:
  // A new training starts without recordings; a resumed one with those in the file up to its step. Throws
  // like require_room, and Errors for a file that is not this training's or has more than kMaxWatchFile
  // bytes.
  WatchFile(std::string path, const Settings& settings, const Trainer& trainer);

  // Whether to record the model after this step: after every settings.watch_every steps and after the last. A
  // model changes most in its first steps, so the steps 1, 2, 5, 10, 20, 50, … below watch_every are recorded
  // too, if watch_every is ten or more and the file has room for them beside all others.
  bool is_due(int64_t step) const;
  // Records the current model and rewrites the file. `last` holds the last step's measurements, if there was
  // a step. Throws ValueError for logits that hold nan or +inf; Error if the file cannot be written, in which
  // case the next write includes this recording.
  void record(const std::optional<Measured>& last);
  // The text of the file, whether written or not.
  std::string text() const;

 private:
  void read();

  std::string path_;
  const Settings& settings_;
  const Trainer& trainer_;
  std::vector<int64_t> early_;  // steps before the first multiple of watch_every
  std::vector<int64_t> prompt_;
  std::string beginning_;                // the file's text up to the recordings
  std::vector<std::string> recordings_;  // each as JSON
};

}  // namespace glassgrad::train
