// watch.json: what a model's attention looks like while it learns. One object, each recording on a line:
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
// What is read of such a file at most. A recording has fewer than 100 values beside its weights and their
// rows.
constexpr uint64_t kMaxWatchFile = uint64_t{64} << 20;
constexpr size_t kMostWatchValues = 2 * kMostWeights;

// UsageError: until the last of settings.steps the file would come to hold more than 1000 recordings or 2
// million weights (it is written anew with each recording). Says which --watch would do. `made` of the steps
// are behind it, with so many recordings.
void require_room(const Settings& settings, const Corpus& corpus, int64_t made = 0, int64_t recordings = 0);

class WatchFile {
 public:
  // A new training begins with no recording, one that goes on with those in the file up to its step. Errors:
  // as require_room; a file that is not this training's, or has more than kMaxWatchFile bytes.
  WatchFile(std::string path, const Settings& settings, const Trainer& trainer);

  // Whether the model is to be recorded after this step: after each settings.watch_every steps and the last
  // one. A model changes most in its first steps, so those of 1, 2, 5, 10, 20, 50, … that come before the
  // first of these are recorded too, if watch_every is ten or more and the file has room for them beside all
  // others.
  bool is_due(int64_t step) const;
  // Adds the model as it stands and replaces the file by a whole new one. `last` is what the last step has
  // measured, if one was made. ValueError: logits that are no numbers. Error: the file cannot be written; the
  // next one will have this recording too.
  void record(const std::optional<Measured>& last);
  // What the file holds, or would.
  std::string text() const;

 private:
  void read();

  std::string path_;
  const Settings& settings_;
  const Trainer& trainer_;
  std::vector<int64_t> early_;  // steps before the first multiple of watch_every
  std::vector<int64_t> prompt_;
  std::string beginning_;                // the file's text up to the recordings
  std::vector<std::string> recordings_;  // as JSON
};

}  // namespace glassgrad::train
